"""The report on a plan: which nodes to buy, what they cost, what nobody can do for less."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import field
from msgspec.structs import replace

from kschedctl.reports.model import API_VERSION, ClusterSummary, ReportObject, SchedulerSummary, doc
from kschedctl.reports.rooms.fragmentation import UseOfRoom
from kschedctl.reports.rooms.model import NodeRooms
from kschedctl.reports.simulate.model import (
    ClosedNode,
    EvictedVictim,
    PendingGroup,
    ResourceLoad,
    WorkloadPlacement,
)


class BoughtNodes(ReportObject, frozen=True):
    """Nodes of one shape in one zone."""

    shape: Annotated[str, doc("Name of the shape in the catalogue.")]
    zone: Annotated[str, doc("The zone; empty: that of its model.")]
    count: Annotated[int, doc("How many.")]
    price_per_hour: Annotated[float, doc("Of one; 1 where the catalogue has no prices.")]
    cost: Annotated[float, doc("Of all of them, for an hour.")]
    pods: Annotated[int, doc("How many pods they get, daemons included.")]
    full: Annotated[
        list[str], doc("Resources of which they have the least left, by share: what limits the shape.")
    ]
    stranded: Annotated[
        dict[str, float], doc("Resource -> the share that stays free on them, of the others.")
    ]


class UselessShape(ReportObject, frozen=True):
    """A shape that is not bought."""

    shape: Annotated[str, doc("Name of the shape in the catalogue.")]
    zone: Annotated[str, doc("The zone; empty: that of its model.")]
    price_per_hour: Annotated[float, doc("Of one.")]


class NodePlan(ReportObject, frozen=True, kw_only=True):
    """What is to be bought."""

    api_version: Annotated[Literal["kschedctl.dev/v1alpha1"], doc("Version of this format.")] = API_VERSION
    kind: Annotated[Literal["NodePlan"], doc("What this is.")] = "NodePlan"
    scheduler: SchedulerSummary
    cluster: ClusterSummary
    changes: Annotated[list[str], doc("The changes before, in order.")]
    catalogue: Annotated[str, doc("The file with the shapes.")]
    headroom: Annotated[list[str], doc("What is kept free on every node.")]
    survives: Annotated[dict[str, int], doc("nodes and zones -> so many may fail at once.")]
    possible: Annotated[
        bool, doc("Whether every pod finds a node, whatever of that fails, for what it may cost.")
    ]
    priced: Annotated[bool, doc("Whether the catalogue has prices; else the number of nodes is the cost.")]
    cost: Annotated[float, doc("Of everything bought, for an hour.")]
    max_cost: Annotated[float | None, doc("What it may cost; null: anything.")]
    bound: Annotated[
        float | None,
        doc("Nothing that takes these pods costs less; null: there are pods that no shape can take."),
    ]
    nodes: Annotated[list[BoughtNodes], doc("What to buy, in the order of the catalogue.")]
    not_bought: Annotated[list[UselessShape], doc("What is not needed, in the order of the catalogue.")]
    pods: Annotated[int, doc("How many pods were to be placed, daemons of new nodes included.")]
    placed: Annotated[int, doc("How many of them find a node.")]
    failed: Annotated[list[str], doc("The first nodes or zones whose failure leaves pods without a node.")]
    homeless: Annotated[list[PendingGroup], doc("Pods that no node, old or new, can ever take, and why.")]
    pending: Annotated[list[PendingGroup], doc("Other pods without a node, and why.")]
    workloads: Annotated[list[WorkloadPlacement], doc("Workloads and where their pods go.")]
    evictions: Annotated[list[EvictedVictim], doc("Who is preempted all the same, in order.")]
    load: Annotated[list[ResourceLoad], doc("By resource, before and with what is bought.")]
    not_counted: Annotated[list[ClosedNode], doc("Nodes that load leaves out, by name.")]
    rooms: NodeRooms = field(default_factory=list)
    fragmentation: UseOfRoom = None
    trials: Annotated[int, doc("How many mixes of nodes were simulated.")]
    all_tried: Annotated[
        bool, doc("Whether the search came to its own end; else a cheaper mix is more likely.")
    ]

    def brief(self) -> NodePlan:
        """The same without the room of every node."""
        return replace(self, rooms=[], fragmentation=None)
