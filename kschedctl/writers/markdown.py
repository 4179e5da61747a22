"""Documents as GitHub-flavoured Markdown: for pull requests and tickets. Text of inputs is shown as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import Final

from kschedctl.objects.phrases import plural
from kschedctl.reports.document import (
    Checklist,
    Fact,
    FactList,
    HeatCell,
    HeatMap,
    Reasons,
    ReportDocument,
    Section,
    Shown,
    TextLines,
    wanted,
)
from kschedctl.reports.medium import Medium
from kschedctl.reports.table import Cell, CellKind, NodeNames, Table
from kschedctl.reports.tone import Tone
from kschedctl.safe_text import safe_text
from kschedctl.writers.formats import Look

_MOST_NODES: Final = 20
_MOST_REASONS: Final = 20
_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>|~$])")
_NEWLINES: Final = re.compile(r"[\r\n]+")
_MENTION: Final = re.compile(r"(?<!\w)([@#])(?=\w)")
_MARKS: Final = MappingProxyType({Tone.YES: "✅ ", Tone.NO: "❌ ", Tone.MIXED: "⚠️ ", Tone.PLAIN: ""})


def markdown_pieces(documents: Iterable[ReportDocument], look: Look) -> Iterator[str]:
    """The documents, one below the other."""
    between = ""
    for document in documents:
        if look.quiet and document.about_all:
            continue
        yield between + "\n\n".join(_blocks(document, look)) + "\n"
        between = "\n"


def _on_one_line(text: str) -> str:
    first, *others = _NEWLINES.split(text)
    if not others:
        return text
    *between, last = others
    return " ".join([first.rstrip(), *(part.strip() for part in between), last.lstrip()])


def escaped(text: str) -> str:
    """The text on one line, with nothing in it that Markdown would take for a mark, and that calls nobody."""
    harmless = _SPECIAL.sub(r"\\\1", safe_text(_on_one_line(text)))
    return _MENTION.sub(r"\1<!-- -->", harmless)


def _blocks(document: ReportDocument, look: Look) -> Iterator[str]:
    found = document.verdict
    level = "" if document.about_all and found.tone is Tone.PLAIN else "## " if document.about_all else "### "
    text = found.short if look.quiet and found.short else found.text
    yield f"{level}{_MARKS[found.tone]}{escaped(text)}"
    if look.quiet:
        return
    yield from map(escaped, document.lead)
    if document.changes:
        yield f"After {escaped('; '.join(document.changes))}."
    for facts in document.about:
        yield from _block(facts)
    for block in wanted(document.blocks, Medium.MARKDOWN):
        yield from _block(block)
    if document.head:
        yield f"_{escaped(document.head)}_"


def _block(block: Shown) -> Iterator[str]:
    match block:
        case Table():
            yield _table(block)
            yield from map(escaped, block.notes)
        case Reasons():
            yield _reasons(block)
        case FactList():
            if block.title:
                yield f"{escaped(block.title)}:"
            yield "\n".join(map(_fact, block.facts))
        case TextLines():
            if block.head:
                yield escaped(block.head)
            if block.whole:
                yield "\n".join(
                    ["```shell", *(line.replace("```", "") for line in map(safe_text, block.lines)), "```"]
                )
                return
            lines = list(map(escaped, block.lines[: block.limits.get(Medium.MARKDOWN)]))
            yield from lines if block.dim else ["\n".join(f"- {line}" for line in lines)]
        case Checklist():
            yield from _checklist(block)
        case HeatMap():
            yield from _heat_map(block)
        case Section():
            yield f"{escaped(block.title)}:"
            for one in wanted(block.blocks, Medium.MARKDOWN):
                yield from _block(one)


def _checklist(block: Checklist) -> Iterator[str]:
    """What is wrong, no block where nothing is; that all is well is said by the table of all of them."""
    lines = [f"**{escaped(block.answer.text)}**", ""]
    for check in block.checks:
        if not check.passed:
            lines.append(f"- expected: {escaped(check.text)}")
            lines += [f"  - {escaped(text)} ({_code(place)})" for text, place in check.findings]
    if len(lines) > 2:
        yield "\n".join(lines)


def _code(text: str) -> str:
    return f"`{safe_text(text).replace('`', '')}`"


def _fact(fact: Fact) -> str:
    first, *rest = fact.texts
    lines = [f"- **{escaped(fact.label)}**: {escaped(first)}", *(f"  {escaped(text)}" for text in rest)]
    below = fact.below[: fact.limits.get(Medium.MARKDOWN)]
    lines += [f"{'  ' * (depth + 1)}- {escaped(text)}" for depth, text in below]
    if left := len(fact.below) - len(below):
        lines.append(f"  - {plural(left, 'more line')}")
    return "\n".join(lines)


def _table(table: Table) -> str:
    rows = list(table.rows[: table.limits.get(Medium.MARKDOWN)])
    shown = [
        at
        for at, column in enumerate(table.columns)
        if not column.optional or any(row.cells[at] != 0 for row in rows)
    ]
    columns = [table.columns[at] for at in shown]
    cells = []
    for row in rows:
        texts = [_cell(row.cells[at]) for at in shown]
        cells.append([f"**{texts[0]}**", *texts[1:]] if row.chosen else texts)
    if left := len(table.rows) - len(rows):
        cells.append([f"+{left}", *("" for _ in columns[1:])])
    return _drawn(
        [column.name + column.suffix for column in columns],
        cells,
        [column.kind is CellKind.NUMBER for column in columns],
    )


def _cell(cell: Cell) -> str:
    match cell:
        case NodeNames():
            return _names(cell)
        case Tone():
            return _MARKS[cell].strip()
        case _:
            return escaped(str(cell))


def _heat_map(found: HeatMap) -> Iterator[str]:
    rows = found.shown(Medium.MARKDOWN)
    yield f"{escaped(found.title)}; across: {escaped(found.column_title)}"
    cells = [[escaped(found.rows[at]), *map(_heat, found.cells[at])] for at in rows]
    yield _drawn([found.row_title, *found.columns], cells, [False, *(True for _ in found.columns)])
    if left := len(found.rows) - len(rows):
        yield f"{plural(left, 'cooler row')} left out"
    yield from map(escaped, found.notes)


def _heat(cell: HeatCell | None) -> str:
    return "" if cell is None else f"{'' if cell.tone is Tone.YES else _MARKS[cell.tone]}{escaped(cell.text)}"


def _names(names: NodeNames) -> str:
    shown = [escaped(name + suffix) for name, suffix in names.entries[:_MOST_NODES]]
    left = len(names.entries) - len(shown)
    return " ".join([*shown, *([f"+{left}"] if left else [])])


def _reasons(reasons: Reasons) -> str:
    rows = []
    for group in reasons.groups:
        if group.who:
            rows.append([f"**{escaped(group.who)}**", "", ""])
        if not group.reasons:
            rows.append([escaped(group.message), "", ""])
        rows += [
            [escaped(why.text), str(len(why.nodes)), _names(NodeNames.of(why.nodes))]
            for why in group.reasons[:_MOST_REASONS]
        ]
        if (left := len(group.reasons) - _MOST_REASONS) > 0:
            rows.append([f"+{left}", "", ""])
    return _drawn([reasons.title, "count", "nodes"], rows, [False, True, False])


def _drawn(titles: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[bool]) -> str:
    """A table of cells that are escaped."""
    rules = ["---:" if number else "---" for number in numbers]
    return "\n".join(f"| {' | '.join(line)} |" for line in (list(map(escaped, titles)), rules, *rows))
