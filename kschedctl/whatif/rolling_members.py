"""Rolling update of a stateful set: one member after another."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.objects.apps import StatefulSet
from kschedctl.workloads import key_of
from kschedctl.workloads.stateful_set import ordinal_of

from .rolling_update import OldPod, RollingUpdate, still_there, stuck_text, take_away
from .simulator import Simulator, Task

_Pair = tuple[OldPod | None, Task | None]
"""The old pod that goes and the new one that comes in its place."""


def roll_members(
    simulator: Simulator, workload: StatefulSet, new: Sequence[Task], old: Sequence[OldPod]
) -> RollingUpdate:
    """Replace the members of a stateful set; see `rolling.roll`."""
    pairs = _from_the_highest(workload, new, old)
    going = [pod for pod, _ in pairs if pod is not None]
    simulator.retire(pod.id for pod in going)
    updated = 0
    for step, (gone, fresh) in enumerate(pairs, 1):
        if gone is not None:
            take_away(simulator, [gone])
            going.remove(gone)
        if fresh is None:
            continue
        simulator.submit([fresh])
        simulator.settle()
        if not fresh.placed:
            left = len(still_there(simulator, going))
            return RollingUpdate(key_of(workload), step, updated, left, stuck_text([fresh]))
        updated += 1
    return RollingUpdate(key_of(workload), len(pairs), updated, 0)


def _from_the_highest(workload: StatefulSet, new: Sequence[Task], old: Sequence[OldPod]) -> list[_Pair]:
    """Missing pods in ascending order first; then from the highest ordinal down to the partition."""
    running = {ordinal_of(pod.name): pod for pod in old}
    update = workload.spec.update_strategy
    if update is not None and update.type == "OnDelete":
        partition = 2**31
    else:
        partition = (update.rolling_update.partition if update and update.rolling_update else None) or 0
    fresh = {ordinal_of(task.pod.name): task for task in new}
    missing: list[_Pair] = [(None, fresh[i]) for i in sorted(fresh) if i not in running]
    too_many: list[_Pair] = [(running[i], None) for i in sorted(running, reverse=True) if i not in fresh]
    both = [i for i in sorted(fresh, reverse=True) if i in running and i >= partition]
    return [*missing, *too_many, *((running[i], fresh[i]) for i in both)]
