"""From a fleet to the report on a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kschedctl.reports.explain.build import ReportHead
from kschedctl.reports.least import least_of
from kschedctl.reports.plan.model import BoughtNodes, NodePlan, UselessShape
from kschedctl.reports.rooms.build import rooms_of
from kschedctl.reports.rooms.fragmentation import fragmentation_of
from kschedctl.reports.simulate.build import evicted_victim, pending_groups, workload_placements
from kschedctl.reports.simulate.load_build import closed_nodes, load_changes
from kschedctl.whatif.fleet.catalogue import Catalogue
from kschedctl.whatif.fleet.wish import Fleet, Wish
from kschedctl.whatif.world.utilization import ResourceUse

_CLOSE: Final = 0.02
"""Resources whose shares differ by less limit a shape together."""


def plan_report(
    fleet: Fleet,
    wish: Wish,
    catalogue: Catalogue,
    head: ReportHead,
    *,
    path: str,
    max_cost: float | None,
    changes: Sequence[str],
) -> NodePlan:
    """The report.

    Args:
        fleet: what is to be bought.
        wish: what it has to do.
        catalogue: the shapes.
        head: what the report begins with.
        path: of the catalogue.
        max_cost: what it may cost.
        changes: the changes before, in words.
    """
    found = fleet.found
    homeless = {task.name for task in fleet.homeless}
    rooms = rooms_of(found.before, found.after, found.session.cluster)
    return NodePlan(
        scheduler=head.scheduler,
        cluster=head.cluster,
        changes=list(changes),
        catalogue=path,
        headroom=[str(kept) for kept in wish.headroom],
        survives={"nodes": wish.survive_nodes, "zones": wish.survive_zones},
        possible=fleet.possible and (max_cost is None or fleet.cost <= max_cost),
        priced=catalogue.priced,
        cost=round(fleet.cost, 6),
        max_cost=max_cost,
        bound=least_of(fleet.bound, priced=catalogue.priced),
        nodes=_bought(fleet, catalogue),
        not_bought=[
            UselessShape(
                shape=catalogue.shapes[column.shape].name,
                zone=column.zone,
                price_per_hour=catalogue.shapes[column.shape].price,
            )
            for column, count in zip(fleet.columns, fleet.mix, strict=True)
            if not count
        ],
        pods=len(found.tasks),
        placed=sum(task.placed for task in found.tasks),
        failed=list(fleet.failed),
        homeless=pending_groups(fleet.homeless),
        pending=pending_groups(task for task in fleet.lacking if task.name not in homeless),
        workloads=workload_placements(found.tasks, {}),
        evictions=[evicted_victim(eviction) for eviction in found.evictions],
        load=load_changes(found.before, found.after),
        not_counted=closed_nodes(found.before, found.after),
        rooms=rooms,
        fragmentation=fragmentation_of(rooms, found.session.cluster, found.tasks),
        trials=fleet.trials,
        all_tried=fleet.all_tried,
    )


def _bought(fleet: Fleet, catalogue: Catalogue) -> list[BoughtNodes]:
    old = {node.name for node in fleet.found.before.nodes}
    by_node = {name: use for name, use in fleet.found.after.by_node().items() if name not in old}
    bought = []
    for column, count in zip(fleet.columns, fleet.mix, strict=True):
        if not count:
            continue
        shape = catalogue.shapes[column.shape]
        base = shape.bought(column.zone, count).name
        mine = [use for name, use in by_node.items() if name == base or name.startswith(f"{base}-new-")]
        shares = _shares(mine)
        fullest = max(shares.values(), default=0.0)
        full = [name for name, share in shares.items() if share >= fullest - _CLOSE]
        bought.append(
            BoughtNodes(
                shape=shape.name,
                zone=column.zone,
                count=count,
                price_per_hour=shape.price,
                cost=round(shape.price * count, 6),
                pods=sum(use["pods"].requested for use in mine),
                full=full,
                stranded={name: round(1 - share, 4) for name, share in shares.items() if name not in full},
            )
        )
    return bought


def _shares(nodes: Sequence[Mapping[str, ResourceUse]]) -> dict[str, float]:
    """Resource -> the share in use on some nodes, of resources that they have."""
    names = [name for name in (nodes[0] if nodes else ()) if any(use[name].allocatable for use in nodes)]
    return {
        name: ResourceUse(
            sum(use[name].requested for use in nodes), sum(use[name].allocatable for use in nodes)
        ).share
        for name in names
    }
