"""The sentences of a report on one pod, without layout: every renderer for people says the same."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.reports.explanation import Explanation, NodeReport, PreemptionCandidate, PreemptionReport


def plural(count: int, noun: str) -> str:
    """`1 node`, `3 nodes`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def verdict(report: Explanation) -> str:
    """The answer in one sentence."""
    name, nodes = report.pod.full_name, report.cluster.nodes
    match report.outcome:
        case "Scheduled":
            return f"{name} goes to {report.selected_node}"
        case "Gated":
            return f"{name} is gated: kube-scheduler does not try it"
        case "Invalid":
            return f"{name} would be refused by the API server"
        case "NoProfile":
            return f"{name} is handled by no profile and stays pending"
        case "Terminating":
            return f"{name} is being deleted and is not scheduled"
        case "Error":
            return f"{name} cannot be judged: a plugin fails"
        case _:
            return f"{name} fits on {'none of ' if nodes else ''}{plural(nodes, 'node')}"


def points(report: Explanation) -> str:
    """How clear the choice is: `411 points, n5 has 409; 4 of 7 nodes feasible`."""
    feasible = f"{report.feasible} of {plural(report.cluster.nodes, 'node')} feasible"
    best = ranking(report)
    if not report.scored:
        only = (
            "the only feasible node, so kube-scheduler does not score" if report.feasible == 1 else "unscored"
        )
        return f"{only}; {feasible}"
    if report.ties:
        return f"{best[0].total} points, as {others(report)}; {feasible}"
    return f"{best[0].total} points, {best[1].name} has {best[1].total}; {feasible}"


def others(report: Explanation) -> str:
    """The nodes that tie with the selected one: `n5 has`, `n5 and n7 have`."""
    assert report.ties is not None
    names = [name for name in report.ties.nodes if name != report.selected_node]
    return f"{listed(names)} {'has' if len(names) == 1 else 'have'}"


def listed(names: Sequence[str], most: int = 4) -> str:
    """Names as in a sentence, the rest as a number: `n1, n2 and n3`, `n1, n2, n3 and 12 more`."""
    shown = list(names) if len(names) <= most else [*names[: most - 1], f"{len(names) - most + 1} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def ranking(report: Explanation) -> list[NodeReport]:
    """The scored nodes: the selected one, then by total, then by name."""
    scored = [node for node in report.nodes if node.total is not None]
    return sorted(scored, key=lambda n: (n.name != report.selected_node, -(n.total or 0), n.name))


def tie(report: Explanation) -> str | None:
    """What kube-scheduler makes of equal totals, None where there is no tie."""
    ties = report.ties
    if ties is None:
        return None
    version, total = report.scheduler.version, len(ties.nodes)
    names = " or ".join(ties.nodes) if total <= 4 else f"one of {total} nodes"
    if ties.random:
        how = f"kube-scheduler {version} picks {names} at random, each with a chance of 1 in {total}"
        taken = "the first by name" if ties.rule != "random" else "one by the seed"
        return f"{how}; shown is {taken}"
    if ties.rule == "upstream":
        return f"equal points; kube-scheduler {version} takes {report.selected_node} in this order of nodes"
    taken = "the first by name" if ties.rule == "first" else "one by the seed"
    return f"equal points; shown is {taken} (--tie-break {ties.rule}), kube-scheduler may take another"


def preemption(found: PreemptionReport) -> str:
    """Whether evicting pods would help, and where."""
    if not found.eligible:
        return found.message.rstrip(".")
    if found.nominated is None:
        return _no_help(found)
    helps = listed([_helps(candidate) for candidate in found.candidates])
    chosen = found.nominated if len(found.chosen) == 1 else f"one of {listed(found.chosen)} at random"
    would = "" if len(found.candidates) == 1 else f"; {chosen} would be chosen"
    return f"helps on {helps}{would}"


def _helps(candidate: PreemptionCandidate) -> str:
    broken = candidate.pdb_violations
    budgets = f", {broken} against a disruption budget" if broken else ""
    return f"{candidate.node} ({plural(len(candidate.victims), 'victim')}{budgets})"


def _no_help(found: PreemptionReport) -> str:
    if not found.failed:
        return "cannot help: no node is short of anything that evicting pods would free"
    without = sum(1 for failure in found.failed if not failure.plugin)
    still = len(found.failed) - without
    parts = []
    if without:
        parts.append(f"no pod of lower priority on {plural(without, 'node')}")
    if still:
        parts.append(f"{plural(still, 'node')} would not fit it even without them")
    return f"cannot help: {', '.join(parts)}"


def comparison(report: Explanation) -> tuple[str, str] | None:
    """Why the selected node and not the next: `n2 over n5` and the plugins that tell them apart."""
    best = ranking(report)
    if len(best) < 2 or best[0].total == best[1].total:
        return None
    first, second = best[0], best[1]
    gaps = [(name, s.weighted - second.scores[name].weighted) for name, s in first.scores.items()]
    told = [f"{name} {gap:+d}" for name, gap in sorted(gaps, key=lambda item: -item[1]) if gap]
    return f"{first.name} over {second.name}", ", ".join(told)
