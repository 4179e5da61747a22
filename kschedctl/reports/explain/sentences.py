"""The sentences of an explanation, without layout: every format says the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kschedctl.objects.phrases import either, plural
from kschedctl.plugins.affinity_counts import REASON_AFFINITY
from kschedctl.reports.caveats.not_judged import not_judged
from kschedctl.reports.explain.group_sentences import verdict_of_member
from kschedctl.reports.explain.model import (
    Explanation,
    FaultReport,
    NodeReport,
    PreemptionCandidate,
    PreemptionReport,
)
from kschedctl.reports.explain.reasons import natural_key, obstacles, refused_alike
from kschedctl.reports.sentences import UNTRIED, WANTING, but, listed, subject

_MOST_TIES: Final = 4
_MOST_NAMES: Final = 4
_MOST_VICTIMS: Final = 2
_NEVER: Final = "not eligible due to preemptionPolicy=Never"
_INSUFFICIENT: Final = "Insufficient "


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


def _in_group(report: Explanation) -> str | None:
    """What becomes of the pod for the sake of its group, None where the fault is its own or there is none."""
    if report.group is None or report.outcome != "Unschedulable":
        return None
    return verdict_of_member(report.pod.full_name, report.group, report.feasible)


def _where(report: Explanation) -> str:
    """The node, or the nodes that are equal, the selected one first."""
    if report.ties is None:
        return str(report.selected_node)
    names = [str(report.selected_node), *(n for n in report.ties.nodes if n != report.selected_node)]
    if len(names) <= _MOST_TIES:
        return f"{either(names)}, equal points"
    return f"{names[0]} or {len(names) - 1} others, equal points"


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


def _feasible(report: Explanation) -> str:
    nodes = plural(report.cluster.nodes, "node")
    unseen = sum(
        1 for node in report.nodes if not node.feasible and node.status is None and not node.all_failures
    )
    if unseen:
        return f"{report.feasible} feasible of {report.cluster.nodes - unseen} looked at, {nodes} in all"
    return f"{report.feasible} of {nodes} feasible"


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
