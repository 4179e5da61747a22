"""The report on a drain: who is evicted in which wave, where everything goes, what holds it up."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import field
from msgspec.structs import replace

from kschedctl.reports.model import API_VERSION, ClusterSummary, ReportObject, SchedulerSummary, doc
from kschedctl.reports.rooms.fragmentation import UseOfRoom
from kschedctl.reports.rooms.model import NodeRooms
from kschedctl.reports.simulate.groups import GroupOfPods
from kschedctl.reports.simulate.model import (
    ClosedNode,
    EvictedVictim,
    NotCreatedGroup,
    PendingGroup,
    RefusedGroup,
    ResourceLoad,
    TimelineEvent,
)

TreatmentName = Literal["evict", "delete", "refuse", "daemon", "static", "finished", "ending"]


class DrainedPod(ReportObject, frozen=True):
    """A pod of a drained node."""

    namespace: Annotated[str, doc("Namespace.")]
    name: Annotated[str, doc("Name.")]
    workload: Annotated[str, doc("Kind/name of the workload at the top of its owners.")]
    node: Annotated[str, doc("The node it is on.")]
    treatment: Annotated[
        TreatmentName,
        doc(
            "evict: its controller makes it anew; delete: gone for good (--force); refuse: nothing controls it, so "
            "the drain does not begin without --force; daemon and static: stay; finished and ending: no matter."
        ),
    ]
    wave: Annotated[int | None, doc("The wave in which it is evicted, from 1; null: never.")]
    waited_for: Annotated[list[str], doc("Budgets that held it back before, or hold it for ever.")]
    placed_on: Annotated[str | None, doc("The node of the pod that takes its place; null: none.")]
    not_created: Annotated[
        bool, doc("Whether the pod that takes its place is not created before others are ready.")
    ]
    refused: Annotated[
        bool, doc("Whether the pod that takes its place names its node, and the kubelet there refuses it.")
    ]

    @property
    def full_name(self) -> str:
        """`namespace/name`."""
        return f"{self.namespace}/{self.name}"


SEVERAL_BUDGETS: Final = "more than one budget covers these pods, which the eviction API refuses"


class HeldByBudget(ReportObject, frozen=True):
    """A budget that lets no more pods go."""

    budget: Annotated[str, doc("namespace/name.")]
    pods: Annotated[list[str], doc("The pods that it holds.")]
    why: Annotated[str, doc("How it stands at the end, in a sentence.")]
    waits_for: Annotated[list[str], doc("Pods of the budget that find no node, for which it waits.")]


class WaitsForRemoval(ReportObject, frozen=True, kw_only=True):
    """A pod that finds no node as long as the drained nodes are there, empty as they are."""

    pod: Annotated[str, doc("namespace/name.")]
    node: Annotated[str, doc("Where it goes once they are deleted.")]
    topology_keys: Annotated[list[str], doc("Of the spread constraints for which they still count.")]
    avoided_by_honor: Annotated[
        bool, doc("Whether nodeTaintsPolicy: Honor in these constraints spares it the wait, as was tried.")
    ]


class Drain(ReportObject, frozen=True, kw_only=True):
    """Whether nodes can go."""

    api_version: Annotated[Literal["kschedctl.dev/v1alpha1"], doc("Version of this format.")] = API_VERSION
    kind: Annotated[Literal["Drain"], doc("What this is.")] = "Drain"
    scheduler: SchedulerSummary
    cluster: ClusterSummary
    changes: Annotated[list[str], doc("The changes before, in order.")]
    nodes: Annotated[list[str], doc("The drained nodes.")]
    possible: Annotated[bool, doc("Whether they become empty and every pod finds another node.")]
    effects: Annotated[
        Literal["in-flight", "immediate"],
        doc(
            "in-flight: victims terminate and count while the scheduler goes on; immediate: they are gone at once."
        ),
    ]
    waves: Annotated[int, doc("How many waves of evictions it takes.")]
    pods: Annotated[list[DrainedPod], doc("Every pod on the nodes, by node, namespace and name.")]
    deadlocks: Annotated[list[HeldByBudget], doc("Budgets that hold pods for ever.")]
    groups: Annotated[
        list[GroupOfPods], doc("PodGroups of pods that are placed anew; none where groups are not looked at.")
    ]
    pending: Annotated[list[PendingGroup], doc("Pods that find no other node, and why.")]
    waits_for_removal: Annotated[
        list[WaitsForRemoval], doc("Those of pending that fit once the drained nodes are deleted.")
    ]
    not_created: Annotated[
        list[NotCreatedGroup], doc("Pods that are not made anew, and what that waits for.")
    ]
    not_judged: Annotated[
        list[str], doc("Those of pending that might fit, were it not for kinds that could not be read.")
    ]
    returning: Annotated[
        list[str],
        doc(
            "Pods that come to a drained node all the same, since they tolerate the cordon or name the node."
        ),
    ]
    refused: Annotated[list[RefusedGroup], doc("Pods that name their node and are refused there, and why.")]
    evictions: Annotated[list[EvictedVictim], doc("Who is preempted, in order.")]
    load: Annotated[list[ResourceLoad], doc("By resource, before and after.")]
    not_counted: Annotated[list[ClosedNode], doc("Nodes that load leaves out, by name.")]
    rooms: NodeRooms = field(default_factory=list)
    fragmentation: UseOfRoom = None
    seconds: Annotated[float, doc("How long it takes until nothing moves any more, grace periods and all.")]
    timeline: Annotated[
        list[TimelineEvent] | None, doc("With --timeline: what happened, in order; null: not asked for.")
    ]

    @property
    def undecided(self) -> bool:
        """Whether it hangs on pods that could not be judged alone."""
        stopped = (
            self.deadlocks or self.not_created or self.refused or self.returning or self.treated("refuse")
        )
        return bool(self.not_judged) and not stopped and self.without_node == len(self.not_judged)

    @property
    def without_node(self) -> int:
        """Pods that find no other node, or of which that could not be judged."""
        return sum(group.count for group in self.pending)

    @property
    def evicted(self) -> list[DrainedPod]:
        """Pods that some wave evicts."""
        return [pod for pod in self.pods if pod.wave is not None]

    def treated(self, treatment: TreatmentName) -> list[DrainedPod]:
        """Pods of one treatment."""
        return [pod for pod in self.pods if pod.treatment == treatment]

    def brief(self) -> Drain:
        """The same without the room of every node."""
        return replace(self, rooms=[], fragmentation=None)
