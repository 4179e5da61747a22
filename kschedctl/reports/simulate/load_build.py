"""How full a cluster is before and after, and the nodes that do not count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from kschedctl.reports.simulate.model import ClosedNode, FullestNode, Load, LoadChange, ResourceLoad
from kschedctl.whatif.world.utilization import POOL_KEYS, ZONE_KEYS, Closed, ResourceUse, Utilization

FULLEST = 10


def load_changes(before: Utilization, after: Utilization) -> list[ResourceLoad]:
    """Every resource before and after, over the cluster, by zone and by pool."""
    total = (before.total(), after.total())
    zones = (before.by_label(ZONE_KEYS), after.by_label(ZONE_KEYS))
    pools = (before.by_label(POOL_KEYS), after.by_label(POOL_KEYS))
    names = [*after.resources, *(name for name in before.resources if name not in after.resources)]
    return [
        ResourceLoad(
            resource=name,
            before=_load(total[0].get(name)),
            after=_load(total[1].get(name)),
            fullest=_fullest(after, name),
            zones=_groups(zones, name),
            pools=_groups(pools, name),
        )
        for name in names
    ]


def closed_nodes(before: Utilization, after: Utilization) -> list[ClosedNode]:
    """Nodes that take no pods before or after, by name."""
    was, then = before.closed, after.closed
    return [
        ClosedNode(name=name, before=_why(was.get(name)), after=_why(then.get(name)))
        for name in sorted({*was, *then})
    ]


def _why(closed: Closed | None) -> Literal["cordoned", "not ready"] | None:
    return None if closed is None else closed.value


def _load(usage: ResourceUse | None) -> Load | None:
    return None if usage is None else Load(requested=usage.requested, allocatable=usage.allocatable)


def _groups(
    sides: tuple[Mapping[str, Mapping[str, ResourceUse]], Mapping[str, Mapping[str, ResourceUse]]],
    resource: str,
) -> dict[str, LoadChange]:
    before, after = sides
    changes = {
        name: LoadChange(
            before=_load(before.get(name, {}).get(resource)), after=_load(after.get(name, {}).get(resource))
        )
        for name in sorted({*before, *after})
    }
    return {name: change for name, change in changes.items() if change.before or change.after}


def _fullest(after: Utilization, resource: str) -> list[FullestNode]:
    shares = sorted(after.shares(resource).items(), key=lambda item: (-item[1], item[0]))
    return [FullestNode(node=node, share=round(share, 4)) for node, share in shares[:FULLEST]]
