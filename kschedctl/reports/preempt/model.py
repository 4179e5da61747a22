"""The report on a preemption: who has to go, on which node and why there, and what becomes of them."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import field
from msgspec.structs import replace

from kschedctl.reports.explain.groups import GroupReport
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

OutcomeName = Literal[
    "Scheduled",
    "Preempts",
    "Unschedulable",
    "Gated",
    "Error",
    "Invalid",
    "NoProfile",
    "Terminating",
]
FateName = Literal["Moves", "Preempts", "Pending", "Gone", "Leaving", "Static", "Unknown"]
HindranceName = Literal["NotHelpful", "NoVictims", "StillUnfit", "UnfitByEviction"]


class BudgetCharge(ReportObject, frozen=True):
    """A PodDisruptionBudget that covers a victim."""

    namespace: Annotated[str, doc("Namespace of the budget.")]
    name: Annotated[str, doc("Name of the budget.")]
    allowed: Annotated[int, doc("Its status.disruptionsAllowed.")]
    number: Annotated[
        int,
        doc(
            "Which eviction on this node it is for the budget, from 1, pods that are spared in the end "
            "included; 0: not counted, since the budget has the pod down as disrupted."
        ),
    ]
    violated: Annotated[bool, doc("Whether the budget allows fewer.")]


class EvictedPod(ReportObject, frozen=True):
    """A victim on the node that is chosen."""

    namespace: Annotated[str, doc("Namespace.")]
    name: Annotated[str, doc("Name.")]
    node: Annotated[str, doc("The node that it is on.")]
    priority: Annotated[int, doc("Priority.")]
    owner: Annotated[str | None, doc("Kind/name of the workload it belongs to; null: nothing controls it.")]
    daemon: Annotated[bool, doc("Whether a DaemonSet controls it: it comes back to this node or not at all.")]
    static: Annotated[bool, doc("Whether the kubelet runs it by itself: eviction does not end it.")]
    terminating: Annotated[bool, doc("Whether its deletion has begun before.")]
    start_time: Annotated[str | None, doc("Its status.startTime.")]
    age_seconds: Annotated[int | None, doc("How long it has run at the time of ageReference.")]
    breaks_budget: Annotated[bool, doc("Whether its eviction violates a budget.")]
    budgets: Annotated[list[BudgetCharge], doc("The budgets that cover it.")]

    @property
    def full_name(self) -> str:
        """`namespace/name`."""
        return f"{self.namespace}/{self.name}"


class Loss(ReportObject, frozen=True):
    """Why another node is taken."""

    criterion: Annotated[str, doc("The first criterion that tells the nodes apart.")]
    text: Annotated[str, doc("In what it is worse than the chosen one, shortly.")]


class CandidateNode(ReportObject, frozen=True):
    """A node on which evicting pods makes room."""

    node: Annotated[str, doc("Name of the node.")]
    victims: Annotated[list[str], doc("namespace/name, the most important first.")]
    pdb_violations: Annotated[int, doc("Victims that violate a budget: fewer is better.")]
    highest_priority: Annotated[int, doc("The highest priority among the victims: lower is better.")]
    priority_sum: Annotated[
        int,
        doc("Sum of their priorities; kube-scheduler adds 2147483648 for each, so that fewer is better."),
    ]
    start_time: Annotated[
        str | None,
        doc(
            "The earliest start among the victims of the highest priority: later is better; null: none known."
        ),
    ]
    lost: Annotated[Loss | None, doc("null: the choice can fall on it.")]


class NoCandidates(ReportObject, frozen=True):
    """Nodes on which evicting pods makes no room, for the same reason."""

    why: Annotated[
        HindranceName,
        doc(
            "NotHelpful: nothing that evicting pods changes; NoVictims: no pod of lower priority; "
            "StillUnfit: it does not fit even without them; UnfitByEviction: it needs one of them."
        ),
    ]
    plugin: Annotated[str, doc("The plugin that rejects the pod there; empty where there is no victim.")]
    code: Annotated[Code, doc("Its code.")]
    text: Annotated[str, doc("The reason for all of these nodes, in a sentence.")]
    nodes: Annotated[list[str], doc("Their names, sorted.")]


class Displaced(ReportObject, frozen=True):
    """A victim, what becomes of it, and whom the pod made in its place evicts in turn."""

    namespace: Annotated[str, doc("Namespace.")]
    name: Annotated[str, doc("Name of the victim.")]
    priority: Annotated[int, doc("Priority.")]
    owner: Annotated[str | None, doc("Kind/name of the workload it belongs to; null: nothing controls it.")]
    evicted_from: Annotated[str, doc("The node it was on.")]
    breaks_budget: Annotated[bool, doc("Whether its eviction violates a budget.")]
    fate: Annotated[
        FateName,
        doc(
            "Moves, Preempts (both onto node) or Pending: the pod that its controller makes in its place; Gone: "
            "nothing controls it; Leaving: was terminating; Static: the kubelet goes on running it; "
            "Unknown: the cascade was cut."
        ),
    ]
    node: Annotated[str | None, doc("The node of the pod made in its place.")]
    message: Annotated[str, doc("Why that one stays pending, without what preemption says.")]
    keeps_claims: Annotated[
        bool,
        doc("Whether claims that were made for the victim stand for those that would be made anew."),
    ]
    victims: Annotated[list[Displaced], doc("The pods that it evicts in turn.")]

    @property
    def full_name(self) -> str:
        """`namespace/name`."""
        return f"{self.namespace}/{self.name}"


class Aftermath(ReportObject, frozen=True):
    """What follows when the evictions are carried out on the nominated node."""

    placed_on: Annotated[str | None, doc("The node that the pod then gets; null: it is refused even then.")]
    message: Annotated[str, doc("Why it is refused even then.")]
    victims: Annotated[list[Displaced], doc("The victims, the most important first.")]
    dropped_nominations: Annotated[
        list[str], doc("Pending pods of lower priority that lose their nomination to the node.")
    ]
    decided: Annotated[int, doc("How many pods were scheduled anew.")]
    cut: Annotated[bool, doc("Whether it was ended before all had their turn.")]


class Preemption(ReportObject, frozen=True, kw_only=True):
    """Whether evicting pods makes room for a pod, whom it hits, and what becomes of them."""

    api_version: Annotated[Literal["kschedctl.dev/v1alpha1"], doc("Version of this format.")] = API_VERSION
    kind: Annotated[Literal["Preemption"], doc("What this is.")] = "Preemption"
    scheduler: SchedulerSummary
    cluster: ClusterSummary
    pod: PodSummary
    outcome: Annotated[
        OutcomeName,
        doc("Scheduled: it fits as it is; Preempts: evicting pods makes room; else why it stays pending."),
    ]
    eligible: Annotated[bool, doc("Where it fits nowhere: whether it may preempt at all.")]
    message: Annotated[str, doc("Why it was refused or gated, may not preempt, or why preemption failed.")]
    problems: Annotated[list[str], doc("For outcome Invalid: everything the API server has against the pod.")]
    selected_node: Annotated[str | None, doc("The node it gets without any eviction.")]
    nominated_node: Annotated[str | None, doc("The node on which room is made.")]
    equal_nodes: Annotated[
        list[str],
        doc("Where no criterion tells several nodes apart: all of them; kube-scheduler picks one at random."),
    ]
    victims: Annotated[
        list[EvictedPod],
        doc(
            "The victims on the nominated node, the most important first; for a group all that go for it, on any node."
        ),
    ]
    age_reference: Annotated[
        str | None,
        doc("To what ages relate: the time of the snapshot, else the newest start of a pod in it."),
    ]
    candidates: Annotated[list[CandidateNode], doc("Nodes on which eviction makes room, the best first.")]
    no_candidates: Annotated[list[NoCandidates], doc("Why the other nodes are none, most nodes first.")]
    aftermath: Annotated[
        Aftermath | None,
        doc("What becomes of the victims; null: nobody is evicted, or a group evicts (see `simulate`)."),
    ]
    group: Annotated[
        GroupReport | None,
        doc(
            "The group with which the pod is scheduled, and for which pods go; null: it is scheduled by itself."
        ),
    ]
    event: Annotated[str | None, doc("The message of the event; null: kube-scheduler writes none.")]
    rooms: Annotated[
        list[NodeRoom],
        doc("The room of every node; left out with -q, and where all pending pods are asked about."),
    ] = field(default_factory=list)

    def brief(self) -> Preemption:
        """The same without the room of every node."""
        return replace(self, rooms=[])
