"""The sentences of a report on capacity, without layout."""

from __future__ import annotations

from typing import Final

from kschedctl.objects.phrases import plural
from kschedctl.reports.capacity.model import Capacity, Target
from kschedctl.reports.sentences import listed

MOST_NAMED: Final = 4
"""More kinds of pods are told in a table of their own."""


def verdict(report: Capacity) -> str:
    """The answer in one sentence."""
    nodes = sum(node.total > 0 for node in report.nodes)
    where = f"on {nodes} of {plural(len(report.nodes), 'node')}"
    what = what_fits(report)
    if not report.sets:
        of = "" if report.group is not None or in_sets(report) else "of "
        fit = "fit" if in_sets(report) else "fits"
        text = f"no more {of}{what} {fit} on {plural(len(report.nodes), 'node')}"
    elif report.limit is not None:
        text = f"at least {report.sets} more {what} fit {where}"
    else:
        text = f"{report.sets} more {what} {'fits' if report.sets == 1 else 'fit'} {where}"
    return f"{text}; {target(report.target)}" if report.target else text


def in_sets(report: Capacity) -> bool:
    """Whether sets of several pods are counted."""
    return report.group is None and (len(report.pods) > 1 or report.pods[0].share > 1)


def what_fits(report: Capacity) -> str:
    """What is counted: a kind of pod, or a set of several."""
    first = report.pods[0]
    if report.group is not None:
        pods = plural(sum(pod.share for pod in report.pods), "pod")
        several = report.sets > 1
        return f"pod group{'s' if several else ''} like {report.group} ({pods}{' each' if several else ''})"
    if len(report.pods) == 1 and first.share == 1:
        return first.source
    sets = "set" if report.sets == 1 else "sets"
    if len(report.pods) > MOST_NAMED:
        together = sum(pod.share for pod in report.pods)
        return f"{sets} of {plural(together, 'pod')} ({len(report.pods)} workloads)"
    parts = [f"{pod.share} {pod.source}" for pod in report.pods]
    return f"{sets} of {listed(parts, len(parts))}"


def target(found: Target) -> str:
    """How a target is met."""
    if not found.missing:
        return f"{found.wanted} were wanted"
    missing = f"{found.missing} of {found.wanted} missing"
    if not found.shapes:
        return missing
    shapes = listed(found.shapes)
    if found.nodes is None:
        return f"{missing}, and no number of nodes {shapes} helps"
    return f"{missing}: {plural(found.nodes, 'node')} {shapes} {'is' if found.nodes == 1 else 'are'} needed"


def notes(report: Capacity) -> list[tuple[str, str]]:
    """Headroom, what was left out, and caveats."""
    rows: list[tuple[str, str]] = []
    rows += [
        ("daemons", f"{first.workload} comes first, on {first.placed} of {plural(first.wanted, 'node')}")
        for first in report.daemons
    ]
    if report.headroom:
        rows.append(("headroom", f"{', '.join(report.headroom)} kept free on every node"))
    if report.blocking is not None and len(report.pods) > 1:
        rows.append(("next", f"{report.blocking} is the first to find no node"))
    if report.left_out:
        text = (
            f"{plural(report.left_out, 'pod')} pending in the cluster left out; --pending places them first"
        )
        rows.append(("note", text))
    if report.target is not None and report.target.missing and not report.target.shapes:
        rows.append(("note", "--shape like=NODE or FILE tells how many nodes are missing"))
    rows += [("caveat", caveat.message) for caveat in report.cluster.caveats]
    return rows
