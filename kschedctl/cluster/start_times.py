"""Start times of pods as instants (spec 01 §9.2 d)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from .pods import PodTable

NO_START: Final = 2**63 - 1
"""Stands for "now": later than every start time that is written."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_RFC3339 = re.compile(r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)")


def start_times(table: PodTable, pods: npt.NDArray[np.int64] | Sequence[int]) -> npt.NDArray[np.int64]:
    """Nanoseconds since 1970 at which pods started, int64 (k,), NO_START where a pod has no start time."""
    records = table.records
    return np.fromiter((start_of(records[pod].pod.status.start_time) for pod in pods), np.int64, len(pods))


@lru_cache(maxsize=1 << 17)
def start_of(text: str | None) -> int:
    """Nanoseconds since 1970 of an RFC 3339 time; NO_START for none and for a text that is no time."""
    match = _RFC3339.fullmatch(text or "")
    if match is None:
        return NO_START
    day, clock, fraction, zone = match.groups()
    moment = datetime.fromisoformat(f"{day}T{clock}{'+00:00' if zone in 'Zz' else zone}")
    seconds = (moment - _EPOCH) // (moment.resolution * 1_000_000)
    return seconds * 1_000_000_000 + int((fraction or "0")[:9].ljust(9, "0"))
