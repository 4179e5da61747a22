"""One of each of several lists, the cheapest together first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush

from kschedctl.advice.costs import cost_of
from kschedctl.advice.measure import Measures


def cheapest_first(parts: Sequence[Sequence[Measures]], costs: Mapping[str, float]) -> Iterator[Measures]:
    """Every combination of one entry of each part, in the order of what it costs; without parts one of nothing.

    Combinations are made as they are asked for: of many parts only those that are looked at.
    """
    if not all(parts):
        return
    priced = [sorted(((cost_of(changes, costs), at) for at, changes in enumerate(part))) for part in parts]
    start = (0,) * len(parts)
    heap = [(sum(prices[0][0] for prices in priced), start)]
    seen = {start}
    while heap:
        total, places = heappop(heap)
        yield tuple(
            change
            for part, prices, place in zip(parts, priced, places, strict=True)
            for change in part[prices[place][1]]
        )
        for i, place in enumerate(places):
            after = (*places[:i], place + 1, *places[i + 1 :])
            if place + 1 < len(priced[i]) and after not in seen:
                seen.add(after)
                heappush(heap, (total - priced[i][place][0] + priced[i][place + 1][0], after))
