"""Documents as text for terminals: the order of things, what is said once, how it looks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table as Grid
from rich.text import Text

from kschedctl.reports.document import (
    CAVEAT,
    Checklist,
    Fact,
    FactList,
    HeatMap,
    Reasons,
    ReportDocument,
    Section,
    Shown,
    TextLines,
    wanted,
)
from kschedctl.reports.medium import Medium
from kschedctl.reports.table import Table
from kschedctl.reports.tone import Tone
from kschedctl.safe_text import safe_text, without_commands
from kschedctl.writers.formats import Look
from kschedctl.writers.terminal.columns import GAP
from kschedctl.writers.terminal.flowing import Flowing
from kschedctl.writers.terminal.heat_map import heat_map_part
from kschedctl.writers.terminal.reasons import reasons_part
from kschedctl.writers.terminal.table import left_out, table_part

_INDENT: Final = 2
_MARKS: Final = MappingProxyType(
    {
        Tone.YES: ("✓", "bold green"),
        Tone.NO: ("✗", "bold red"),
        Tone.MIXED: ("!", "bold yellow"),
    }
)
_ASCII: Final = MappingProxyType({"✓": "+", "✗": "x", "…": "..."})


def table_pieces(documents: Iterable[ReportDocument], look: Look) -> Iterator[str]:
    """The documents, one below the other, each with what tells most."""
    return _pieces(documents, look, Medium.TABLE)


def wide_pieces(documents: Iterable[ReportDocument], look: Look) -> Iterator[str]:
    """The documents with nothing left out."""
    return _pieces(documents, look, Medium.WIDE)


def _pieces(documents: Iterable[ReportDocument], look: Look, medium: Medium) -> Iterator[str]:
    """What is the same as in the document before, scheduler and caveats, is not said again."""
    head, first = "", True
    caveats: set[str] = set()
    for document in documents:
        if look.quiet:
            if not document.about_all:
                yield f"{without_commands(print_text([_verdict(document, quiet=True)], look))}\n"
            continue
        width = max(look.width, document.width) if medium is Medium.WIDE else look.width
        shown = replace(document, head="" if document.head == head else document.head)
        head = document.head or head
        parts = _parts(shown, replace(look, width=width), medium, caveats)
        text = print_text([*([] if first else [Text("")]), *parts], replace(look, width=width))
        yield f"{without_commands(text)}\n"
        first = False


def _verdict(document: ReportDocument, *, quiet: bool = False) -> Text:
    """The mark and the verdict."""
    found = document.verdict
    text = safe_text(found.short if quiet and found.short else found.text)
    if found.tone is Tone.PLAIN:
        return Text(text, "" if document.about_all else "bold")
    return Text.assemble(_MARKS[found.tone], " ", (text, "bold"))


def _parts(document: ReportDocument, look: Look, medium: Medium, told: set[str]) -> Iterator[RenderableType]:
    yield _verdict(document)
    for line in document.lead:
        yield _indented(Flowing(safe_text(line)))
    for facts in document.about:
        if part := _facts(facts.facts, medium):
            yield _indented(part)
    if document.head:
        yield _indented(Flowing(safe_text(document.head), "dim"))
    if document.changes:
        yield _indented(Flowing(safe_text(f"after {'; '.join(document.changes)}"), "dim"))
    for block in wanted(document.blocks, medium):
        if part := _part(block, replace(look, width=look.width - _INDENT), medium, told):
            yield Text("")
            yield _indented(part)


def _part(block: Shown, look: Look, medium: Medium, told: set[str]) -> RenderableType | None:
    """A block in the width of a look, None where all of it is said above."""
    match block:
        case Table():
            return table_part(block, look, medium)
        case Reasons():
            return reasons_part(block, look, medium)
        case TextLines():
            lines = _lines(block, medium)
            if not block.whole:
                return Group(*(Flowing(text, style) for text, style in lines))
            return Group(*(Text(text, style, overflow="ignore", no_wrap=True) for text, style in lines))
        case Section():
            inner = replace(look, width=look.width - _INDENT)
            parts = [_part(one, inner, medium, told) for one in wanted(block.blocks, medium)]
            return Group(Flowing(safe_text(block.title)), *(_indented(part) for part in parts if part))
        case Checklist():
            return Group(*_checklist(block))
        case HeatMap():
            return heat_map_part(block, look, medium)
        case FactList():
            facts = _facts([fact for fact in (_untold(one, told) for one in block.facts) if fact], medium)
            return Group(Text(safe_text(block.title), "dim"), facts) if block.title and facts else facts


def _lines(block: TextLines, medium: Medium) -> Iterator[tuple[str, str]]:
    """The lines and their styles; a single one is not left out, since it has room where that would be said."""
    style = "dim" if block.dim else ""
    if block.head:
        yield safe_text(block.head), style
    most = block.limits.get(medium)
    shown = block.lines if most is None or len(block.lines) <= most + 1 else block.lines[:most]
    for line in shown:
        yield safe_text(line), style
    if left := len(block.lines) - len(shown):
        yield f"{left} more notes, see -o wide", style


def _checklist(block: Checklist) -> Iterator[RenderableType]:
    """A scenario with its expectations, what is wrong set in below each."""
    mark = _MARKS[block.answer.tone]
    yield Text.assemble(
        mark, " ", (safe_text(block.answer.text), "bold"), ("  " + safe_text(block.about), "dim")
    )
    yield _indented(Flowing(safe_text(block.outcome)))
    for check in block.checks:
        mark = _MARKS[Tone.YES if check.passed else Tone.NO]
        yield _indented(Text.assemble(mark, " ", safe_text(check.text)))
        for finding, place in check.findings:
            yield _indented(Flowing(safe_text(finding)), 3 * _INDENT)
            yield _indented(Text(safe_text(f"at {place}"), "dim"), 3 * _INDENT)
    for caveat in block.caveats:
        yield _indented(Flowing(safe_text(f"{CAVEAT}: {caveat}"), "yellow"))


def _untold(fact: Fact, told: set[str]) -> Fact | None:
    """The fact without caveats that stand above already; they count as told from now on."""
    if fact.label != CAVEAT:
        return fact
    texts = [text for text in fact.texts if text not in told]
    told.update(texts)
    return replace(fact, texts=texts) if texts else None


def _facts(facts: Sequence[Fact], medium: Medium) -> RenderableType | None:
    """Labels and what belongs to them, long text going on below itself."""
    if not facts:
        return None
    grid = Grid.grid(padding=(0, GAP))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column(overflow="fold")
    for fact in facts:
        below = fact.below[: fact.limits.get(medium)]
        texts = [*fact.texts, *("  " * depth + text for depth, text in below)]
        if left := len(fact.below) - len(below):
            texts.append(left_out(left, "line", medium))
        for i, text in enumerate(texts):
            grid.add_row("" if i else Text(safe_text(fact.label)), Flowing(safe_text(text)))
    return grid


class _Indented:
    """A part with spaces before each of its lines; rich's own padding cuts lines that are to stay whole."""

    def __init__(self, part: RenderableType, columns: int) -> None:
        self._part, self._columns = part, columns

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        inner = options.update(width=max(1, options.max_width - self._columns))
        for line in Segment.split_lines(console.render(self._part, inner)):
            yield Segment(" " * self._columns)
            yield from line
            yield Segment.line()


def _indented(part: RenderableType, columns: int = _INDENT) -> RenderableType:
    return _Indented(part, columns)


def print_text(parts: Iterable[RenderableType], look: Look) -> str:
    """The parts one below the other, as text of the given look, without spaces at the ends of lines.

    A line with a word longer than the width, such as a path, is left to the terminal to wrap: it stays
    whole where it is copied or searched.
    """
    out = StringIO()
    console = Console(
        file=out,
        width=look.width,
        force_terminal=look.color,
        no_color=not look.color,
        color_system="standard" if look.color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for part in parts:
        console.print(part, soft_wrap=_has_long_word(part, look.width), crop=False)
    text = "\n".join(line.rstrip() for line in out.getvalue().splitlines())
    return text if look.unicode else "".join(_ASCII.get(char, char) for char in text)


def _has_long_word(part: RenderableType, width: int) -> bool:
    return isinstance(part, Text) and any(len(word) > width for word in part.plain.split())
