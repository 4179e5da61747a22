"""Rolling update of a stateful set: one member after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from kschedctl.objects.apps import StatefulSet
from kschedctl.whatif.queue.simulator import Simulator
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.updates.rolling_update import (
    ON_DELETE,
    OldPod,
    RollingUpdate,
    still_there,
    stuck_text,
    take_away,
)
from kschedctl.workloads import key_of
from kschedctl.workloads.stateful_set import creates_in_order, ordinal_of, ordinals_of
from kschedctl.workloads.stateful_set_update import partition_of, replaces_on_delete

Replaced: TypeAlias = tuple[OldPod, Task | None]
"""The old pod that goes and the new one that comes in its place."""


def roll_members(
    simulator: Simulator, workload: StatefulSet, new: Sequence[Task], old: Sequence[OldPod]
) -> RollingUpdate:
    """Replace the members of a stateful set; see `rolling.roll`.

    Missing ones come first. Those that no new one replaces stay.
    """
    pairs = in_turn(workload, new, old)
    running = {ordinal_of(pod.name) for pod in old}
    missing = [task for task in new if ordinal_of(task.pod.name) not in running]
    created = list(missing)
    simulator.submit(missing)
    simulator.settle()
    left = list(old)
    steps = len(missing)
    stuck = _broken(workload, old) if pairs else ""
    for gone, fresh in pairs:
        if stuck or stuck_text(created):
            break
        steps += 1
        take_away(simulator, [gone])
        left.remove(gone)
        if fresh is not None:
            created.append(fresh)
            simulator.submit([fresh])
            simulator.settle()
    left = still_there(simulator, left)
    updated, stuck = sum(task.placed for task in created), stuck_text(created) or stuck
    kept = _why_kept(workload) if left and not stuck else ""
    return RollingUpdate(key_of(workload), steps, updated, len(left), stuck, kept)


def _why_kept(workload: StatefulSet) -> str:
    return ON_DELETE if replaces_on_delete(workload) else f"below partition {partition_of(workload)}"


def _broken(workload: StatefulSet, old: Sequence[OldPod]) -> str:
    """The first old member that is not ready, for which a set that keeps the order waits; empty: none."""
    if not creates_in_order(workload):
        return ""
    wanted = ordinals_of(workload)
    broken = [pod for pod in old if not pod.ready and ordinal_of(pod.name) in wanted]
    if not broken:
        return ""
    first = min(broken, key=lambda pod: ordinal_of(pod.name))
    return f"{workload.namespace}/{first.name}: not ready, and OrderedReady waits for it"


def in_turn(workload: StatefulSet, new: Sequence[Task], old: Sequence[OldPod]) -> list[Replaced]:
    """Members that are too many, then those that are replaced, each from the highest down."""
    running = {ordinal_of(pod.name): pod for pod in old}
    fresh = {ordinal_of(task.pod.name): task for task in new}
    wanted = ordinals_of(workload)
    too_many: list[Replaced] = [(running[i], None) for i in sorted(running, reverse=True) if i not in wanted]
    both: list[Replaced] = [(running[i], fresh[i]) for i in sorted(fresh, reverse=True) if i in running]
    return [*too_many, *both]
