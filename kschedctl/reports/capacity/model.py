"""The report on capacity: how many more fit, what limits each node, how many nodes a target lacks."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import field
from msgspec.structs import replace

from kschedctl.reports.explain.model import ReasonGroup
from kschedctl.reports.model import API_VERSION, ClusterSummary, ReportObject, SchedulerSummary, doc
from kschedctl.reports.rooms.fragmentation import UseOfRoom
from kschedctl.reports.rooms.model import NodeRooms
from kschedctl.reports.simulate.model import ClosedNode, ResourceLoad


class AskedPod(ReportObject, frozen=True):
    """A kind of pod of which more are wanted."""

    source: Annotated[str, doc("Kind/name of the pod or workload.")]
    share: Annotated[int, doc("How many of them make up one set.")]
    fits: Annotated[int, doc("How many more fit, in whole sets.")]


class NodeCapacity(ReportObject, frozen=True):
    """How many more a node takes."""

    name: Annotated[str, doc("Name of the node.")]
    fits: Annotated[list[int], doc("How many of each kind it gets, in the order of pods.")]
    limits: Annotated[
        list[str], doc("What then keeps the next pod away; empty where a limit ended the count.")
    ]

    @property
    def total(self) -> int:
        """Pods of all kinds."""
        return sum(self.fits)


class Target(ReportObject, frozen=True):
    """A number of sets that is to fit."""

    wanted: Annotated[int, doc("The number.")]
    missing: Annotated[int, doc("How many of them do not fit now.")]
    shapes: Annotated[list[str], doc("The kinds of nodes that are to be added, in turn.")]
    nodes: Annotated[
        int | None,
        doc(
            "How many of them are needed: with one less it does not fit; null: not asked, or no number helps."
        ),
    ]
    tried: Annotated[int, doc("The largest number that was tried.")]
    reasons: Annotated[list[ReasonGroup], doc("Why no number helps.")]


class DaemonsFirst(ReportObject, frozen=True):
    """A daemon set whose pods take their part of the nodes before others come."""

    workload: Annotated[str, doc("Kind/name of the daemon set.")]
    placed: Annotated[int, doc("On so many nodes it runs.")]
    wanted: Annotated[int, doc("So many nodes are to have it.")]


class Capacity(ReportObject, frozen=True, kw_only=True):
    """How many more pods fit."""

    api_version: Annotated[Literal["kschedctl.dev/v1alpha1"], doc("Version of this format.")] = API_VERSION
    kind: Annotated[Literal["Capacity"], doc("What this is.")] = "Capacity"
    scheduler: SchedulerSummary
    cluster: ClusterSummary
    changes: Annotated[list[str], doc("The changes before, in order.")]
    headroom: Annotated[list[str], doc("What is kept free on every node.")]
    pods: Annotated[list[AskedPod], doc("The kinds of pods.")]
    sets: Annotated[int, doc("How many whole sets fit; with one kind of share 1: how many pods.")]
    limit: Annotated[int | None, doc("The limit that ended the count; null: the cluster did.")]
    blocking: Annotated[str | None, doc("The kind that finds no node first; null: a limit ended the count.")]
    message: Annotated[str, doc("Why the next one finds no node: the event, or why it is gated.")]
    reasons: Annotated[list[ReasonGroup], doc("What keeps the next one away, most nodes first.")]
    nodes: Annotated[list[NodeCapacity], doc("Every node, those that take most first.")]
    daemons: Annotated[list[DaemonsFirst], doc("Daemon sets of the manifests, whose pods were placed first.")]
    left_out: Annotated[int, doc("Pods that are pending in the cluster and were not placed before.")]
    target: Annotated[Target | None, doc("null: none was given.")]
    group: Annotated[
        str | None,
        doc(
            "The PodGroup whose like every set is, with its namespace: all its pods are placed at once or none; "
            "null: a set is no group."
        ),
    ]
    load: Annotated[list[ResourceLoad], doc("By resource, before and with all that fits.")]
    not_counted: Annotated[list[ClosedNode], doc("Nodes that load leaves out, by name.")]
    rooms: NodeRooms = field(default_factory=list)
    fragmentation: UseOfRoom = None

    def brief(self) -> Capacity:
        """The same without the room of every node."""
        return replace(self, rooms=[], fragmentation=None)
