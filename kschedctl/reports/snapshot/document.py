"""What is in a snapshot and what differs between two, for people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from kschedctl.objects.phrases import names_text, plural
from kschedctl.objects.quantity import parse
from kschedctl.objects.units import amount_text
from kschedctl.reports.document import Block, Context, FactList, Headline, ReportDocument, Section, TextLines
from kschedctl.reports.medium import UNLIMITED
from kschedctl.reports.rooms.grid import room_figures
from kschedctl.reports.snapshot.diff import FieldChange, KindDiff, SnapshotDiff, TotalChange
from kschedctl.reports.snapshot.info import Gap, SnapshotInfo, SnapshotOrigin
from kschedctl.reports.table import CellKind, Column, Row, Table
from kschedctl.reports.tone import Tone

_MOST_OBJECTS: Final = 20
_MOST_FIELDS: Final = 4
_LONGEST_VALUE: Final = 40


def documents(reports: Iterable[SnapshotInfo], context: Context) -> Iterator[ReportDocument]:
    """A document a snapshot."""
    return (_info(report, context.now) for report in reports)


def diff_documents(reports: Iterable[SnapshotDiff], context: Context) -> Iterator[ReportDocument]:
    """A document a pair of snapshots."""
    return map(_diff, reports)


def _info(report: SnapshotInfo, now: datetime | None) -> ReportDocument:
    return ReportDocument(
        Headline(Tone.PLAIN, ", ".join(report.source), short=_in_short(report, now)),
        about=[FactList.of(_origin(origin, now)) for origin in report.snapshots],
        figures=lambda: room_figures(
            "nodes", [], report.rooms, rest="takes pods", by="whether they take pods"
        ),
        blocks=list(_contents(report)),
    )


def _contents(report: SnapshotInfo) -> Iterator[Block]:
    pods = report.pods
    counts = [(entry.resource, str(entry.count)) for entry in report.objects]
    by_state = f"{pods.on_nodes} on nodes, {pods.pending} pending, {pods.finished} finished"
    yield FactList.of((name, f"{count}  {by_state}" if name == "pods" else count) for name, count in counts)
    if report.resources:
        columns = [
            Column("resource", CellKind.NAME),
            Column("allocatable", CellKind.NUMBER),
            Column("requested", CellKind.NUMBER),
        ]
        rows = [
            Row([r.resource, *(_amount(r.resource, quantity) for quantity in (r.allocatable, r.requested))])
            for r in report.resources
        ]
        yield Table(columns, rows, limits=UNLIMITED)
    gaps = [gap for gap in report.missing if gap.weakens]
    yield FactList.of([*map(_gap, gaps), *(("note", note.text) for note in report.notes)], apart=True)
    if unserved := [gap.resource for gap in report.missing if not gap.weakens]:
        yield FactList.of([("not served", ", ".join(unserved))], apart=True)


def _in_short(report: SnapshotInfo, now: datetime | None) -> str:
    """The report in one line."""
    nodes = sum(entry.count for entry in report.objects if entry.resource == "nodes")
    pods = report.pods
    known = pods.on_nodes + pods.pending + pods.finished
    parts = [f"{', '.join(report.source)}: {plural(nodes, 'node')}, {plural(known, 'pod')}"]
    parts += [f"{pods.pending} pending"] if pods.pending else []
    parts += [f"taken {_age(o.taken_at, now)}" for o in report.snapshots if o.taken_at and now]
    gaps = [gap.resource for gap in report.missing if gap.weakens]
    parts += [f"{names_text(gaps)} missing"] if gaps else []
    return ", ".join(parts)


def _amount(resource: str, quantity: str) -> str:
    """A quantity as people write it."""
    # Sums may be larger than what the scheduler counts with, and longer than each quantity; they are told as they are.
    value = parse(quantity, most=len(quantity))
    return amount_text(resource, -(-value.nano // (10**6 if resource == "cpu" else 10**9)))


def _origin(origin: SnapshotOrigin, now: datetime | None) -> Iterator[tuple[str, str]]:
    if origin.taken_at:
        yield "taken", origin.taken_at + (f" ({_age(origin.taken_at, now)})" if now else "")
    if origin.server:
        yield "from", f"{origin.server} (context {origin.context})" if origin.context else origin.server
    if origin.files:
        yield "from", ", ".join(origin.files)
    if origin.kubernetes_version:
        yield "version", origin.kubernetes_version
    if origin.taken_by:
        yield "by", origin.taken_by
    if origin.redacted:
        yield "redacted", ", ".join(origin.redacted)


def _age(taken_at: str, now: datetime) -> str:
    seconds = int((now - datetime.fromisoformat(taken_at)).total_seconds())
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length} {unit} ago"
    return "just now"


def _gap(gap: Gap) -> tuple[str, str]:
    text = f"{gap.resource} ({gap.reason}): {gap.weakens}"
    if gap.rule:
        groups, verbs = ", ".join(f'"{group}"' for group in gap.rule.api_groups), ", ".join(gap.rule.verbs)
        resources = ", ".join(gap.rule.resources)
        text += f"; allowed by apiGroups [{groups}], resources [{resources}], verbs [{verbs}]"
    return "missing", text


def _diff(report: SnapshotDiff) -> ReportDocument:
    names = f"{', '.join(report.before.source)} and {', '.join(report.after.source)}"
    if report.same:
        return ReportDocument(Headline(Tone.YES, f"{names} are the same for scheduling"))
    count = sum(len(kind.added) + len(kind.removed) + len(kind.changed) for kind in report.kinds)
    totals = [*_totals("allocatable", report.allocatable), *_totals("requested", report.requested)]
    return ReportDocument(
        Headline(Tone.NO, f"{names} differ in {plural(count, 'object')}"),
        blocks=[
            *(Section(kind.resource, [TextLines(list(_lines(kind)))]) for kind in report.kinds),
            FactList.of(totals),
        ],
    )


def _lines(kind: KindDiff) -> Iterator[str]:
    lines = [
        *(f"- {name}" for name in kind.removed),
        *(f"+ {name}" for name in kind.added),
        *(f"~ {change.name}  {_fields(change.fields)}" for change in kind.changed),
    ]
    yield from lines[:_MOST_OBJECTS]
    if len(lines) > _MOST_OBJECTS:
        yield f"{len(lines) - _MOST_OBJECTS} more; -o json has all"


def _fields(fields: Sequence[FieldChange]) -> str:
    shown = [f"{f.field}: {_value(f.before)} -> {_value(f.after)}" for f in fields[:_MOST_FIELDS]]
    if len(fields) > _MOST_FIELDS:
        shown.append(f"{len(fields) - _MOST_FIELDS} more fields")
    return "; ".join(shown)


def _value(value: Any) -> str:
    if value is None:
        return "none"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def _totals(label: str, changes: Sequence[TotalChange]) -> Iterator[tuple[str, str]]:
    for change in changes:
        yield label, f"{change.resource}: {_value(change.before)} -> {_value(change.after)}"
