"""The report on a consolidation: which nodes can go, in which order, what that saves, and why the others stay."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import field
from msgspec.structs import replace

from kschedctl.reports.model import API_VERSION, ClusterSummary, ReportObject, SchedulerSummary, doc
from kschedctl.reports.rooms.fragmentation import UseOfRoom
from kschedctl.reports.rooms.model import NodeRooms
from kschedctl.reports.simulate.model import ClosedNode, PendingGroup, ResourceLoad

HoldName = Literal[
    "asked",
    "control-plane",
    "annotation",
    "price",
    "bare-pod",
    "budget",
    "room",
    "return",
    "failure",
    "drain",
    "trials",
]


class RemovedNode(ReportObject, frozen=True):
    """A node that can go once those before it have gone."""

    name: Annotated[str, doc("Name of the node.")]
    shape: Annotated[str | None, doc("Its shape in the catalogue; null: there is no catalogue.")]
    zone: Annotated[str | None, doc("Its zone; null: it says none.")]
    pool: Annotated[str | None, doc("Its node pool or instance type, by its labels; null: they say none.")]
    round: Annotated[
        int,
        doc("The nodes of a round are cordoned together, once those of the rounds before have gone; from 1."),
    ]
    price_per_hour: Annotated[float, doc("What it costs; 1 where there are no prices.")]
    saved: Annotated[float, doc("What it and those before it cost, for an hour.")]
    pods: Annotated[int, doc("How many pods have to move.")]
    waves: Annotated[int, doc("How many waves of evictions it takes.")]
    waited_for: Annotated[list[str], doc("Disruption budgets that hold some of them back for a while.")]
    destinations: Annotated[dict[str, int], doc("Node -> how many of the pods go there.")]


class StayingNodes(ReportObject, frozen=True):
    """Nodes that stay for the same reason."""

    hold: Annotated[
        HoldName,
        doc(
            "asked: --keep; control-plane; annotation: an autoscaler would leave it alone; price: not known; "
            "bare-pod: nothing controls a pod there; budget: one lets a pod never go; room: its pods find no other "
            "node; return: its pods tolerate the cordon; failure: it is needed when something fails; drain: its "
            "drain gets stuck though there is room; trials: the search was cut off."
        ),
    ]
    text: Annotated[str, doc("The reason in a sentence.")]
    nodes: Annotated[list[str], doc("The nodes.")]
    pods: Annotated[list[str], doc("The pods that it is about.")]


class Consolidation(ReportObject, frozen=True, kw_only=True):
    """Which nodes can go."""

    api_version: Annotated[Literal["kschedctl.dev/v1alpha1"], doc("Version of this format.")] = API_VERSION
    kind: Annotated[Literal["Consolidation"], doc("What this is.")] = "Consolidation"
    scheduler: SchedulerSummary
    cluster: ClusterSummary
    changes: Annotated[list[str], doc("The changes before, in order.")]
    catalogue: Annotated[str | None, doc("The file with the prices; null: none was given.")]
    headroom: Annotated[list[str], doc("What is kept free on every node.")]
    survives: Annotated[dict[str, int], doc("nodes and zones -> so many may fail at once in the end.")]
    possible: Annotated[bool, doc("Whether any node can go.")]
    priced: Annotated[bool, doc("Whether there are prices; else the number of nodes is the cost.")]
    total: Annotated[int, doc("How many nodes there are.")]
    cost: Annotated[float, doc("Of all nodes, for an hour.")]
    cost_after: Annotated[float, doc("Of those that stay.")]
    bound: Annotated[
        float | None, doc("Whatever goes, what stays costs no less; null: that could not be worked out.")
    ]
    nodes: Annotated[
        list[RemovedNode],
        doc(
            "The nodes that can go, in order: those of a round are cordoned, then drained one after the other."
        ),
    ]
    stays: Annotated[list[StayingNodes], doc("Why the others stay, most nodes first.")]
    given_back: Annotated[
        dict[str, int],
        doc(
            "Resource -> what the nodes that go could allocate, as the scheduler counts: thousandths of a cpu."
        ),
    ]
    rounds: Annotated[int, doc("How many rounds there are.")]
    moved: Annotated[int, doc("How many pods have to move.")]
    moves: Annotated[int, doc("How often pods move; those that go to a node of a later round move again.")]
    waves: Annotated[int, doc("How many waves of evictions it takes.")]
    seconds: Annotated[float, doc("How long the drains take, grace periods and all.")]
    failed: Annotated[list[str], doc("What is not survived even with all nodes: then none goes.")]
    lacking: Annotated[
        list[PendingGroup], doc("Pods of manifests and changes without a node even with all: then none goes.")
    ]
    pending: Annotated[
        list[PendingGroup], doc("Pods of the cluster that find no node even with all nodes; they stay so.")
    ]
    load: Annotated[list[ResourceLoad], doc("By resource, before and after.")]
    not_counted: Annotated[list[ClosedNode], doc("Nodes that load leaves out, by name.")]
    rooms: NodeRooms = field(default_factory=list)
    fragmentation: UseOfRoom = None
    trials: Annotated[int, doc("How many ways through the nodes were tried.")]
    all_tried: Annotated[
        bool, doc("Whether the search came to its own end; else a better way is more likely.")
    ]

    def brief(self) -> Consolidation:
        """The same without the room of every node."""
        return replace(self, rooms=[], fragmentation=None)
