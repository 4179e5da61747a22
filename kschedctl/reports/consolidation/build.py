"""From a cluster with fewer nodes to the report on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate

from kschedctl.admission.defaults import default_node
from kschedctl.objects.quantity import parse
from kschedctl.reports.consolidation.model import Consolidation, RemovedNode, StayingNodes
from kschedctl.reports.explain.build import ReportHead
from kschedctl.reports.explain.model import Explanation, NodeReport
from kschedctl.reports.explain.reasons import natural_key
from kschedctl.reports.least import least_of
from kschedctl.reports.rooms.build import rooms_of
from kschedctl.reports.rooms.fragmentation import fragmentation_of
from kschedctl.reports.simulate.build import pending_groups
from kschedctl.reports.simulate.load_build import closed_nodes, load_changes
from kschedctl.whatif.fleet.consolidation import ConsolidationWish, Removal, ShrunkCluster
from kschedctl.whatif.fleet.fixed_nodes import Held
from kschedctl.whatif.world.utilization import PODS, POOL_KEYS, ZONE_KEYS


def consolidation_report(
    shrunk: ShrunkCluster,
    wish: ConsolidationWish,
    head: ReportHead,
    *,
    path: str | None,
    priced: bool,
    changes: Sequence[str],
) -> Consolidation:
    """The report.

    Args:
        shrunk: the cluster with fewer nodes.
        wish: what was wanted.
        head: what the report begins with.
        path: of the catalogue; None: there is none.
        priced: whether it has prices.
        changes: the changes before, in words.
    """
    found, after = shrunk.found, shrunk.after
    moved = [one.pod.full_name for removal in shrunk.removed for one in removal.moved]
    saved = accumulate(removal.price for removal in shrunk.removed)
    rooms = rooms_of(shrunk.before, after, shrunk.session.cluster)
    return Consolidation(
        scheduler=head.scheduler,
        cluster=head.cluster,
        changes=list(changes),
        catalogue=path,
        headroom=[str(kept) for kept in wish.headroom],
        survives={"nodes": wish.survival.nodes, "zones": wish.survival.zones},
        possible=bool(shrunk.removed),
        priced=priced,
        total=found.session.cluster.nodes.count,
        cost=round(shrunk.cost, 6),
        cost_after=round(shrunk.cost - shrunk.saved, 6),
        bound=least_of(shrunk.bound, priced=priced),
        nodes=[_removed(one, total) for one, total in zip(shrunk.removed, saved, strict=True)],
        stays=_staying(shrunk),
        given_back=_given_back(shrunk),
        rounds=len(shrunk.drains),
        moved=len(set(moved)),
        moves=len(moved),
        waves=sum(drained.waves for drained in shrunk.drains),
        seconds=sum(drained.seconds for drained in shrunk.drains),
        failed=list(shrunk.failed),
        lacking=pending_groups(shrunk.lacking),
        pending=pending_groups(task for task in found.tasks if task not in shrunk.lacking),
        load=load_changes(shrunk.before, after),
        not_counted=closed_nodes(shrunk.before, after),
        rooms=rooms,
        fragmentation=fragmentation_of(rooms, shrunk.session.cluster),
        trials=shrunk.walks,
        all_tried=shrunk.all_tried,
    )


def _removed(removal: Removal, saved: float) -> RemovedNode:
    moved = removal.moved
    going = Counter(one.task.node for one in moved if one.task is not None and one.task.node is not None)
    return RemovedNode(
        name=removal.node.name,
        shape=None if removal.shape is None else removal.shape.name,
        zone=removal.node.metadata.first_label(ZONE_KEYS),
        pool=removal.node.metadata.first_label(POOL_KEYS),
        round=removal.round,
        price_per_hour=removal.price,
        saved=round(saved, 6),
        pods=len(moved),
        waves=len({one.wave for one in moved}),
        waited_for=list(dict.fromkeys(budget.name for one in moved for budget in one.waited_for)),
        destinations=dict(sorted(going.items(), key=lambda item: (-item[1], natural_key(item[0])))),
    )


def _staying(shrunk: ShrunkCluster) -> list[StayingNodes]:
    groups: dict[tuple[str, str], list[tuple[str, Held]]] = {}
    for name, held in sorted(shrunk.held.items(), key=lambda item: natural_key(item[0])):
        groups.setdefault((held.hold.value, _why(held, name)), []).append((name, held))
    found = [
        StayingNodes(
            hold=held[0][1].hold.value,
            text=text,
            nodes=[name for name, _ in held],
            pods=[pod for _, one in held for pod in one.pods],
        )
        for (_, text), held in groups.items()
    ]
    return sorted(found, key=lambda group: -len(group.nodes))


def _why(held: Held, own: str) -> str:
    """The reason, with what most of the other nodes have against the first pod that finds none."""
    inspected = held.inspected
    nodes = inspected.nodes if isinstance(inspected, Explanation) else []
    told = Counter(text for node in nodes if node.name != own for text in _obstacles(node))
    return f"{held.text}: {told.most_common(1)[0][0]}" if told else held.text


def _obstacles(node: NodeReport) -> Iterator[str]:
    """What a node has against a pod, without amounts."""
    for failure in node.all_failures:
        yield from (
            f"too little {detail.subject}" if detail.needs is not None else detail.text
            for detail in failure.details
        )
        if not failure.details:
            yield from failure.reasons


def _given_back(shrunk: ShrunkCluster) -> dict[str, int]:
    totals: Counter[str] = Counter()
    for removal in shrunk.removed:
        for name, raw in default_node(removal.node).status.allocatable.items():
            if name != PODS:
                totals[name] += parse(raw).milli_value() if name == "cpu" else parse(raw).value()
    return {name: total for name, total in totals.items() if total}
