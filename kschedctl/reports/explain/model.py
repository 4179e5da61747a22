"""The report on one pod: where it goes and why, or why nowhere, node by node."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import field
from msgspec.structs import replace

from kschedctl.reports.explain.background import BackgroundReport
from kschedctl.reports.explain.groups import GroupReport
from kschedctl.reports.explain.queue_state import QueueState
from kschedctl.reports.explain.stories import NodeStory
from kschedctl.reports.model import (
    API_VERSION,
    ClusterSummary,
    Code,
    PodSummary,
    ReportObject,
    SchedulerSummary,
    doc,
)
from kschedctl.reports.rooms.model import NodeRoom
from kschedctl.reports.suggest.model import SuggestionReport

OutcomeName = Literal["Scheduled", "Unschedulable", "Gated", "Error", "Invalid", "NoProfile", "Terminating"]


class FailureDetail(ReportObject, frozen=True, kw_only=True):
    """The object and the numbers behind one reason on one node."""

    reason: Annotated[str, doc("The reason of kube-scheduler that this explains.")]
    subject: Annotated[str, doc("What decides; equal on nodes that are alike.")]
    text: Annotated[str, doc("A sentence for this node.")]
    needs: Annotated[int | None, doc("For amounts: what the pod asks for (cpu in milli, bytes, or a count).")]
    free: Annotated[int | None, doc("For amounts: what is left on the node.")]
    total: Annotated[int | None, doc("For amounts: what the node has in all.")]


class NodeVerdict(ReportObject, frozen=True, kw_only=True):
    """What kube-scheduler reports for a node: the first plugin that rejects it."""

    plugin: Annotated[str, doc("The plugin; empty where kube-scheduler names none.")]
    code: Annotated[Code, doc("Unschedulable can be helped by preemption, the others cannot.")]
    reasons: Annotated[list[str], doc("Its reasons, in the words of kube-scheduler.")]


class Failure(ReportObject, frozen=True, kw_only=True):
    """One plugin that rejects a node, first or not."""

    plugin: Annotated[str, doc("The plugin; empty where kube-scheduler names none.")]
    code: Annotated[Code, doc("Unschedulable can be helped by preemption, the others cannot.")]
    reasons: Annotated[list[str], doc("Its reasons, in the words of kube-scheduler.")]
    details: Annotated[list[FailureDetail], doc("The objects and numbers behind the reasons.")]


class PluginScore(ReportObject, frozen=True, kw_only=True):
    """What one plugin gives a node."""

    raw: Annotated[int, doc("As the plugin counts.")]
    normalized: Annotated[int, doc("0 to 100.")]
    weight: Annotated[int, doc("The weight in the profile.")]
    weighted: Annotated[int, doc("normalized x weight: what counts in the total.")]


class NodeReport(ReportObject, frozen=True, kw_only=True):
    """What was found on one node."""

    name: Annotated[str, doc("Name of the node.")]
    feasible: Annotated[bool, doc("Whether every filter lets the pod pass.")]
    examined: Annotated[
        bool, doc("Whether the filters were asked; a search may end, or be narrowed, before.")
    ]
    status: Annotated[NodeVerdict | None, doc("What kube-scheduler reports; its event counts these alone.")]
    all_failures: Annotated[list[Failure], doc("Every plugin that rejects the node, for people.")]
    scores: Annotated[
        dict[str, PluginScore], doc("By plugin, in profile order; empty where nothing is scored.")
    ]
    total: Annotated[int | None, doc("Sum of the weighted scores.")]


class ReasonGroup(ReportObject, frozen=True, kw_only=True):
    """Nodes that are rejected for the same reason; a node may be in several groups."""

    plugin: Annotated[str, doc("The plugin; empty where kube-scheduler names none.")]
    text: Annotated[str, doc("The reason for all of these nodes, in a sentence.")]
    nodes: Annotated[list[str], doc("Their names, sorted as people count.")]


class ScoreGap(ReportObject, frozen=True, kw_only=True):
    """A plugin that tells two nodes apart."""

    plugin: Annotated[str, doc("The plugin.")]
    points: Annotated[int, doc("Weighted points of the selected node beyond those of the other.")]
    why: Annotated[str, doc("What the plugin saw; empty where there are no words for it.")]


class Comparison(ReportObject, frozen=True, kw_only=True):
    """The selected node against the next best."""

    selected: Annotated[str, doc("The selected node.")]
    runner_up: Annotated[str, doc("The node with the next highest total.")]
    gaps: Annotated[list[ScoreGap], doc("What counts for the selected node first.")]


class Ties(ReportObject, frozen=True, kw_only=True):
    """The nodes with the highest total, where there are several."""

    nodes: Annotated[list[str], doc("Sorted by name.")]
    random: Annotated[
        bool,
        doc(
            "Whether kube-scheduler may take any of them: 1.34 draws one; later versions go by an order of nodes that "
            "is another one after each start of the scheduler."
        ),
    ]
    chance: Annotated[float | None, doc("The chance of each of them where one is drawn.")]
    rule: Annotated[str, doc("How the selected node was chosen: upstream, first or random.")]


class Closest(ReportObject, frozen=True, kw_only=True):
    """The node that lacks least."""

    node: Annotated[str, doc("Its name.")]
    text: Annotated[str, doc("What it lacks, in a sentence.")]


class Holder(ReportObject, frozen=True, kw_only=True):
    """A running pod that holds some of what is short on a node."""

    node: Annotated[str, doc("The node.")]
    resource: Annotated[str, doc("The resource.")]
    pod: Annotated[str, doc("Namespace and name.")]
    amount: Annotated[int, doc("How much it holds (cpu in milli, bytes, or a count).")]
    priority: Annotated[int, doc("Its priority.")]
    owner: Annotated[str | None, doc("What controls it, as Kind/name; null: nothing.")]
    terminating: Annotated[bool, doc("Whether its deletion has begun: it holds the room until it is gone.")]
    terminating_seconds: Annotated[int | None, doc("Since when, in seconds; null: not known, or not so.")]
    stays: Annotated[bool, doc("Whether it belongs to its node, as daemons and static pods do.")]
    why: Annotated[str, doc("Why it counts for more than its containers ask for; empty: it does not.")]


RoomVerdict = Literal["LargerThanAnyNode", "NotTogether", "Fragmented", "Full", "FreeElsewhere"]


class Room(ReportObject, frozen=True, kw_only=True):
    """How much of a resource there is, of which some node has too little."""

    resource: Annotated[str, doc("The resource.")]
    needs: Annotated[int, doc("What the pod asks for (cpu in milli, bytes, or a count).")]
    nodes: Annotated[int, doc("Over how many nodes this counts: those that lack nothing else, else all.")]
    others: Annotated[int, doc("How many nodes are left out, since something else refuses them.")]
    verdict: Annotated[
        RoomVerdict,
        doc(
            "LargerThanAnyNode; NotTogether: no node has all that is asked for, even empty; Fragmented: enough is "
            "free in all, but in no piece large enough; Full: it is not; FreeElsewhere: a node has it, and lacks "
            "something else."
        ),
    ]
    largest_node: Annotated[int, doc("What the largest of these nodes has in all.")]
    free_in_all: Annotated[int, doc("What is free on all of them together.")]
    largest_free: Annotated[int, doc("The largest piece that is free.")]
    largest_free_on: Annotated[str, doc("Where.")]


class Event(ReportObject, frozen=True, kw_only=True):
    """The event that `kubectl describe` would show."""

    type: Annotated[Literal["Normal", "Warning"], doc("Type of the event.")]
    reason: Annotated[str, doc("Reason of the event.")]
    source: Annotated[str, doc("The scheduler that writes it.")]
    note: Annotated[str, doc("The text, cut to 1024 bytes as kube-scheduler cuts it.")]
    message: Annotated[str, doc("The whole text, as in the condition PodScheduled.")]

    @property
    def truncated(self) -> bool:
        """Whether the event holds less than the condition."""
        return self.note != self.message


class Victim(ReportObject, frozen=True, kw_only=True):
    """A pod that would be evicted."""

    namespace: Annotated[str, doc("Namespace.")]
    name: Annotated[str, doc("Name.")]
    priority: Annotated[int, doc("Priority.")]
    breaks_budget: Annotated[bool, doc("Whether its eviction violates a PodDisruptionBudget.")]


class PreemptionCandidate(ReportObject, frozen=True, kw_only=True):
    """A node on which evicting pods makes room."""

    node: Annotated[str, doc("Name of the node.")]
    victims: Annotated[list[Victim], doc("The most important first.")]
    pdb_violations: Annotated[int, doc("How many victims violate a budget.")]
    lost_by: Annotated[str | None, doc("The criterion by which it lost; null: it can be chosen.")]


class PreemptionFailure(ReportObject, frozen=True, kw_only=True):
    """A node that was tried and does not help even without its pods of lower priority."""

    node: Annotated[str, doc("Name of the node.")]
    plugin: Annotated[str, doc("The plugin that still rejects it; empty where there is no victim.")]
    code: Annotated[Code, doc("Its code.")]
    reasons: Annotated[list[str], doc("Its reasons.")]


class PreemptionReport(ReportObject, frozen=True, kw_only=True):
    """What preemption says where no node is feasible."""

    eligible: Annotated[bool, doc("Whether the pod may preempt at all.")]
    nominated: Annotated[str | None, doc("The node on which room is made.")]
    chosen: Annotated[list[str], doc("The nodes on which the choice can fall.")]
    candidates: Annotated[
        list[PreemptionCandidate], doc("Nodes on which eviction makes room; left out with -q.")
    ]
    failed: Annotated[list[PreemptionFailure], doc("Nodes that were tried in vain; left out with -q.")]
    message: Annotated[str, doc("What kube-scheduler says where no room is made.")]


class ReasonDifference(ReportObject, frozen=True):
    """A reason that the two count differently."""

    reason: Annotated[str, doc("The reason.")]
    written: Annotated[int, doc("Nodes that kube-scheduler counted.")]
    ours: Annotated[int, doc("Nodes that we count.")]


class EventComparison(ReportObject, frozen=True):
    """What kube-scheduler wrote about a pod, compared with our answer."""

    written: Annotated[str, doc("What kube-scheduler wrote last.")]
    ours: Annotated[str, doc("What it would write by our answer.")]
    same: Annotated[bool, doc("Whether the two are equal, as far as what was written reaches.")]
    nodes: Annotated[
        ReasonDifference | None, doc("The number of nodes, where it differs: the cluster has changed since.")
    ]
    reasons: Annotated[list[ReasonDifference], doc("Reasons that are counted differently.")]
    preemption_differs: Annotated[bool, doc("Whether the part about preemption differs.")]
    others: Annotated[
        list[str], doc("The equal pods about which kube-scheduler wrote something else than about this one.")
    ]


class FaultReport(ReportObject, frozen=True, kw_only=True):
    """A fault of kube-scheduler, which an exact answer repeats."""

    issue: Annotated[str, doc("Where it is told of.")]
    text: Annotated[str, doc("What happens.")]
    mended: Annotated[str, doc("The first release without it.")]


class Explanation(ReportObject, frozen=True, kw_only=True):
    """Where a pod goes and why; if nowhere, why not, node by node."""

    api_version: Annotated[Literal["kschedctl.dev/v1alpha1"], doc("Version of this format.")] = API_VERSION
    kind: Annotated[Literal["Explanation"], doc("What this is.")] = "Explanation"
    scheduler: SchedulerSummary
    cluster: ClusterSummary
    pod: PodSummary
    outcome: Annotated[OutcomeName, doc("How the decision ends.")]
    message: Annotated[str, doc("Why it was gated, refused, or failed; empty else.")]
    fault: Annotated[
        FaultReport | None,
        doc("The fault of kube-scheduler that decided; null: it decided as it is meant to."),
    ]
    group: Annotated[
        GroupReport | None, doc("The group with which the pod is scheduled; null: it is scheduled by itself.")
    ]
    problems: Annotated[list[str], doc("For outcome Invalid: everything the API server has against the pod.")]
    selected_node: Annotated[str | None, doc("The node that is taken.")]
    ties: Annotated[Ties | None, doc("Several nodes with the highest total.")]
    comparison: Annotated[Comparison | None, doc("Why not the next best node; null: none, or it is equal.")]
    feasible: Annotated[int, doc("Number of feasible nodes.")]
    scored: Annotated[
        bool, doc("Whether nodes were scored; kube-scheduler takes a single feasible one unscored.")
    ]
    nodes: Annotated[
        list[NodeReport],
        doc("Every node, in the order in which kube-scheduler looks at them; left out with -q."),
    ]
    reasons: Annotated[list[ReasonGroup], doc("Why nodes are rejected, most nodes first; from allFailures.")]
    background: Annotated[
        list[BackgroundReport], doc("What the answers of plugins rest on that look at other pods.")
    ]
    requests: Annotated[
        list[str],
        doc("Where requests come from that some node cannot meet and that no container states as they are."),
    ]
    closest: Annotated[Closest | None, doc("Where no node is feasible: the one that lacks least.")]
    holders: Annotated[
        list[Holder],
        doc("Who holds what is short on the nodes that are closest, the largest share of each first."),
    ]
    surprises: Annotated[
        list[str], doc("Facts that decide silently, or that decide nothing where they seem to.")
    ]
    room: Annotated[list[Room], doc("Whether there is room at all for what is short.")]
    advice: Annotated[
        str | None,
        doc("What can be done where the pod is refused before any node is looked at; null: unknown."),
    ]
    event: Annotated[Event | None, doc("The event; null: kube-scheduler writes none.")]
    written: Annotated[
        EventComparison | None,
        doc("What kube-scheduler itself wrote about the pod, beside our answer; null: nothing is known."),
    ] = None
    preemption: Annotated[PreemptionReport | None, doc("null: not asked.")]
    queue: Annotated[
        QueueState | None,
        doc("Where the pod waits, if it is pending in the cluster; null: it is not, or in no queue."),
    ] = None
    suggestions: Annotated[
        list[SuggestionReport],
        doc("What would make the pod fit, the cheapest first; empty where it fits, or nobody asked."),
    ]
    searched: Annotated[
        Literal["briefly", "fully"] | None, doc("How far suggestions were searched for; null: they were not.")
    ]

    stories: Annotated[list[NodeStory], doc("The nodes that were asked about, one by one.")]
    rooms: Annotated[
        list[NodeRoom],
        doc("The room of every node; left out with -q, and where all pending pods are asked about."),
    ] = field(default_factory=list)

    @property
    def scheduled(self) -> bool:
        """Whether the pod finds a node."""
        return self.outcome == "Scheduled"

    def brief(self) -> Explanation:
        """The same without nodes; their names stay in the groups of reasons."""
        found = self.preemption
        brief = None if found is None else replace(found, candidates=[], failed=[])
        return replace(self, nodes=[], preemption=brief, rooms=[])
