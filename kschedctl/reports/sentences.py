"""The sentences of a report on one pod, without layout: every format says the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from shlex import quote
from types import MappingProxyType
from typing import Final, Protocol

from kschedctl.objects.phrases import either, plural
from kschedctl.plugins.affinity_counts import REASON_AFFINITY
from kschedctl.plugins.dynamic_resources import DynamicResources
from kschedctl.reports.again import ask_again
from kschedctl.reports.caveats.made_up import NOWHERE, REFUSED, PodReport, practical_outcome
from kschedctl.reports.caveats.not_judged import not_judged
from kschedctl.reports.explain.group_sentences import verdict_of_member
from kschedctl.reports.explain.model import (
    Explanation,
    FaultReport,
    NodeReport,
    OutcomeName,
    PreemptionCandidate,
    PreemptionReport,
)
from kschedctl.reports.explain.reasons import natural_key, obstacles, refused_alike
from kschedctl.reports.model import ClusterSummary, PodSummary, WorkloadSummary

_MOST_TIES: Final = 4
_MOST_NAMES: Final = 4
_MOST_VICTIMS: Final = 2
_NEVER: Final = "not eligible due to preemptionPolicy=Never"
_INSUFFICIENT: Final = "Insufficient "
_DEVICES: Final = DynamicResources.spec.name
_UNITS: Final = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))

UNTRIED: Final[Mapping[OutcomeName, tuple[str, str]]] = MappingProxyType(
    {
        "Gated": (
            "is gated: kube-scheduler does not try it",
            "are gated: kube-scheduler does not try them",
        ),
        "Invalid": ("would be refused by the API server",) * 2,
        "NoProfile": (
            "is handled by no profile: another scheduler places it, if it runs",
            "are handled by no profile: another scheduler places them, if it runs",
        ),
        "Terminating": (
            "is being deleted and is not scheduled",
            "are being deleted and are not scheduled",
        ),
        "Error": ("cannot be judged: a plugin fails",) * 2,
    }
)
"""What is said of a pod, or of several, for which no node was looked for to the end, whatever the question."""


WANTING: Final = "what its answer hangs on could not be read"
"""Why a pod cannot be judged, in short."""


class Snapshotted(Protocol):
    """A report on a cluster."""

    @property
    def cluster(self) -> ClusterSummary:
        """The cluster."""


def verdict(report: Explanation) -> str:
    """The answer in one sentence."""
    name, nodes, many = subject(report.pod), report.cluster.nodes, bool(report.pod.equal_pods)
    in_group = _in_group(report)
    match report.outcome:
        case "Scheduled":
            return f"{name} {'each go' if many else 'goes'} to {_where(report)}{but(report)}"
        case outcome if outcome in UNTRIED:
            return f"{name} {UNTRIED[outcome][many]}"
        case _ if not_judged(report.cluster):
            return f"{name} cannot be judged: {WANTING}"
        case _ if not nodes:
            return f"{name} {'fit' if many else 'fits'} nowhere: the cluster has no nodes"
        case _ if in_group is not None:
            return f"{name} {in_group}"
        case _ if nodes == 1:
            return f"{name} {'do' if many else 'does'} not fit on the only node, {report.nodes[0].name}"
        case _:
            return f"{name} {'fit' if many else 'fits'} on none of {nodes} nodes"


def but(report: PodReport) -> str:
    """Why a pod that kube-scheduler has a node for is not there all the same; empty where it is."""
    match practical_outcome(report):
        case outcome if outcome == NOWHERE:
            return ", which the cluster does not have"
        case outcome if outcome == REFUSED:
            return " once it is created, which a ResourceQuota forbids"
        case _:
            return ""


def _in_group(report: Explanation) -> str | None:
    """What becomes of the pod for the sake of its group, None where the fault is its own or there is none."""
    if report.group is None or report.outcome != "Unschedulable":
        return None
    return verdict_of_member(report.pod.full_name, report.group, report.feasible)


def subject(pod: PodSummary) -> str:
    """Whom an answer is about: `shop/web-1 and 41 equal pods`, `one pod of Deployment shop/api (5 replicas)`."""
    found = pod.workload
    if found is None:
        equal = f" and {plural(len(pod.equal_pods), 'equal pod')}" if pod.equal_pods else ""
        return pod.full_name + equal
    name = f"one pod of {found.kind} {found.namespace}/{found.name}"
    if found.pods is None:
        return name
    return f"{name} ({f'{found.pods} at once' if found.kind == 'Job' else plural(found.pods, 'replica')})"


def pod_notes(
    pod: PodSummary, cluster: ClusterSummary, *, complete: bool = False, in_group: bool = False
) -> list[tuple[str, str]]:
    """What else is to be known of the pod: which others are like it, or that it runs already."""
    rows = []
    if pod.equal_pods:
        equal = listed(pod.equal_pods, len(pod.equal_pods) if complete else _MOST_NAMES)
        rows.append(("equal", f"{equal}, each asked about alone"))
    if (
        pod.workload is not None
        and not in_group
        and (told := _others(pod, pod.workload, cluster)) is not None
    ):
        rows.append(("note", told))
    if pod.running_on:
        rows.append(("note", f"runs on {pod.running_on} now; judged as if it were to be placed anew"))
    return rows


def _others(pod: PodSummary, workload: WorkloadSummary, cluster: ClusterSummary) -> str | None:
    """How to ask about all pods of a workload; None where there are no others."""
    if workload.from_cluster:
        command = f"capacity {workload.kind.lower()}/{workload.name} -n {workload.namespace}"
        return f"judged is one more pod; how many fit: {ask_again(command, cluster)}"
    if workload.pods is not None and workload.pods <= 1:
        return None
    file = quote(pod.source.file) if pod.source and pod.source.file else "FILE"
    return f"judged is one pod alone; all of them: {ask_again(f'simulate -f {file}', cluster)}"


def _where(report: Explanation) -> str:
    """The node, or the nodes that are equal, the selected one first."""
    if report.ties is None:
        return str(report.selected_node)
    names = [str(report.selected_node), *(n for n in report.ties.nodes if n != report.selected_node)]
    if len(names) <= _MOST_TIES:
        return f"{either(names)}, equal points"
    return f"{names[0]} or {len(names) - 1} others, equal points"


def tally(placed: int, pods: int) -> str:
    """How many of several pods find a node."""
    return f"{placed} of {plural(pods, 'pod')} would be placed"


def points(report: Explanation) -> str:
    """How clear the choice is: `411 points, n5 has 409; 4 of 7 nodes feasible`."""
    nodes = plural(report.cluster.nodes, "node")
    if report.feasible == 1 and not report.scored:
        which = f"the only feasible one of {nodes}" if report.cluster.nodes > 1 else "the only node"
        return f"{which}; kube-scheduler does not score then"
    feasible = _feasible(report)
    best = ranking(report)
    if len(best) < 2:
        return feasible
    if report.ties:
        return f"{best[0].total} points each; {feasible}"
    return f"{best[0].total} points, {best[1].name} has {best[1].total}; {feasible}"


def taken(report: Snapshotted, now: datetime | None) -> str:
    """When the snapshot was taken: `taken 4 min ago`; empty where that is not known."""
    at = report.cluster.taken_at
    if at is None:
        return ""
    if now is None:
        return f"taken {at}"
    seconds = max(0, int((now - datetime.fromisoformat(at)).total_seconds()))
    return f"taken {duration(seconds)} ago"


def duration(seconds: int) -> str:
    """A time in its largest unit: `9 d`, `3 h`."""
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return "0 s"


def _feasible(report: Explanation) -> str:
    nodes = plural(report.cluster.nodes, "node")
    unseen = sum(
        1 for node in report.nodes if not node.feasible and node.status is None and not node.all_failures
    )
    if unseen:
        return f"{report.feasible} feasible of {report.cluster.nodes - unseen} looked at, {nodes} in all"
    return f"{report.feasible} of {nodes} feasible"


def listed(names: Sequence[str], most: int = _MOST_NAMES, counted: int = 0) -> str:
    """Names as in a sentence, the rest as a number: `n1, n2 and n3`, `n1, n2, n3 and 12 more`.

    Args:
        names: the names.
        most: show no more than these.
        counted: how many more there are without a name.
    """
    if len(names) <= most and not counted:
        shown = list(names)
    else:
        shown = [*names[: most - 1], f"{len(names) - min(most - 1, len(names)) + counted:,} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def ranking(report: Explanation) -> list[NodeReport]:
    """The scored nodes: the selected one, then by total, then by name as people count."""
    scored = [node for node in report.nodes if node.total is not None]
    return sorted(
        scored, key=lambda n: (n.name != report.selected_node, -(n.total or 0), natural_key(n.name))
    )


def fault(found: FaultReport) -> str:
    """A fault of kube-scheduler that decided."""
    return f"of kube-scheduler itself: {found.text} ({found.issue}, mended in {found.mended})"


def tie(report: Explanation) -> str | None:
    """What kube-scheduler makes of equal totals, None where there is no tie."""
    ties = report.ties
    if ties is None:
        return None
    version, total = report.scheduler.version, len(ties.nodes)
    if ties.chance is not None:
        how = f"kube-scheduler {version} picks one at random, each with a chance of 1 in {total}"
        taken = "the first by name" if ties.rule != "random" else "one by the seed"
        return f"{how}; shown is {taken}"
    if ties.rule == "upstream":
        how = f"kube-scheduler {version} may take any: its order of nodes is new at each start"
        return f"{how}; shown is {report.selected_node}, by list order"
    taken = "the first by name" if ties.rule == "first" else "one by the seed"
    return f"{report.selected_node} is {taken} (--tie-break {ties.rule}); kube-scheduler may take another"


def preemption(found: PreemptionReport) -> str:
    """Whether evicting pods would help, and where."""
    if not found.eligible:
        if found.message.startswith(_NEVER):
            return "does not ask for it: the preemptionPolicy of the pod, or of its priority class, is Never"
        return found.message.rstrip(".")
    if found.nominated is None:
        return f"cannot help: {_no_help(found)}"
    helps = listed([_helps(candidate) for candidate in found.candidates])
    if len(found.candidates) == 1:
        return f"helps on {helps}{_whom(found)}"
    if len(found.chosen) == 1:
        return f"helps on {helps}; {found.nominated} would be chosen{_whom(found)}"
    return f"helps on {helps}; one of {listed(found.chosen)} would be chosen at random"


def _whom(found: PreemptionReport) -> str:
    """Who goes where room is made."""
    chosen = next((c for c in found.candidates if c.node == found.nominated), None)
    if chosen is None or not chosen.victims:
        return ""
    names = [f"{victim.namespace}/{victim.name} (priority {victim.priority})" for victim in chosen.victims]
    told = (
        names
        if len(names) <= _MOST_VICTIMS + 1
        else [*names[:_MOST_VICTIMS], f"{len(names) - _MOST_VICTIMS} more"]
    )
    return f": {listed(told, len(told))} {'goes' if len(names) == 1 else 'go'}"


def _helps(candidate: PreemptionCandidate) -> str:
    broken = candidate.pdb_violations
    budgets = f", {broken} against a disruption budget" if broken else ""
    return f"{candidate.node} ({plural(len(candidate.victims), 'victim')}{budgets})"


def _no_help(found: PreemptionReport) -> str:
    """Why evicting pods makes no room, for the nodes where it was tried."""
    if all(failure.code == "Error" and not failure.plugin for failure in found.failed):
        return "evicting pods would change nothing on any node"
    empty = [failure.node for failure in found.failed if not failure.plugin and failure.code != "Error"]
    still = [failure for failure in found.failed if failure.plugin]
    parts = [f"no pods of lower priority on {_few(empty)}"] if empty else []
    without = "them" if empty else "the pods of lower priority"
    for reasons in dict.fromkeys(tuple(failure.reasons) for failure in still):
        nodes = [failure.node for failure in still if tuple(failure.reasons) == reasons]
        verb = "has" if len(nodes) == 1 else "have"
        parts.append(
            f"{_few(nodes)} {verb} no place even without {without}: {', '.join(map(_still, reasons))}"
        )
    return "; ".join(parts)


def _still(reason: str) -> str:
    """What still keeps the pod away: `too little cpu`, `didn't match pod affinity rules`."""
    if reason.startswith(_INSUFFICIENT):
        return f"too little {reason.removeprefix(_INSUFFICIENT)}"
    if reason == REASON_AFFINITY:
        return "its pod affinity is to pods that would go with them, or to none there"
    return "too many pods" if reason == "Too many pods" else reason.removeprefix("node(s) ")


def _few(names: Sequence[str]) -> str:
    return listed(names) if len(names) <= _MOST_NAMES else f"{len(names)} nodes"


def gaps(report: Explanation) -> list[str]:
    """The plugins that tell the selected node and the next best apart, a sentence each."""
    found = report.comparison.gaps if report.comparison else []
    return [f"{gap.plugin} {gap.points:+d}{f' ({gap.why})' if gap.why else ''}" for gap in found]


def several_reasons(report: Explanation) -> str | None:
    """Why the counts of the event are not those of the reasons, None where they are."""
    if all(obstacles(failures) <= 1 for failures, _ in refused_alike(report.nodes)):
        return None
    return "The event counts a node at the first plugin that refuses it; the reasons above are all."
