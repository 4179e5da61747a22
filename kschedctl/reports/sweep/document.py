"""A sweep for people: how many scenarios are as expected, where the others are in the grid, and what is wrong."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from kschedctl.objects.phrases import and_more, names_text, plural
from kschedctl.reports.document import (
    CAVEAT,
    Block,
    Context,
    FactList,
    Headline,
    HeatCell,
    HeatMap,
    Only,
    ReportDocument,
)
from kschedctl.reports.head import head
from kschedctl.reports.medium import BRIEF, FULL, Medium
from kschedctl.reports.sweep.model import SweepAxis, SweepReport, SweepTrial
from kschedctl.reports.table import CellKind, Column, Row, Table
from kschedctl.reports.tone import Tone

_PENDING: Final = "pending"
_EVICTIONS: Final = "evictions"
_DECIDERS: Final = ("weight", "schedulers", "versions", "seeds")
"""Axes along which the same pods come to the same nodes."""
_MOST_VALUES: Final = 6
_FEW_VALUES: Final = 3
_NUMBER: Final = re.compile(r"[0-9]+")
_SHORT: Final = 40
_MOST_ROWS: Final = {Medium.TABLE: 20, Medium.MARKDOWN: 60}


def documents(reports: Iterable[SweepReport], context: Context) -> Iterator[ReportDocument]:
    """A document a report."""
    return (document(report, context) for report in reports)


def names(reports: Iterable[SweepReport]) -> Iterator[str]:
    """The values of each scenario that is not as expected."""
    for report in reports:
        for trial in report.trials:
            if not trial.passed:
                yield " ".join(trial.values)


def document(report: SweepReport, context: Context) -> ReportDocument:
    """The document of a report."""
    return ReportDocument(
        Headline(_tone(report), _verdict(report)),
        lead=[report.description] if report.description else [],
        head=head(report, context.now),
        blocks=list(_blocks(report)),
        width=120,
    )


def _tone(report: SweepReport) -> Tone:
    if report.passed is None:
        return Tone.PLAIN
    if report.passed:
        return Tone.YES
    return Tone.NO if report.failed else Tone.MIXED


def _verdict(report: SweepReport) -> str:
    total = plural(report.scenarios, "scenario")
    if report.passed is None:
        left = report.scenarios - report.resumed
        known = f", {left} of them to be run" if report.resumed else ""
        return f"{report.name}: {total}{known}"
    if report.passed:
        return f"{report.name}: " + (
            "the only scenario is as expected" if report.scenarios == 1 else f"all {total} are as expected"
        )
    parts = []
    if failed := len(report.failed):
        parts.append(f"{failed} of {total} {'is' if failed == 1 else 'are'} not as expected")
    if errors := len(report.errors):
        parts.append(f"{errors} of {total} could not be run")
    return f"{report.name}: {', '.join(parts)}"


def _blocks(report: SweepReport) -> Iterator[Block]:
    if report.trials:
        if (heat := heat_map(report)) is not None:
            yield heat
        bad = sorted((t for t in report.trials if not t.passed), key=_gravity)
        if bad:
            yield Only(BRIEF, lambda: _causes(report, bad))
        yield Only(FULL, lambda: _table(report))
        yield from _by_value(report, bad)
    yield FactList.of(list(_facts(report)))


def _gravity(trial: SweepTrial) -> tuple[bool, int, int]:
    return trial.error is None, -trial.left, -trial.evictions


def _causes(report: SweepReport, bad: Sequence[SweepTrial]) -> Table:
    """What goes wrong, each with the scenarios in which it does; numbers in it may differ."""
    causes: dict[str, list[SweepTrial]] = {}
    for trial in bad:
        causes.setdefault(_NUMBER.sub("0", _why(trial)), []).append(trial)
    columns = [
        Column("scenarios", CellKind.NUMBER),
        *(Column(axis.name, optional=len(axis.values) == 1) for axis in report.axes),
        Column("pending", CellKind.NUMBER, alarming=True),
        Column("what is wrong"),
    ]

    def row(trials: Sequence[SweepTrial]) -> Row:
        own = [dict.fromkeys(trial.values[at] for trial in trials) for at in range(len(report.axes))]
        values = [_some(axis, mine) for axis, mine in zip(report.axes, own, strict=True)]
        return Row([len(trials), *values, max(trial.left for trial in trials), _why(trials[0])])

    return Table(columns, [row(trials) for trials in causes.values()], noun="cause")


def _some(axis: SweepAxis, mine: Collection[str]) -> str:
    """Values of an axis."""
    if len(mine) == len(axis.values) > 1:
        return f"all {len(mine)}"
    return names_text([one for one in axis.values if one in mine], _FEW_VALUES)


def _why(trial: SweepTrial) -> str:
    """What is wrong, or the first of it."""
    if trial.error is not None:
        return trial.error
    left = len(trial.findings) - 1
    return trial.findings[0] + (f", and {left} more" if left else "")


def _table(report: SweepReport) -> Table:
    columns = [
        *(Column(axis.name, CellKind.NAME_CUT, optional=len(axis.values) == 1) for axis in report.axes),
        Column("pods", CellKind.NUMBER),
        Column("pending", CellKind.NUMBER, alarming=True),
        Column("evicted", CellKind.NUMBER, optional=True),
        Column("cpu", CellKind.NUMBER),
        Column("memory", CellKind.NUMBER),
        Column("what is wrong"),
    ]

    def row(trial: SweepTrial) -> Row:
        loads = [f"{trial.load[name]:.0%}" if name in trial.load else "" for name in ("cpu", "memory")]
        wrong = trial.error or "; ".join(trial.findings)
        return Row([*trial.values, trial.wanted, trial.left, trial.evictions, *loads, wrong])

    return Table(columns, [row(trial) for trial in report.trials], noun="scenario")


def _by_value(report: SweepReport, bad: Sequence[SweepTrial]) -> Iterator[Block]:
    """On which values of each axis scenarios go wrong, where not on all alike."""
    pairs = []
    for at, axis in enumerate(report.axes):
        counts = Counter(trial.values[at] for trial in bad)
        every = report.scenarios // len(axis.values)
        everywhere_alike = len(counts) == len(axis.values) and len(set(counts.values())) == 1
        if not counts or everywhere_alike:
            continue
        told = [f"{value} ({count} of {every})" for value, count in counts.most_common()]
        pairs.append((axis.name, and_more(told[:_MOST_VALUES], len(told))))
    if pairs:
        yield FactList.of(pairs, "where they go wrong")


def _facts(report: SweepReport) -> Iterator[tuple[str, str]]:
    for axis in report.axes:
        count = len(axis.values)
        yield "axis" if axis is report.axes[0] else "", f"{axis.name}: {_values(axis.values)} ({count})"
    if report.resumed:
        yield "known", f"{plural(report.resumed, 'scenario')} from results that were kept"
    kinds = len({trial.placements for trial in report.trials if trial.placements})
    if kinds and all(axis.kind in _DECIDERS for axis in report.axes):
        outcomes = plural(kinds, "different outcome")
        yield "outcomes", f"{outcomes} of {plural(report.scenarios, 'scenario')}, by where the pods are"
    sent = sum(trial.requests for trial in report.trials)
    for cost in report.extenders:
        yield (
            "extender",
            f"{cost.url}: about {cost.requests:,} requests, preemption and further attempts left out",
        )
    if sent:
        yield "requests", f"{sent:,} were sent to extenders"
    for caveat in report.cluster.caveats:
        yield CAVEAT, caveat.message


def _values(values: Sequence[str]) -> str:
    """All values where they are few and short, else the first and the last."""
    told = ", ".join(values)
    return told if len(told) <= _SHORT or len(values) < 3 else f"{values[0]} ... {values[-1]}"


def heat_map(report: SweepReport) -> HeatMap | None:
    """The measure over two axes; where others vary as well the worst of their values. None: fewer vary."""
    chosen = _axes(report)
    if chosen is None:
        return None
    row, column = chosen
    measure = report.map.measure
    down, across = report.axes[row], report.axes[column]
    cells: dict[tuple[str, str], list[SweepTrial]] = {}
    for trial in report.trials:
        cells.setdefault((trial.values[row], trial.values[column]), []).append(trial)
    worst = max((_value(t, measure) for t in report.trials if t.error is None), default=0.0)
    others = [a.name for at, a in enumerate(report.axes) if at not in chosen and len(a.values) > 1]
    is_share = measure not in (_PENDING, _EVICTIONS)

    def cell(r: str, c: str) -> HeatCell:
        trials = cells[r, c]
        run = [trial for trial in trials if trial.error is None]
        tone = Tone.YES if all(trial.passed for trial in trials) else Tone.NO
        if not run:
            return HeatCell(1.0, "error", Tone.MIXED)
        value = max(_value(trial, measure) for trial in run)
        heat = value if is_share else value / worst if worst else 0.0
        text = f"{value:.0%}" if is_share else f"{value:.0f}"
        return HeatCell(min(max(heat, 0.0), 1.0), text, Tone.MIXED if len(run) < len(trials) else tone)

    title = {_PENDING: "pods without a node", _EVICTIONS: "pods evicted"}.get(measure, f"{measure} in use")
    return HeatMap(
        title + (f", the most over {' and '.join(others)}" if others else ""),
        down.name,
        across.name,
        down.values,
        across.values,
        [[cell(r, c) for c in across.values] for r in down.values],
        limits=_MOST_ROWS,
    )


def _value(trial: SweepTrial, measure: str) -> float:
    if measure == _PENDING:
        return trial.left
    return trial.evictions if measure == _EVICTIONS else trial.load.get(measure, 0.0)


def _axes(report: SweepReport) -> tuple[int, int] | None:
    """The axes of rows and columns: those that are asked for, else those with most values, the wider one downwards."""
    names = [axis.name for axis in report.axes]
    asked = [names.index(name) if name in names else None for name in (report.map.rows, report.map.columns)]
    varying = [at for at, axis in enumerate(report.axes) if len(axis.values) > 1]
    free = sorted((at for at in varying if at not in asked), key=lambda at: -len(report.axes[at].values))
    row, column = asked
    if row is not None and column is not None:
        return row, column
    if row is not None or column is not None:
        if not free:
            return None
        return (row, free[0]) if row is not None else (free[0], column or 0)
    if len(free) < 2:
        return None
    wide = sorted(free[:2], key=lambda at: _width(report.axes[at]))
    return wide[1], wide[0]


def _width(axis: SweepAxis) -> int:
    return sum(len(value) + 2 for value in axis.values)
