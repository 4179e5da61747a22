"""From a drain to its report."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.objects.phrases import names_text
from kschedctl.reports.drain.model import SEVERAL_BUDGETS, Drain, DrainedPod, HeldByBudget, WaitsForRemoval
from kschedctl.reports.explain.build import ReportHead
from kschedctl.reports.rooms.build import rooms_of
from kschedctl.reports.rooms.fragmentation import fragmentation_of
from kschedctl.reports.simulate.build import (
    evicted_victim,
    not_created_groups,
    pending_groups,
    refused_groups,
    timeline_event,
)
from kschedctl.reports.simulate.groups import groups_of_pods
from kschedctl.reports.simulate.load_build import closed_nodes, load_changes
from kschedctl.whatif.disruption.after_removal import after_removal
from kschedctl.whatif.disruption.drain_plan import Deadlock, Drained, DrainPlan
from kschedctl.workloads.readiness import is_ready


def drain_report(
    plan: DrainPlan,
    head: ReportHead,
    changes: Sequence[str] = (),
    not_judged: Sequence[str] = (),
    *,
    timeline: bool = False,
) -> Drain:
    """The report on a drain whose failures were inspected with an `Inspector`."""
    rooms = rooms_of(plan.before, plan.after, plan.session.cluster)
    return Drain(
        scheduler=head.scheduler,
        cluster=head.cluster,
        changes=list(changes),
        nodes=list(plan.nodes),
        possible=plan.possible,
        effects=plan.effects.value,
        waves=plan.waves,
        pods=[_pod(drained) for drained in plan.pods],
        deadlocks=[_held(deadlock, plan.pods) for deadlock in plan.deadlocks],
        groups=groups_of_pods(plan.tasks, plan.session.cluster, plan.group_messages),
        pending=pending_groups(plan.pending),
        waits_for_removal=[
            WaitsForRemoval(
                pod=one.pod, node=one.node, topology_keys=list(one.keys), avoided_by_honor=one.honored
            )
            for one in after_removal(plan)
        ],
        not_created=not_created_groups(plan.pending),
        refused=refused_groups(plan.tasks),
        not_judged=list(not_judged),
        returning=[task.name for task in plan.returning],
        evictions=[evicted_victim(eviction) for eviction in plan.evictions],
        load=load_changes(plan.before, plan.after),
        not_counted=closed_nodes(plan.before, plan.after),
        rooms=rooms,
        fragmentation=fragmentation_of(rooms, plan.session.cluster, plan.tasks),
        seconds=plan.seconds,
        timeline=[timeline_event(event) for event in plan.story] if timeline else None,
    )


def _pod(drained: Drained) -> DrainedPod:
    return DrainedPod(
        namespace=drained.pod.namespace,
        name=drained.pod.name,
        workload=str(drained.workload),
        node=drained.node,
        treatment=drained.treatment.value,
        wave=drained.wave or None,
        waited_for=[budget.name for budget in drained.waited_for],
        placed_on=drained.task.node if drained.task else None,
        not_created=drained.task is not None and bool(drained.task.waits_for),
        refused=drained.task is not None and drained.task.refusal is not None,
    )


def _held(deadlock: Deadlock, pods: Sequence[Drained]) -> HeldByBudget:
    alone = f"allows no disruption: {deadlock.state}{_unready(deadlock, pods)}"
    why = SEVERAL_BUDGETS if deadlock.several else alone
    return HeldByBudget(
        budget=deadlock.budget, pods=list(deadlock.pods), why=why, waits_for=list(deadlock.waiting)
    )


def _unready(deadlock: Deadlock, pods: Sequence[Drained]) -> str:
    """The pods that a budget holds although they are not ready, and what lets them go."""
    held = set(deadlock.pods)
    names = [d.pod.name for d in pods if d.pod.full_name in held and not is_ready(d.pod)]
    if not names:
        return ""
    verb, them = ("is", "it") if len(names) == 1 else ("are", "them")
    return (
        f"; {names_text(names)} {verb} not ready: unhealthyPodEvictionPolicy: AlwaysAllow in the budget would let "
        f"{them} go"
    )
