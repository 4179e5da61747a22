"""Whether nodes can be drained once everything has found its place: budgets, pods that nothing controls, room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from kschedctl.objects.core import PodDisruptionBudget
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.phrases import names_text, plural
from kschedctl.observer import SILENT, Observer
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.disruption.budgets import with_new_status
from kschedctl.whatif.disruption.drain import drain
from kschedctl.whatif.disruption.drain_plan import Deadlock, DrainPlan
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.scenarios.checks import Check, Finding, Rule, why_of
from kschedctl.whatif.scenarios.scenario import Drainable
from kschedctl.whatif.simulate import SimulationResult, settled_session
from kschedctl.whatif.world.targets import EVERY_NODE, find_nodes
from kschedctl.workloads import WorkloadKey, key_of

_NAMED = 4
_MOST = 20


class _Hindrance(Struct):
    """Why some nodes cannot be drained.

    Attributes:
        why: a sentence that is the same for all of them.
        workload: whose pods it is about, where it is one.
        budget: the budget that is in the way.
        nodes: the nodes, or groups of nodes that are drained together.
    """

    why: str
    workload: WorkloadKey | None = None
    budget: PodDisruptionBudget | None = None
    nodes: list[str] = field(default_factory=list)

    def finding(self) -> Finding:
        """What is wrong, for a person."""
        text = f"{names_text(self.nodes, _NAMED)} cannot be drained: {self.why}"
        if self.budget is None:
            return Finding(text, self.workload)
        rule = "minAvailable" if self.budget.spec.max_unavailable is None else "maxUnavailable"
        return Finding(text, self.workload, about=key_of(self.budget), field=("spec", rule))


def check_drainable(wanted: Drainable, found: SimulationResult, observer: Observer = SILENT) -> Check:
    """That nodes can be drained, each by itself or all together.

    Args:
        wanted: which nodes.
        found: the simulation, at the end of which they are drained.
        observer: is told how many drains were tried.

    Raises:
        UsageError: there is no such node.
    """
    nodes = [node.name for node in find_nodes(found.world, wanted.nodes)]
    chosen = [nodes] if wanted.together else [[name] for name in nodes]
    session = settled_session(found)
    session = session.with_objects(with_new_status(session.objects), session.scheduler.options)
    options: SchedulingOptions = session.scheduler.options
    hindrances: dict[str, _Hindrance] = {}
    for done, together in enumerate(chosen):
        observer.progress("drains", done, len(chosen))
        plan = drain(session, options, together, effects=found.effects)
        for hindrance in _hindrances(plan, session.objects):
            known = hindrances.setdefault(hindrance.why, hindrance)
            known.nodes += together
    findings = [hindrance.finding() for hindrance in [*hindrances.values()][:_MOST]]
    if (more := len(hindrances) - _MOST) > 0:
        findings.append(Finding(f"{plural(more, 'reason')} more keep nodes from being drained"))
    return Check(Rule.DRAINABLE, _title(wanted, nodes), ("drainable",), tuple(findings))


def _title(wanted: Drainable, nodes: Sequence[str]) -> str:
    if len(nodes) == 1:
        return f"{nodes[0]} can be drained"
    which = "" if wanted.nodes == EVERY_NODE else f" of {wanted.nodes}"
    if wanted.together:
        return f"all nodes{which} can be drained together"
    return f"every node{which} can be drained, one at a time"


def _hindrances(plan: DrainPlan, objects: Sequence[TopLevel]) -> Iterator[_Hindrance]:
    whose = {drained.pod.full_name: drained.workload for drained in plan.pods}
    budgets = {obj.full_name: obj for obj in objects if isinstance(obj, PodDisruptionBudget)}
    if bare := plan.refused:
        names = names_text([drained.pod.full_name for drained in bare], _NAMED)
        why = f"nothing controls {names}; kubectl drain stops there without --force"
        yield _Hindrance(why, bare[0].workload if len(bare) == 1 else None)
    several: dict[tuple[str, ...], list[Deadlock]] = {}
    for deadlock in plan.deadlocks:
        owners = {whose[name] for name in deadlock.pods}
        workload = min(owners) if len(owners) == 1 else None
        if deadlock.several:
            several.setdefault(deadlock.pods, []).append(deadlock)
            continue
        why = f"budget {deadlock.budget} allows no disruption: {deadlock.state}"
        yield _Hindrance(why, workload, budgets.get(deadlock.budget))
    for pods, covering in several.items():
        names = names_text([deadlock.budget for deadlock in covering], _NAMED)
        why = (
            f"{names_text(pods, _NAMED)} covered by budgets {names}: the eviction API refuses pods of several"
        )
        yield _Hindrance(why, whose[pods[0]], budgets.get(covering[0].budget))
    waiting: dict[tuple[WorkloadKey, str], list[Task]] = {}
    for task in plan.pending:
        waiting.setdefault((task.workload, why_of(task)), []).append(task)
    for (workload, reason), tasks in waiting.items():
        verb = "finds" if len(tasks) == 1 else "find"
        yield _Hindrance(
            f"{plural(len(tasks), 'pod')} of {workload} {verb} no other node: {reason}", workload
        )
    for task in plan.returning:
        why = f"{task.name} comes back, as it tolerates the cordon or names the node"
        yield _Hindrance(why, task.workload)
