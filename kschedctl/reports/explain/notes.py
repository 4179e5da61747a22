"""The lines below the tables: comparison, ties, the closest node, preemption, caveats, the event."""

from __future__ import annotations

from typing import Final

from kschedctl.reports.explain import sentences
from kschedctl.reports.explain.holders import in_the_way
from kschedctl.reports.explain.model import Explanation
from kschedctl.reports.explain.room import room_texts
from kschedctl.reports.sentences import listed, pod_notes
from kschedctl.reports.suggest.sentences import fits_if

_LONGEST_LABEL: Final = 26
_SUGGESTIONS: Final = 3


def notes(report: Explanation, *, complete: bool = False) -> list[tuple[str, str]]:
    """Labels and what belongs to them: what the decision hangs on, then what weakens it.

    A row without a label goes on with the one before. Lists of pods are cut unless they are to be complete.
    """
    rows: list[tuple[str, str]] = []
    rows += _comparison(report)
    if (tied := sentences.tie(report)) is not None:
        rows.append(("tie", tied))
    rows += [("" if i else "request", text) for i, text in enumerate(report.requests)]
    if report.closest is not None:
        rows.append(("closest", f"{report.closest.node}, {report.closest.text}"))
    rows += in_the_way(report)
    rows += [("" if i else "room", text) for i, text in enumerate(room_texts(report.room))]
    if report.fault is not None:
        rows.append(("fault", sentences.fault(report.fault)))
    if report.advice is not None:
        rows.append(("hint", report.advice))
    if report.preemption is not None:
        rows.append(("preemption", sentences.preemption(report.preemption)))
    rows += [("" if i else "note", text) for i, text in enumerate(report.surprises)]
    if report.queue is not None:
        rows.append(("queue", report.queue.text))
    rows += fits_if(report.suggestions[:_SUGGESTIONS])
    rows += pod_notes(report.pod, report.cluster, complete=complete, in_group=report.group is not None)
    rows += [("caveat", caveat.message) for caveat in report.cluster.caveats]
    return rows


def event_notes(report: Explanation) -> list[tuple[str, str]]:
    """The event as `kubectl describe` shows it, and what kube-scheduler itself wrote."""
    if report.event is None:
        return _written(report)
    rows = [("event", report.event.note)]
    if report.event.truncated:
        rows.append(("", "Cut to 1024 bytes, as kube-scheduler does; -o json has the whole text."))
    if not report.scheduled and (told := sentences.several_reasons(report)) is not None:
        rows.append(("", told))
    return rows + _written(report)


def _written(report: Explanation) -> list[tuple[str, str]]:
    """Whether kube-scheduler wrote the same about this pod, and where the two part."""
    found = report.written
    if found is None:
        return []
    others = []
    if found.others:
        others.append(("", f"It wrote something else about {listed(found.others)}."))
    if found.same:
        which = report.pod.name if found.others else "these pods" if report.pod.equal_pods else "this pod"
        return [("written", f"kube-scheduler itself wrote the same about {which}."), *others]
    rows = [("written", f"kube-scheduler itself wrote otherwise: {found.written}")]
    if found.nodes is not None:
        rows.append(("", f"It saw {found.nodes.written} nodes, here are {found.nodes.ours}."))
    rows += [("", f"{r.reason}: {r.written} nodes there, {r.ours} here") for r in found.reasons]
    return rows + others


def _comparison(report: Explanation) -> list[tuple[str, str]]:
    """Why not the next best node; long names do not fit beside what is told of them."""
    found = report.comparison
    if found is None:
        return []
    label, first = f"{found.selected} over {found.runner_up}", []
    if len(label) > _LONGEST_LABEL:
        label, first = "why here", [f"not on {found.runner_up}, the next best:"]
    texts = first + sentences.gaps(report)
    return [(label if i == 0 else "", text) for i, text in enumerate(texts)]
