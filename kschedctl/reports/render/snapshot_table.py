"""What is in a snapshot and what differs between two, for people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import RenderableType
from rich.text import Text

from kschedctl.objects.phrases import names_text, plural
from kschedctl.objects.quantity import parse
from kschedctl.objects.units import amount_text
from kschedctl.reports.formats import Look
from kschedctl.reports.render.text import blank, indented, pairs, plain_table, print_text
from kschedctl.reports.snapshot.diff import FieldChange, KindDiff, SnapshotDiff, TotalChange
from kschedctl.reports.snapshot.info import Gap, SnapshotInfo, SnapshotOrigin

_MOST_OBJECTS: Final = 20
_MOST_FIELDS: Final = 4
_LONGEST_VALUE: Final = 40


def info_text(reports: Sequence[SnapshotInfo], look: Look) -> str:
    """The report as text."""
    return "\n\n".join(print_text(_info(report, look), look) for report in reports)


def diff_text(reports: Sequence[SnapshotDiff], look: Look) -> str:
    """The report as text."""
    return "\n\n".join(print_text(_diff(report, look), look) for report in reports)


def _info(report: SnapshotInfo, look: Look) -> Iterator[RenderableType]:
    if look.quiet:
        yield Text(_in_short(report, look))
        return
    yield Text(", ".join(report.source), style="bold")
    for origin in report.snapshots:
        yield pairs(list(_origin(origin, look)))
    pods = report.pods
    yield blank()
    counts = [(entry.resource, str(entry.count)) for entry in report.objects]
    by_state = f"{pods.on_nodes} on nodes, {pods.pending} pending, {pods.finished} finished"
    yield pairs([(name, f"{count}  {by_state}" if name == "pods" else count) for name, count in counts])
    if report.resources:
        yield blank()
        table = plain_table()
        table.add_column("resource")
        table.add_column("allocatable", justify="right")
        table.add_column("requested", justify="right")
        for total in report.resources:
            table.add_row(
                total.resource, *(_amount(total.resource, q) for q in (total.allocatable, total.requested))
            )
        yield indented(table)
    gaps = [gap for gap in report.missing if gap.weakens]
    if gaps or report.notes:
        yield blank()
        yield pairs([*map(_gap, gaps), *(("note", note.text) for note in report.notes)])
    unserved = [gap.resource for gap in report.missing if not gap.weakens]
    if unserved:
        yield blank()
        yield pairs([("not served", ", ".join(unserved))])


def _in_short(report: SnapshotInfo, look: Look) -> str:
    """The report in one line."""
    nodes = sum(entry.count for entry in report.objects if entry.resource == "nodes")
    pods = report.pods
    known = pods.on_nodes + pods.pending + pods.finished
    parts = [f"{', '.join(report.source)}: {plural(nodes, 'node')}, {plural(known, 'pod')}"]
    parts += [f"{pods.pending} pending"] if pods.pending else []
    parts += [f"taken {_age(o.taken_at, look.now)}" for o in report.snapshots if o.taken_at and look.now]
    gaps = [gap.resource for gap in report.missing if gap.weakens]
    parts += [f"{names_text(gaps)} missing"] if gaps else []
    return ", ".join(parts)


def _amount(resource: str, quantity: str) -> str:
    """A quantity as people write it."""
    value = parse(quantity)
    # Sums may be larger than what the scheduler counts with, and are told as they are.
    return amount_text(resource, -(-value.nano // (10**6 if resource == "cpu" else 10**9)))


def _origin(origin: SnapshotOrigin, look: Look) -> Iterator[tuple[str, str]]:
    if origin.taken_at:
        yield "taken", origin.taken_at + (f" ({_age(origin.taken_at, look.now)})" if look.now else "")
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


def _diff(report: SnapshotDiff, look: Look) -> Iterator[RenderableType]:
    names = f"{', '.join(report.before.source)} and {', '.join(report.after.source)}"
    if report.same:
        yield Text(f"✓ {names} are the same for scheduling")
        return
    count = sum(len(kind.added) + len(kind.removed) + len(kind.changed) for kind in report.kinds)
    yield Text(f"✗ {names} differ in {plural(count, 'object')}")
    if look.quiet:
        return
    for kind in report.kinds:
        yield blank()
        yield Text(f"  {kind.resource}", style="bold")
        yield from (Text(f"    {line}", overflow="fold") for line in _lines(kind))
    totals = [*_totals("allocatable", report.allocatable), *_totals("requested", report.requested)]
    if totals:
        yield blank()
        yield pairs(totals)


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
        yield label, f"{change.resource}: {change.before} -> {change.after}"
