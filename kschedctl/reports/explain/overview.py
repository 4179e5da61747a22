"""What many answers come to, before any of them is told: how many pods find a node, and why the others do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from kschedctl.reports.again import ask_again
from kschedctl.reports.document import Headline, ReportDocument
from kschedctl.reports.medium import SHORT
from kschedctl.reports.model import ClusterSummary
from kschedctl.reports.preempt.model import OutcomeName
from kschedctl.reports.table import CellKind, Column, Row, Table
from kschedctl.reports.tone import Tone
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.made_up import unless_made_up


class Brief(Struct, frozen=True):
    """The answer about a pod and those that are equal to it, in short.

    Attributes:
        pod: full name of the pod.
        pods: how many they are.
        outcome: how the decision ends; Preempts where evicting pods makes room.
        why: why it finds no node as it is: the reason of most nodes; empty where it does.
    """

    pod: str
    pods: int
    outcome: OutcomeName
    why: str

    @property
    def who(self) -> str:
        """The pod, and how many others: `default/web-1 +41`."""
        return self.pod if self.pods == 1 else f"{self.pod} +{self.pods - 1}"


class Reason(Struct, frozen=True):
    """Pods that find no node for the same reason.

    Attributes:
        text: the reason.
        briefs: the pods, the first of each group of equal ones.
    """

    text: str
    briefs: tuple[Brief, ...]

    @property
    def pods(self) -> int:
        """How many they are."""
        return sum(brief.pods for brief in self.briefs)

    @property
    def who(self) -> str:
        """The first of them, and how many others."""
        first = self.briefs[0]
        return Brief(first.pod, self.pods, first.outcome, first.why).who


class Overview(Struct, frozen=True):
    """The answers about all pending pods, in short."""

    briefs: tuple[Brief, ...]

    @property
    def pods(self) -> int:
        """How many pods there are."""
        return sum(brief.pods for brief in self.briefs)

    def count(self, *outcomes: str) -> int:
        """How many pods end so."""
        return sum(brief.pods for brief in self.briefs if brief.outcome in outcomes)

    @property
    def reasons(self) -> list[Reason]:
        """Why pods find no node as it is, that of most pods first."""
        found: dict[str, list[Brief]] = {}
        for brief in self.briefs:
            if brief.why:
                found.setdefault(brief.why, []).append(brief)
        reasons = [Reason(text, tuple(briefs)) for text, briefs in found.items()]
        return sorted(reasons, key=lambda reason: -reason.pods)


HeadlineOf = Callable[[Overview], str]
"""What an overview comes to, in one sentence."""

_NOTE: Final = "each asked about alone, in the cluster as it is; all together: "
"""What holds of all these answers."""

_REASONS: Final = "why not (most nodes)"
"""What stands above the reasons."""


def overview_document(overview: Overview, headline: str, cluster: ClusterSummary) -> ReportDocument:
    """How many pods find a node, and why the others do not: what stands above all answers."""
    reasons = overview.reasons
    columns = [Column(_REASONS), Column("", CellKind.NUMBER, long="count"), Column("pods")]
    rows = [Row([reason.text, reason.pods, reason.who]) for reason in reasons]
    return ReportDocument(
        Headline(Tone.NO if reasons else Tone.YES, headline),
        lead=[_NOTE + ask_again("simulate", cluster)],
        blocks=[Table(columns, rows, noun="reason", limits=SHORT)] if reasons else [],
        about_all=True,
    )


def explained(overview: Overview) -> str:
    """How many pods find a node as it is."""
    if overview.count("Unschedulable", "Preempts") == overview.pods:
        return _placed(overview)
    return ", ".join((_placed(overview), *_left(overview, "Unschedulable", "Preempts")))


def preempted(overview: Overview) -> str:
    """How many pods find a node as it is, and how many by evicting others."""
    room = overview.count("Preempts")
    helps = [f"preempting others makes room for {room}"] if room else []
    return ", ".join((_placed(overview), *helps, *_left(overview, "Unschedulable")))


def _placed(overview: Overview) -> str:
    placed, pods = overview.count("Scheduled"), overview.pods
    if placed == pods:
        return f"all {pods} pending pods would be placed now"
    return f"{placed or 'none'} of {pods} pending pods would be placed now"


def _left(overview: Overview, *nowhere: str) -> list[str]:
    found, untried = overview.count(*nowhere), overview.count(*_UNTRIED)
    told = [f"{found} nowhere"] if found else []
    return told + ([f"{untried} {'is' if untried == 1 else 'are'} not tried"] if untried else [])


_UNTRIED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Gated": "gated",
        "NoProfile": "handled by no profile",
        "Terminating": "being deleted",
        "Error": "cannot be judged: a plugin fails",
        "Invalid": "refused by the API server",
    }
)


def brief_of(decision: Decision, pod: str, pods: int) -> Brief:
    """A decision in short; to be made while the cluster is as it was decided."""
    decision = unless_made_up(decision)
    outcome: OutcomeName = "Preempts" if decision.makes_room else decision.outcome.value
    return Brief(pod, pods, outcome, _why(decision))


def refusal_brief(pod: str, pods: int) -> Brief:
    """That the API server would refuse a pod."""
    return Brief(pod, pods, "Invalid", _UNTRIED["Invalid"])


def _why(decision: Decision) -> str:
    """The reason that kube-scheduler counts most often, or what keeps the pod from being tried."""
    if decision.outcome is Outcome.SCHEDULED:
        return ""
    if decision.outcome is not Outcome.UNSCHEDULABLE:
        return _UNTRIED[decision.outcome.value]
    if decision.pre_filter is not None:
        return decision.pre_filter.message
    if decision.filters is None or decision.examined is None:
        return decision.event
    by_extender = {} if decision.by_extenders is None else decision.by_extenders.statuses
    own = [row for row in map(decision.cluster.row_of, by_extender) if row is not None]
    examined = decision.examined.copy()
    examined[own] = False
    counts = decision.filters.histogram(examined)
    for status in by_extender.values():
        counts[status.message] = counts.get(status.message, 0) + 1
    rest = int((~decision.examined).sum())
    if decision.absent is not None and rest:
        counts[decision.absent.message] = counts.get(decision.absent.message, 0) + rest
    return max(counts, key=lambda reason: counts[reason], default=decision.event)
