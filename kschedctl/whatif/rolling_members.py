"""Rolling update of a stateful set: one member after another."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.objects.apps import StatefulSet
from kschedctl.workloads import key_of
from kschedctl.workloads.stateful_set import ordinal_of, ordinals_of
from kschedctl.workloads.stateful_set_update import partition_of, replaces_on_delete

from .rolling_update import ON_DELETE, OldPod, RollingUpdate, still_there, stuck_text, take_away
from .simulator import Simulator, Task

_Pair = tuple[OldPod | None, Task | None]
"""The old pod that goes and the new one that comes in its place."""


def roll_members(
    simulator: Simulator, workload: StatefulSet, new: Sequence[Task], old: Sequence[OldPod]
) -> RollingUpdate:
    """Replace the members of a stateful set; see `rolling.roll`. Those that no new one replaces stay."""
    pairs = _in_turn(workload, new, old)
    going = [pod for pod, _ in pairs if pod is not None]
    simulator.retire(pod.id for pod in going)
    left = list(old)
    updated = 0
    stuck = ""
    steps = 0
    for gone, fresh in pairs:
        steps += 1
        if gone is not None:
            take_away(simulator, [gone])
            left.remove(gone)
        if fresh is None:
            continue
        simulator.submit([fresh])
        simulator.settle()
        if not fresh.placed:
            stuck = stuck_text([fresh])
            break
        updated += 1
    left = still_there(simulator, left)
    kept = _why_kept(workload) if left and not stuck else ""
    return RollingUpdate(key_of(workload), steps, updated, len(left), stuck, kept)


def _why_kept(workload: StatefulSet) -> str:
    return ON_DELETE if replaces_on_delete(workload) else f"below partition {partition_of(workload)}"


def _in_turn(workload: StatefulSet, new: Sequence[Task], old: Sequence[OldPod]) -> list[_Pair]:
    """Missing members in ascending order first, then those too many, then those replaced from the highest down."""
    running = {ordinal_of(pod.name): pod for pod in old}
    fresh = {ordinal_of(task.pod.name): task for task in new}
    wanted = ordinals_of(workload)
    missing: list[_Pair] = [(None, fresh[i]) for i in sorted(fresh) if i not in running]
    too_many: list[_Pair] = [(running[i], None) for i in sorted(running, reverse=True) if i not in wanted]
    both: list[_Pair] = [(running[i], fresh[i]) for i in sorted(fresh, reverse=True) if i in running]
    return [*missing, *too_many, *both]
