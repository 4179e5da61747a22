"""Tolerations that admission adds or merges (spec 02 E.4)."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.objects.constraints import Toleration
from kschedctl.objects.well_known import NOT_READY_TAINT, UNREACHABLE_TAINT

_SECONDS = 300
_NO_EXECUTE = "NoExecute"
_KEYS = (NOT_READY_TAINT, UNREACHABLE_TAINT)


def with_default_tolerations(tolerations: Sequence[Toleration]) -> tuple[Toleration, ...]:
    """The tolerations, and those for nodes that are not ready or cannot be reached, for 300 s each.

    A toleration of the key, or of every key, for NoExecute keeps its default away; its operator and value are
    not looked at.
    """
    covered = {t.key for t in tolerations if t.effect in ("", _NO_EXECUTE)}
    added = [
        Toleration(key=key, operator="Exists", effect=_NO_EXECUTE, toleration_seconds=_SECONDS)
        for key in _KEYS
        if key not in covered and "" not in covered
    ]
    return (*tolerations, *added)


def merge_tolerations(first: Sequence[Toleration], second: Sequence[Toleration]) -> tuple[Toleration, ...]:
    """Both lists, without those that another one makes redundant."""
    every = (*first, *second)
    kept: list[Toleration] = []
    for i, toleration in enumerate(every):
        if any(_covers(other, toleration) for other in kept):
            continue
        if any(later != toleration and _covers(later, toleration) for later in every[i + 1 :]):
            continue
        kept.append(toleration)
    return tuple(kept)


def _covers(wide: Toleration, narrow: Toleration) -> bool:
    """Whether everything that `narrow` tolerates is tolerated by `wide` too."""
    if wide == narrow:
        return True
    if wide.key != narrow.key and not (wide.key == "" and wide.operator == "Exists"):
        return False
    if wide.effect not in ("", narrow.effect):
        return False
    if wide.effect == _NO_EXECUTE and not _lasts(wide, narrow):
        return False
    if wide.operator == "Exists":
        return True
    return wide.operator in ("", "Equal") and narrow.operator in ("", "Equal") and wide.value == narrow.value


def _lasts(wide: Toleration, narrow: Toleration) -> bool:
    if wide.toleration_seconds is None:
        return True
    return narrow.toleration_seconds is not None and wide.toleration_seconds >= narrow.toleration_seconds
