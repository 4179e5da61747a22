"""The report on a replay of the queue: how long pods waited, how long the queue was, what would move who waits."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Final

from kschedctl.objects.phrases import plural
from kschedctl.reports.sentences import listed
from kschedctl.reports.simulate.model import PriorityWaits, QueuedPodReport, QueueReport, QueueSample
from kschedctl.reports.waking import tried_again, wakers
from kschedctl.run.queued_pod import Pool
from kschedctl.whatif.queue.replay import PodWait, QueueLength, QueueResult, Waiting

_SAMPLES: Final = 500


def queue_report(found: QueueResult) -> QueueReport:
    """The report on a replay."""
    by_priority: dict[int, list[PodWait]] = {}
    for wait in found.waits:
        record = wait.task.record
        by_priority.setdefault(0 if record is None else record.priority, []).append(wait)
    return QueueReport(
        seconds=found.seconds,
        arrived=len(found.waits),
        attempts=sum(wait.attempts for wait in found.waits),
        waits=[_waits(priority, by_priority[priority]) for priority in sorted(by_priority, reverse=True)],
        lengths=[_sample(length) for length in _thinned(found.lengths)],
        most_backing_off=max((length.backoff for length in found.lengths), default=0),
        most_unschedulable=max((length.unschedulable for length in found.lengths), default=0),
        waiting=[_waiting(waiting) for waiting in found.waiting],
        to_come=found.to_come,
    )


def _waits(priority: int, waits: Sequence[PodWait]) -> PriorityWaits:
    took = sorted(wait.scheduled - wait.arrived for wait in waits if wait.scheduled is not None)
    return PriorityWaits(
        priority=priority,
        pods=len(waits),
        scheduled=len(took),
        median=_percentile(took, 50),
        p90=_percentile(took, 90),
        p99=_percentile(took, 99),
        longest=_percentile(took, 100),
        most_attempts=max(wait.attempts for wait in waits),
    )


def _percentile(values: Sequence[float], percent: int) -> float | None:
    """The nearest-rank percentile of sorted values, None where there are none."""
    return values[max(ceil(len(values) * percent / 100), 1) - 1] if values else None


def _thinned(lengths: Sequence[QueueLength]) -> Sequence[QueueLength]:
    """So many of the lengths that a chart can be made of them, evenly."""
    step = ceil(len(lengths) / _SAMPLES) or 1
    return lengths[::step]


def _sample(length: QueueLength) -> QueueSample:
    return QueueSample(
        at=length.at, backoff=length.backoff, unschedulable=length.unschedulable, gated=length.gated
    )


def _waiting(waiting: Waiting) -> QueuedPodReport:
    return QueuedPodReport(
        pod=waiting.task.name,
        queue="Gated" if waiting.gated else waiting.pool.value,
        plugins=[plugin.name for plugin in waiting.plugins],
        wakes=wakers(waiting.plugins) if waiting.pool is Pool.UNSCHEDULABLE else [],
    )


def percentile_text(seconds: float | None) -> str:
    """A time as people write it."""
    if seconds is None:
        return "-"
    return f"{seconds:.0f} s" if seconds >= 10 or seconds == int(seconds) else f"{seconds:.1f} s"


def facts(report: QueueReport) -> list[tuple[str, str]]:
    """How long the queue was, and who waits at the end, those together that wait for the same."""
    groups: dict[tuple[str, ...], list[QueuedPodReport]] = {}
    for pod in report.waiting:
        groups.setdefault((pod.queue, *pod.wakes), []).append(pod)
    longest = f"at most {report.most_backing_off} backed off, {report.most_unschedulable} waited for events"
    return [("queue", longest), *(("waits", _waiting_text(group, report)) for group in groups.values())]


def _waiting_text(pods: Sequence[QueuedPodReport], report: QueueReport) -> str:
    names = listed([pod.pod for pod in pods], 3)
    match pods[0].queue:
        case "Active" | "Backoff":
            return f"{names}: tried again in a moment"
        case "Gated":
            return f"{names}: kept out of the queue until {' or '.join(pods[0].wakes) or 'its plugin lets it in'}"
        case _:
            return f"{names}: {tried_again(pods[0].wakes)}; {under_way(report)}"


def under_way(report: QueueReport) -> str:
    """What is under way at the end that may move who waits."""
    if not report.to_come:
        return "nothing that is under way would do it"
    return f"{plural(report.to_come, 'more event')} still to come"
