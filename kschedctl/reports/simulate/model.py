"""The report on a simulation: where many pods go, who stays pending, who is evicted, how full it becomes."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import field
from msgspec.structs import replace

from kschedctl.reports.explain.model import Explanation, OutcomeName, ReasonGroup
from kschedctl.reports.model import (
    API_VERSION,
    ClusterSummary,
    ReportObject,
    SchedulerSummary,
    SourcePlace,
    doc,
)
from kschedctl.reports.rooms.fragmentation import UseOfRoom
from kschedctl.reports.rooms.model import NodeRooms
from kschedctl.reports.simulate.allocation import AllocationSample
from kschedctl.reports.simulate.groups import GroupOfPods
from kschedctl.reports.suggest.model import SuggestionReport

PlacementOutcome = OutcomeName | Literal["NotCreated", "Refused"]
OriginName = Literal["pending", "new", "displaced", "preempted", "daemon"]


class PodPlacement(ReportObject, frozen=True):
    """A pod that was to be scheduled."""

    namespace: Annotated[str, doc("Namespace.")]
    name: Annotated[str, doc("Name; made up where a controller makes it up.")]
    workload: Annotated[str, doc("Kind/name of the workload at the top of its owners.")]
    origin: Annotated[
        OriginName,
        doc(
            "pending: it waits in the cluster; new: a manifest or change asks for it; displaced: its controller "
            "makes it anew, since a change took its node; preempted: the same, since another pod took its place; "
            "daemon: it belongs to a node that is added, or whose labels or taints have changed."
        ),
    ]
    priority: Annotated[int | None, doc("Priority after admission; null for a refused pod.")]
    outcome: Annotated[
        PlacementOutcome,
        doc(
            "How its last decision ended; NotCreated: its controller waits for another pod to be ready; Refused: it "
            "names its node, and the kubelet there refuses it."
        ),
    ]
    node: Annotated[str | None, doc("The node it is placed on.")]
    came_from: Annotated[str | None, doc("The node it was on before; null: none.")]
    message: Annotated[
        str,
        doc("Why it is not placed: the event, why it is gated or refused, or what its creation waits for."),
    ]
    evicts: Annotated[list[str], doc("Pods that it preempts, as namespace/name.")]
    detail: Annotated[
        Explanation | None,
        doc("With --detail: verdicts and scores of its last decision, as the cluster was then."),
    ]


class WorkloadPlacement(ReportObject, frozen=True):
    """The pods of one workload."""

    kind: Annotated[str, doc("Kind; Pod for a pod that nothing controls.")]
    namespace: Annotated[str, doc("Namespace.")]
    name: Annotated[str, doc("Name.")]
    source: Annotated[SourcePlace | None, doc("Where it was read; null: it is in the cluster.")]
    wanted: Annotated[int, doc("Pods that were to be scheduled.")]
    placed: Annotated[int, doc("Those that are on a node.")]
    pending: Annotated[int, doc("Those that are there, and on none.")]
    not_created: Annotated[int, doc("Those that their controller does not create.")]
    refused: Annotated[int, doc("Those that name their node, and that the kubelet there refuses.")]
    nodes: Annotated[dict[str, int], doc("Node -> how many of them it got.")]

    @property
    def title(self) -> str:
        """`Kind/name`, the namespace in front where it is not `default`."""
        plain = f"{self.kind}/{self.name}"
        return plain if self.namespace == "default" else f"{self.namespace}/{plain}"


class CountedPods(ReportObject, frozen=True):
    """Pods of which the same is to be said."""

    pods: Annotated[list[str], doc("Their names.")]
    counted: Annotated[
        int, doc("How many more there are of them, without a name: equal pods that no node can hold either.")
    ]

    @property
    def count(self) -> int:
        """How many they are."""
        return len(self.pods) + self.counted


class PendingGroup(CountedPods, frozen=True):
    """Pods of a workload that stay pending for the same reasons, or of several of a kind and namespace."""

    workload: Annotated[str, doc("Kind/name of the workload, the first of several.")]
    workloads: Annotated[int, doc("How many workloads; a pod that nothing controls is one by itself.")]
    outcome: Annotated[OutcomeName, doc("How their last decision ended.")]
    message: Annotated[str, doc("The event, or why they are gated or refused.")]
    reasons: Annotated[list[ReasonGroup], doc("Why nodes are rejected, most nodes first.")]
    suggestions: Annotated[
        list[SuggestionReport],
        doc("What would make one of them fit, as the cluster is at the end; of the first groups alone."),
    ]


class NotCreatedGroup(CountedPods, frozen=True):
    """Members of a stateful set that its controller does not create, since those before them are not ready."""

    workload: Annotated[str, doc("Kind/name of the workload.")]
    waits_for: Annotated[str, doc("What has to be ready, or to have room, before.")]


class RefusedGroup(CountedPods, frozen=True):
    """Pods that name their node, which are bound as they are made and Failed as soon as its kubelet sees them."""

    workload: Annotated[str, doc("Kind/name of the workload.")]
    node: Annotated[str, doc("The node that they name.")]
    reason: Annotated[str, doc("As in the status of the pods: OutOfcpu, NodeAffinity and so on.")]
    message: Annotated[str, doc("What is behind it.")]
    controller: Annotated[
        str | None, doc("Kind of the controller that makes others in their place; null: none.")
    ]


class EvictedVictim(ReportObject, frozen=True):
    """A pod that preemption takes off its node."""

    pod: Annotated[str, doc("namespace/name.")]
    workload: Annotated[str, doc("Kind/name of its workload.")]
    priority: Annotated[int, doc("Priority.")]
    node: Annotated[str, doc("The node it was on.")]
    by: Annotated[str, doc("The pod that takes its place.")]
    recreated: Annotated[bool, doc("Whether its controller makes it anew.")]
    rolled: Annotated[
        bool, doc("Whether a rolling update was to replace it, and so makes it anew in the new form.")
    ]
    placed_on: Annotated[
        str | None, doc("The node of the pod made anew; null: it stays pending, or is gone.")
    ]
    other_scheduler: Annotated[
        str | None, doc("The scheduler that places the pod made anew, where it is none of the profiles.")
    ] = None


class RemovedPod(ReportObject, frozen=True):
    """A pod that goes since fewer are wanted of its workload, or none."""

    pod: Annotated[str, doc("namespace/name.")]
    workload: Annotated[str, doc("Kind/name of its workload.")]
    node: Annotated[str | None, doc("The node that it leaves; null: it was pending.")]


class Rollout(ReportObject, frozen=True):
    """A rolling update."""

    workload: Annotated[str, doc("Kind/name of the workload.")]
    steps: Annotated[int, doc("How many steps it took, or took until it was stuck.")]
    updated: Annotated[int, doc("New pods that are placed.")]
    old: Annotated[int, doc("Old pods that are still there.")]
    stuck: Annotated[str, doc("Why it cannot go on; empty: it is done.")]
    kept: Annotated[str, doc("Why old pods stay although it is done; empty: none do.")]


class Load(ReportObject, frozen=True):
    """How much of a resource is in use."""

    requested: Annotated[int, doc("Sum of the requests: cpu in milli, memory in bytes, others as counts.")]
    allocatable: Annotated[int, doc("What the nodes that take pods have, in the same unit.")]

    @property
    def share(self) -> float:
        """The part in use."""
        return self.requested / self.allocatable if self.allocatable else 0.0


class LoadChange(ReportObject, frozen=True):
    """A resource before and after."""

    before: Annotated[Load | None, doc("As loaded; null: there was no such group of nodes.")]
    after: Annotated[Load | None, doc("At the end; null: there is no such group of nodes any more.")]


class FullestNode(ReportObject, frozen=True):
    """The node with the least room."""

    node: Annotated[str, doc("Name.")]
    share: Annotated[float, doc("The part of the resource in use, 1 is all.")]


class ResourceLoad(ReportObject, frozen=True):
    """One resource over the nodes that take pods; the fullest are of all nodes."""

    resource: Annotated[str, doc("Name; pods is the number of pods.")]
    before: Annotated[Load | None, doc("As loaded; null: no node had it.")]
    after: Annotated[Load | None, doc("At the end; null: no node has it.")]
    fullest: Annotated[list[FullestNode], doc("The fullest nodes at the end, at most ten.")]
    zones: Annotated[dict[str, LoadChange], doc("By zone.")]
    pools: Annotated[
        dict[str, LoadChange], doc("By node pool, or by instance type where nodes have no pool.")
    ]


class ClosedNode(ReportObject, frozen=True):
    """A node that takes no pods: load counts neither its room nor the pods on it."""

    name: Annotated[str, doc("Name.")]
    before: Annotated[Literal["cordoned", "not ready"] | None, doc("Why, as loaded; null: it takes pods.")]
    after: Annotated[Literal["cordoned", "not ready"] | None, doc("Why, at the end; null: it takes pods.")]


EventName = Literal[
    "Queued", "Gated", "WaitingOnPermit", "Scheduled", "FailedScheduling", "Preempted", "Nominated", "Gone"
]


class TimelineEvent(ReportObject, frozen=True):
    """Something that happened to a pod."""

    at: Annotated[float, doc("Seconds since the beginning.")]
    event: Annotated[
        EventName,
        doc(
            "Queued: it came to the queue, for the first time or again; Gated: a plugin keeps it out; "
            "WaitingOnPermit: a node is reserved for it, and plugins let it wait; Scheduled: it is bound; "
            "FailedScheduling; Preempted: its deletion began; Nominated: a node is kept for it, or no more; Gone: it "
            "has ended."
        ),
    ]
    pod: Annotated[str, doc("namespace/name; what takes the place of a pod that is still there is numbered.")]
    node: Annotated[str | None, doc("The node it is about; empty: none is kept any more; null: about none.")]
    message: Annotated[str, doc("Of a failure: its event.")]
    plugins: Annotated[list[str], doc("Those that rejected the pod, or keep it out of the queue.")]
    queue: Annotated[
        str, doc("Where it waits then: Active, Backoff or Unschedulable; empty: not in the queue.")
    ]
    by: Annotated[str, doc("The event that brought it to the queue, or its preemptor.")]


class PriorityWaits(ReportObject, frozen=True):
    """How long pods of a priority waited for their node; in seconds, null where none got one."""

    priority: Annotated[int, doc("Priority.")]
    pods: Annotated[int, doc("Pods that came.")]
    scheduled: Annotated[int, doc("Those that got a node.")]
    median: Annotated[float | None, doc("The median of their waits.")]
    p90: Annotated[float | None, doc("Nine of ten waited no longer.")]
    p99: Annotated[float | None, doc("99 of 100 waited no longer.")]
    longest: Annotated[float | None, doc("The longest wait.")]
    most_attempts: Annotated[int, doc("How often the pod was tried that was tried most.")]


class QueueSample(ReportObject, frozen=True):
    """How long the queue was once nothing was left to do at an instant."""

    at: Annotated[float, doc("Seconds since the beginning.")]
    backoff: Annotated[int, doc("Pods that backed off.")]
    unschedulable: Annotated[int, doc("Pods that waited for something to happen.")]
    gated: Annotated[int, doc("Pods that a plugin kept out of the queue.")]


class QueuedPodReport(ReportObject, frozen=True):
    """A pod that waits at the end."""

    pod: Annotated[str, doc("namespace/name.")]
    queue: Annotated[Literal["Active", "Backoff", "Unschedulable", "Gated"], doc("Where it waits.")]
    plugins: Annotated[list[str], doc("Those that rejected it, or keep it out; empty: an error.")]
    wakes: Annotated[list[str], doc("What would get it tried again; empty: it is tried anyway.")]


class QueueReport(ReportObject, frozen=True):
    """A replay of the queue."""

    seconds: Annotated[float, doc("How long it went on.")]
    arrived: Annotated[int, doc("Pods that came to the queue.")]
    attempts: Annotated[int, doc("How often pods were tried, all together.")]
    waits: Annotated[list[PriorityWaits], doc("By priority, the highest first.")]
    lengths: Annotated[list[QueueSample], doc("The length over time, at most 500 samples.")]
    most_backing_off: Annotated[int, doc("Most pods that backed off at once.")]
    most_unschedulable: Annotated[int, doc("Most pods that waited at once for something to happen.")]
    waiting: Annotated[list[QueuedPodReport], doc("Who waits at the end.")]
    to_come: Annotated[int, doc("Changes and ends of pods that were still to come.")]


class Simulation(ReportObject, frozen=True, kw_only=True):
    """What happens to many pods."""

    api_version: Annotated[Literal["kschedctl.dev/v1alpha1"], doc("Version of this format.")] = API_VERSION
    kind: Annotated[Literal["Simulation"], doc("What this is.")] = "Simulation"
    scheduler: SchedulerSummary
    cluster: ClusterSummary
    changes: Annotated[list[str], doc("The changes, in the order in which they were applied.")]
    rollout: Annotated[str, doc("What happened to running pods of workloads that manifests replace.")]
    wanted: Annotated[int, doc("Pods that were to be scheduled.")]
    placed: Annotated[int, doc("Those that are on a node.")]
    failed: Annotated[int, doc("Those that the API server refuses, or on which a plugin fails.")]
    effects: Annotated[
        Literal["in-flight", "immediate"],
        doc(
            "in-flight: victims terminate and count while the scheduler goes on; immediate: they are gone at once."
        ),
    ]
    order: Annotated[str, doc("In which order pods came to the queue.")]
    seconds: Annotated[float, doc("How long it takes until nothing moves any more, grace periods and all.")]
    passes: Annotated[int, doc("How often the queue was gone through.")]
    workloads: Annotated[list[WorkloadPlacement], doc("By workload, in order of arrival.")]
    groups: Annotated[
        list[GroupOfPods], doc("PodGroups, in order of arrival; none where groups are not looked at.")
    ]
    pending: Annotated[list[PendingGroup], doc("Who stays pending, and why.")]
    not_created: Annotated[list[NotCreatedGroup], doc("Who is not created, and what that waits for.")]
    refused: Annotated[list[RefusedGroup], doc("Who is refused by a kubelet, and why.")]
    not_judged: Annotated[
        list[str], doc("Those of pending that might fit, were it not for kinds that could not be read.")
    ]
    evictions: Annotated[list[EvictedVictim], doc("Who is preempted, in order.")]
    removed: Annotated[
        list[RemovedPod], doc("Pods that go since fewer are wanted of their workloads, or none, in order.")
    ]
    lost: Annotated[list[str], doc("Pods that changes take away and that nothing brings back.")]
    rollouts: Annotated[list[Rollout], doc("Rolling updates, in order.")]
    load: Annotated[list[ResourceLoad], doc("By resource, before and after.")]
    not_counted: Annotated[list[ClosedNode], doc("Nodes that load leaves out, by name.")]
    rooms: NodeRooms = field(default_factory=list)
    fragmentation: UseOfRoom = None
    allocation: Annotated[
        list[AllocationSample],
        doc("How the room fills as pods arrive, at most 201 samples; none of fewer than 20 pods."),
    ] = field(default_factory=list)
    pods: Annotated[list[PodPlacement], doc("Every pod that was to be scheduled, in order of arrival.")]
    queue: Annotated[QueueReport | None, doc("With --queue replay: how the queue went; null: not asked for.")]
    timeline: Annotated[
        list[TimelineEvent] | None, doc("With --timeline: what happened, in order; null: not asked for.")
    ]
    notes: Annotated[list[str], doc("What a person should know of the changes.")]

    @property
    def left(self) -> int:
        """Pods without a node."""
        return self.wanted - self.placed

    @property
    def undecided(self) -> bool:
        """Whether it hangs on pods that could not be judged alone."""
        counted = sum(group.counted for group in (*self.pending, *self.not_created, *self.refused))
        return bool(self.not_judged) and self.left - counted == len(self.not_judged)

    @property
    def fits(self) -> bool:
        """Whether everything is placed and every rolling update done."""
        return not self.left and not any(update.stuck for update in self.rollouts)

    def brief(self) -> Simulation:
        """The same without the room of every node."""
        return replace(self, rooms=[], fragmentation=None)
