"""Start times of pods as instants (spec 01 §9.2 d)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.pods import PodReader
from kschedctl.objects.go import INT64_MAX, INT64_MIN

if TYPE_CHECKING:
    from kschedctl.cluster.state import ClusterState

NO_START: Final = INT64_MAX
"""Stands for "now": later than every start time that is written."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_RFC3339 = re.compile(r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)")


class StartTimes:
    """The start times of all pods of a cluster; each distinct text is read once, when first asked for."""

    def __init__(self, cluster: ClusterState) -> None:
        self._table = cluster.pods
        self._reader = PodReader(cluster.pods)
        self._known: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._restated = 0

    @property
    def column(self) -> npt.NDArray[np.int64]:
        """int64 (P,): nanoseconds since 1970, NO_START for a pod without start time."""
        gone, came = self._reader.news()
        if gone or came:
            texts = [record.pod.status.start_time for record in came]
            moments = {text: start_of(text) for text in dict.fromkeys(texts)}
            read = np.fromiter(map(moments.__getitem__, texts), np.int64, len(texts))
            self._known = np.append(self._known[: len(self._known) - len(gone)], read)
        for pod in set(self._table.restated[self._restated :]):
            if pod < len(self._known):  # else it is gone
                self._known[pod] = start_of(self._table.records[pod].pod.status.start_time)
        self._restated = len(self._table.restated)
        return self._known


def start_times(cluster: ClusterState, pods: npt.NDArray[np.int64] | Sequence[int]) -> npt.NDArray[np.int64]:
    """Nanoseconds since 1970 at which pods started, int64 (k,), NO_START where a pod has no start time."""
    return cluster.extension(StartTimes, StartTimes).column[pods]


@lru_cache(maxsize=1 << 17)
def start_of(text: str | None) -> int:
    """Nanoseconds since 1970 of an RFC 3339 time; NO_START for none and for a text that is no time.

    Times outside the years 1678 to 2262 count as the first or the last moment that an int64 can tell.
    """
    match = _RFC3339.fullmatch(text or "")
    if match is None:
        return NO_START
    day, clock, fraction, zone = match.groups()
    try:
        moment = datetime.fromisoformat(f"{day}T{clock}{'+00:00' if zone in 'Zz' else zone}")
    except ValueError:
        return NO_START
    seconds = (moment - _EPOCH) // (moment.resolution * 1_000_000)
    nanoseconds = seconds * 1_000_000_000 + int((fraction or "0")[:9].ljust(9, "0"))
    return min(max(nanoseconds, INT64_MIN), NO_START - 1)
