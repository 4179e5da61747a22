"""Pods that wait for a drained node to be deleted: it is empty, and a domain of their spread until then."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.admission.invalid import Invalid
from kschedctl.objects.pod import Pod
from kschedctl.plugins.spread_constraints import HARD
from kschedctl.scheduling.decision import Outcome
from kschedctl.scheduling.effects import place
from kschedctl.scheduling.post_filter import ASK_NOBODY
from kschedctl.whatif.disruption.drain_plan import DrainPlan
from kschedctl.whatif.session import Session


class AfterRemoval(Struct, frozen=True):
    """A pod that finds no node as long as the drained nodes are there.

    Attributes:
        pod: its full name.
        node: where it goes once they are gone.
        keys: topology keys of its hard spread constraints.
        honored: whether `nodeTaintsPolicy: Honor` in them spares it the wait.
    """

    pod: str
    node: str
    keys: tuple[str, ...]
    honored: bool


def after_removal(plan: DrainPlan) -> list[AfterRemoval]:
    """The pods that are left pending and fit once the drained nodes are deleted; the session is left as it is."""
    session, cluster = plan.session, plan.session.cluster
    rows = [row for name in plan.nodes if (row := cluster.row_of(name)) is not None]
    names = {t.record.id: t.name for t in plan.pending if t.record is not None}
    waiting = [t.record for t in plan.pending if t.record is not None and _hard_keys(t.record.pod.source)]
    if not waiting or not rows:
        return []
    start = cluster.mark()
    found: list[AfterRemoval] = []
    honored: dict[int, bool] = {}
    known: dict[int, bool] = {}
    for record in waiting:
        alike = record.pod_class.index
        if alike not in known or record.pod_class.has_own_claims:
            known[alike] = _fits_with_honor(session, record.pod.source)
        honored[record.id] = known[alike]
    for row in rows:
        for pod in list(cluster.usage.pods[row]):
            cluster.remove(pod)
    cluster.lose_nodes(rows)
    for record in waiting:
        decision = session.scheduler.decide(record, cluster)
        if decision.outcome is Outcome.SCHEDULED and decision.selected_node is not None:
            keys = _hard_keys(record.pod.source)
            found.append(AfterRemoval(names[record.id], decision.selected_node, keys, honored[record.id]))
            place(decision)
    cluster.undo_to(start)
    return found


def _hard_keys(pod: Pod | None) -> tuple[str, ...]:
    constraints = () if pod is None else pod.spec.topology_spread_constraints
    return tuple(dict.fromkeys(c.topology_key for c in constraints if c.when_unsatisfiable == HARD))


def _fits_with_honor(session: Session, pod: Pod | None) -> bool:
    """Whether the pod finds a node where its constraints leave tainted nodes out."""
    if pod is None:
        return False
    constraints = tuple(replace(c, node_taints_policy="Honor") for c in pod.spec.topology_spread_constraints)
    changed = replace(pod, spec=replace(pod.spec, topology_spread_constraints=constraints))
    start = session.cluster.mark()
    try:
        entered = session.enter(changed)
        if isinstance(entered, Invalid):
            return False
        found = session.scheduler.decide(entered, session.cluster, post_filter=ASK_NOBODY)
        return found.outcome is Outcome.SCHEDULED
    finally:
        session.cluster.undo_to(start)
