"""A simulation in pictures: what becomes of its pods and of the nodes, how the room fills, who waits in the queue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kschedctl.objects.phrases import plural
from kschedctl.reports.figures import Figure, StackedBars
from kschedctl.reports.rooms.grid import room_figures
from kschedctl.reports.simulate.allocation import allocation_figures
from kschedctl.reports.simulate.lanes import queue_figures, run_figures
from kschedctl.reports.simulate.model import Simulation, WorkloadPlacement
from kschedctl.reports.tone import Tone

_BARS: Final = 30


def figures(report: Simulation) -> list[Figure]:
    """The pictures of a report."""
    found: list[Figure] = [_workloads(report.workloads)] if report.workloads else []
    if report.queue is not None:
        found += queue_figures(report.queue)
    elif report.timeline is not None:
        found += run_figures(report.timeline, report.seconds)
    room = {one.resource: one.after.allocatable for one in report.load if one.after is not None}
    found += allocation_figures(report.allocation, room)
    going: dict[str, list[str]] = {}
    for pod in report.pods:
        if pod.node is not None:
            going.setdefault(pod.node, []).append(f"{pod.namespace}/{pod.name}")
    gets = [("gets pods", {name: f"gets {', '.join(pods)}" for name, pods in going.items()})]
    return [*found, *room_figures("nodes by what becomes of them", gets, report.rooms)]


def _workloads(workloads: Sequence[WorkloadPlacement]) -> StackedBars:
    """What becomes of the pods of each workload; of many, of those with most pods on no node."""
    shown = list(workloads)
    if left := max(0, len(shown) - _BARS):
        shown = sorted(shown, key=lambda one: (one.placed - one.wanted, -one.wanted))[:_BARS]
    return StackedBars(
        f"pods by workload; {plural(left, 'more workload')} not shown" if left else "pods by workload",
        ["placed", "pending", "refused", "not created"],
        [(one.title, [one.placed, one.pending, one.refused, one.not_created]) for one in shown],
        [Tone.YES, Tone.NO, Tone.NO, Tone.MIXED],
    )
