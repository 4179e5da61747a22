"""From a filled cluster to the report on capacity."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.reports.capacity.model import AskedPod, Capacity, DaemonsFirst, NodeCapacity, Target
from kschedctl.reports.explain.build import ReportHead
from kschedctl.reports.explain.model import Explanation, ReasonGroup
from kschedctl.reports.explain.reasons import group_reasons
from kschedctl.reports.rooms.build import rooms_of
from kschedctl.reports.rooms.fragmentation import fragmentation_of
from kschedctl.reports.simulate.load_build import closed_nodes, load_changes
from kschedctl.whatif.capacity import capacity as whatif
from kschedctl.whatif.capacity.capacity import FillingQuestion, MissingNodes


def capacity_report(
    question: FillingQuestion,
    found: whatif.CapacityResult,
    head: ReportHead,
    *,
    changes: Sequence[str] = (),
    target: Target | None = None,
    group: str | None = None,
) -> Capacity:
    """The report on what a cluster takes, whose last decision was inspected with `explainer`.

    Args:
        question: what was asked.
        found: the full cluster.
        head: what the report begins with.
        changes: made before, in words.
        target: the report on a target.
        group: the pod group that a set is.
    """
    filling = found.filling
    blocking = None if filling.blocking is None else question.wanted[filling.blocking]
    rooms = rooms_of(found.before, found.after, found.session.cluster)
    return Capacity(
        scheduler=head.scheduler,
        cluster=head.cluster,
        changes=list(changes),
        headroom=[str(kept) for kept in question.headroom],
        pods=[
            AskedPod(source=str(ask.key), share=ask.share, fits=filling.sets * ask.share)
            for ask in question.wanted
        ],
        sets=filling.sets,
        limit=found.limit if blocking is None else None,
        blocking=None if blocking is None else str(blocking.key),
        message=filling.message,
        reasons=reasons_of(found),
        nodes=_nodes(question, found),
        daemons=[
            DaemonsFirst(workload=str(key), placed=placed, wanted=wanted)
            for key, (placed, wanted) in found.daemons.items()
        ],
        left_out=found.pending,
        target=target,
        group=group,
        load=load_changes(found.before, found.after),
        not_counted=closed_nodes(found.before, found.after),
        rooms=rooms,
        fragmentation=fragmentation_of(rooms, found.session.cluster),
    )


def target_report(wanted: int, fits: int, shapes: Sequence[str], missing: MissingNodes | None) -> Target:
    """The report on a target."""
    full = missing.full if missing else None
    return Target(
        wanted=wanted,
        missing=max(wanted - fits, 0),
        shapes=list(shapes),
        nodes=missing.nodes if missing else None,
        tried=missing.tried if missing else 0,
        reasons=reasons_of(full) if full else [],
    )


def reasons_of(found: whatif.CapacityResult) -> list[ReasonGroup]:
    """What keeps the next pod away, most nodes first."""
    inspected = found.filling.inspected
    return list(inspected.reasons) if isinstance(inspected, Explanation) else []


def _nodes(question: FillingQuestion, found: whatif.CapacityResult) -> list[NodeCapacity]:
    inspected = found.filling.inspected
    limits: dict[str, list[str]] = {}
    if isinstance(inspected, Explanation):
        limits = {node.name: [group.text for group in group_reasons([node])] for node in inspected.nodes}
    nothing = [0] * len(question.wanted)
    nodes = [
        NodeCapacity(name=name, fits=found.filling.by_node.get(name, nothing), limits=limits.get(name, []))
        for name in found.session.cluster.nodes.names
    ]
    return sorted(nodes, key=lambda node: -node.total)
