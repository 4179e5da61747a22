"""What changes cost an operator: the table by which suggestions are ranked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kschedctl.advice.measure import Measures
from kschedctl.errors import UsageError

COSTS: Final[Mapping[str, float]] = {
    "wait": 0.5,
    "uncordon": 1,
    "cordon": 1,
    "node-repair": 1.5,
    "gate": 1.5,
    "toleration": 2,
    "spread-relax": 2,
    "request": 2,
    "selector-relax": 2.5,
    "label-node": 2.5,
    "min-count": 3,
    "topology-key": 3,
    "spread-drop": 3,
    "selector-drop": 3,
    "affinity-relax": 2.5,
    "affinity-drop": 3,
    "host-port": 3,
    "profile": 3,
    "taint": 3,
    "claim": 3,
    "move": 3,
    "priority": 4,
    "storage-class": 4,
    "new-volume": 4,
    "devices": 4,
    "new-node": 5,
    "scale-down": 5,
    "volume-limit": 5,
    "evict": 6,
    "new-claim": 7,
    "device-drop": 8,
    "data-loss": 10,
}
"""What each kind of change costs an operator, by and large: time, risk, and whom has to be asked.

`request` is multiplied by 0.5 to 2, by how much of the request goes; `priority` grows with the victims; `move`,
`evict` and `scale-down` count once a pod; with `device-drop` a pod does without devices that it was written for,
with `data-loss` without what it has written.
What is done together costs the sum, and 1 more for each part.
"""


def cost_of(changes: Measures, costs: Mapping[str, float] = COSTS) -> float:
    """What several changes cost that are made together."""
    parts = sum(costs[change.kind] * change.size for change in changes)
    return round(parts + len(changes) - 1, 2)


def costs_of(data: Any, origin: str) -> Mapping[str, float]:
    """The table with the entries of a file in the place of its own.

    Args:
        data: a mapping from kinds of changes to numbers.
        origin: the file, for messages.

    Raises:
        UsageError: it is none, or names what is no kind.
    """
    if not isinstance(data, Mapping):
        raise UsageError(f"{origin}: a mapping from kinds of changes to costs is expected")
    for kind, cost in data.items():
        if kind not in COSTS:
            raise UsageError(
                f"{origin}: {kind!r} is no kind of change", hint=f"Those are {', '.join(sorted(COSTS))}."
            )
        if isinstance(cost, bool) or not isinstance(cost, (int, float)) or not 0 <= cost < float("inf"):
            raise UsageError(f"{origin}: the cost of {kind} is {cost!r}; a number of at least 0 is expected")
    return {**COSTS, **data}
