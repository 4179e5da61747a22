"""How the room fills as pods arrive: what they ask for, and what those that end on a node have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from kschedctl.objects.go import INT64_MAX
from kschedctl.reports.figures import Curve, Curves
from kschedctl.reports.medium import UNLIMITED
from kschedctl.reports.model import ReportObject, doc
from kschedctl.reports.table import CellKind, Column, Row, Table
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.world.utilization import PODS, Utilization

_SAMPLES: Final = 200
_STEPS: Final = 10
_FEW: Final = 20
"""Of fewer pods a curve tells nothing that a table does not."""


class AllocationSample(ReportObject, frozen=True):
    """What is asked for and allocated once so many pods have arrived; cpu in milli, memory in bytes."""

    pods: Annotated[int, doc("Pods that have arrived.")]
    asked: Annotated[dict[str, int], doc("Resource -> what they and the pods before them ask for.")]
    allocated: Annotated[
        dict[str, int],
        doc("Resource -> what the pods before them and those of them that end on a node have."),
    ]


def allocation_samples(tasks: Sequence[Task], after: Utilization) -> list[AllocationSample]:
    """At most so many samples over the arrivals that a curve can be drawn; none of a few pods.

    The allocation of the last sample is what is in use at the end.
    """
    if len(tasks) < _FEW:
        return []
    amounts = [{} if task.record is None else {**task.record.pod_class.requests, PODS: 1} for task in tasks]
    names = [name for name in after.resources if any(one.get(name) for one in amounts)]
    used = after.total()
    placed = {
        name: sum(one.get(name, 0) for one, task in zip(amounts, tasks, strict=True) if task.placed)
        for name in names
    }
    asked = {name: max(0, used[name].requested - placed[name]) for name in names}
    allocated = dict(asked)
    step = -(-len(tasks) // _SAMPLES)
    found = [AllocationSample(0, dict(asked), dict(allocated))]
    for number, (one, task) in enumerate(zip(amounts, tasks, strict=True), 1):
        for name in names:
            amount = one.get(name, 0)
            asked[name] = min(asked[name] + amount, INT64_MAX)
            allocated[name] = min(allocated[name] + (amount if task.placed else 0), INT64_MAX)
        if number % step == 0 or number == len(tasks):
            found.append(AllocationSample(number, dict(asked), dict(allocated)))
    return found


def allocation_figures(samples: Sequence[AllocationSample], room: dict[str, int]) -> list[Curves]:
    """A curve a resource over the arrivals, with what is asked for beside it.

    Args:
        samples: as the report tells them.
        room: resource -> what there is in all.
    """
    found = []
    for name in _told(samples, room):
        curves = [
            Curve("asked for", [(one.pods, one.asked[name] / room[name]) for one in samples]),
            Curve("allocated", [(one.pods, one.allocated[name] / room[name]) for one in samples]),
        ]
        title = f"{name} allocated as pods arrive, of all that there is"
        found.append(Curves(title, "pods", samples[-1].pods, curves, percent=True))
    return found


def allocation_table(samples: Sequence[AllocationSample], room: dict[str, int]) -> Table | None:
    """The same in ten steps, as a table; None where nothing is asked for.

    Args:
        samples: as the report tells them.
        room: resource -> what there is in all.
    """
    names = _told(samples, room)
    if not names:
        return None
    last = samples[-1].pods
    steps = [
        next(one for one in samples if one.pods * _STEPS >= last * step) for step in range(1, _STEPS + 1)
    ]
    columns = [Column("arrived", CellKind.NUMBER), *(Column(name, CellKind.NAME) for name in names)]

    def cell(one: AllocationSample, name: str) -> str:
        allocated, asked = (amounts[name] / room[name] * 100 for amounts in (one.allocated, one.asked))
        return f"{allocated:.1f} % of {asked:.1f} %"

    rows = [Row([one.pods, *(cell(one, name) for name in names)]) for one in steps]
    note = "(allocated, of what is asked for, as parts of all that there is)"
    return Table(columns, rows, noun="step", limits=UNLIMITED, notes=[note])


def _told(samples: Sequence[AllocationSample], room: dict[str, int]) -> list[str]:
    """Resources of which the pods that arrive ask for some."""
    if not samples:
        return []
    first, last = samples[0], samples[-1]
    return [
        name
        for name in last.asked
        if room.get(name) and last.asked[name] > first.asked[name] and name != PODS
    ]
