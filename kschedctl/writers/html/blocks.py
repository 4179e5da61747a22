"""The blocks of a document as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Final

from kschedctl.objects.phrases import plural
from kschedctl.reports.document import (
    Checklist,
    Concerned,
    Fact,
    FactList,
    HeatCell,
    HeatMap,
    Reasons,
    Section,
    Shown,
    TextLines,
    wanted,
)
from kschedctl.reports.medium import Medium
from kschedctl.reports.table import Cell, CellKind, Column, NodeNames, Share, Table
from kschedctl.reports.tone import Tone
from kschedctl.writers.html.elements import Markup, element, text
from kschedctl.writers.html.figures.share import share

_MOST_NAMES: Final = 12
_BIG: Final = 200
"""Tables with more rows are laid out once they come into sight."""
_LONGEST_WHO: Final = 240
_LONG: Final = 40
"""Longer texts keep some width where there is little."""
_SHADES: Final = 4
_MARKS: Final = MappingProxyType({Tone.YES: "✓", Tone.NO: "✗", Tone.MIXED: "!", Tone.PLAIN: ""})
_CLASSES: Final = MappingProxyType(
    {
        CellKind.NUMBER: "number",
        CellKind.NAME: "whole",
        CellKind.NAME_CUT: "whole",
        CellKind.SHARE: "whole",
        CellKind.NAMES: "names",
    }
)


def block(found: Shown) -> Markup:
    """A block."""
    match found:
        case Table():
            return _table(found)
        case Reasons():
            return _reasons(found)
        case FactList():
            return facts(found)
        case TextLines():
            return _lines(found)
        case Checklist():
            return _checklist(found)
        case HeatMap():
            return _heat_map(found)
        case Section():
            inner = [block(one) for one in wanted(found.blocks, Medium.HTML)]
            return element("section", element("h2", found.title), *inner)


def facts(found: FactList) -> Markup:
    """Labels and what belongs to them."""
    parts = [part for fact in found.facts for part in _fact(fact)]
    title = [element("h2", found.title)] if found.title else []
    return Markup("".join([*title, element("dl", *parts)]))


def _fact(fact: Fact) -> Iterator[Markup]:
    yield element("dt", fact.label)
    texts = [element("div", line) for line in fact.texts]
    yield element("dd", *texts, *([_tree(fact.below)] if fact.below else []))


def _tree(lines: Sequence[tuple[int, str]]) -> Markup:
    """Lines with their depths as lists in lists."""
    depth = lines[0][0]
    starts = [at for at, line in enumerate(lines) if line[0] == depth]
    items = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        below = lines[start + 1 : end]
        items.append(element("li", lines[start][1], *([_tree(below)] if below else [])))
    return element("ul", *items)


def _lines(found: TextLines) -> Markup:
    head = [element("p", found.head)] if found.head else []
    if found.whole:
        return Markup("".join([*head, element("pre", "\n".join(found.lines))]))
    style = "dim" if found.dim else None
    return Markup("".join([*head, *(element("p", line, class_=style) for line in found.lines)]))


def _table(table: Table) -> Markup:
    rows = list(table.rows[: table.limits.get(Medium.HTML)])
    shown = [
        at
        for at, column in enumerate(table.columns)
        if not column.optional or any(row.cells[at] != 0 for row in rows)
    ]
    columns = [table.columns[at] for at in shown]
    drawn = {at for at in shown if any(isinstance(c := row.cells[at], Share) and c.drawn for row in rows)}
    body = [
        element(
            "tr",
            *(_cell(table.columns[at], row.cells[at], drawn=at in drawn) for at in shown),
            class_="chosen" if row.chosen else None,
        )
        for row in rows
    ]
    notes = [element("p", note, class_="dim") for note in table.notes]
    if left := len(table.rows) - len(rows):
        notes.append(element("p", plural(left, f"more {table.noun}"), class_="dim"))
    return Markup("".join([_framed(columns, body), *notes]))


def _framed(columns: Sequence[Column], body: Sequence[Markup]) -> Markup:
    heads = [_head(column) for column in columns]
    table = element("table", element("thead", element("tr", *heads)), element("tbody", *body))
    label = ", ".join(column.name for column in columns if column.name) or "table"
    style = "scroll big" if len(body) > _BIG else "scroll"
    return element("div", table, class_=style, tabindex=0, role="group", aria_label=label)


def _head(column: Column) -> Markup:
    """A title, which sorts; a column without one has no head."""
    if not column.name:
        return element("td")
    button = element("button", column.name + column.suffix, type="button")
    return element("th", button, scope="col", class_=_CLASSES.get(column.kind))


def _cell(column: Column, cell: Cell, *, drawn: bool) -> Markup:
    """A cell; `drawn`: whether a share of its column is drawn."""
    style = _CLASSES.get(column.kind)
    match cell:
        case Share():
            value = None if cell.part is None else f"{cell.part:.4f}"
            return element("td", share(cell, beside=drawn), class_=style, data_value=value)
        case NodeNames():
            return element("td", _names([name + suffix for name, suffix in cell.entries]), class_=style)
        case Tone():
            return element("td", element("span", _MARKS[cell], class_=f"mark {cell.value}"))
        case _:
            bad = column.alarming and cell != 0
            if style is None and len(str(cell)) > _LONG:
                style = "long"
            return element("td", str(cell), class_="number bad" if bad else style)


def _heat_map(found: HeatMap) -> Markup:
    """A table whose cells are shaded by classes, since styles of single elements are not allowed."""
    head = element(
        "tr",
        element("th", found.row_title, scope="col"),
        *(element("th", name, scope="col", class_="number") for name in found.columns),
    )
    body = [
        element("tr", element("th", found.rows[at], scope="row"), *map(_heat, found.cells[at]))
        for at in found.shown(Medium.HTML)
    ]
    title = f"{found.title}; across: {found.column_title}"
    table = element("table", element("thead", head), element("tbody", *body), class_="heat")
    framed = element("div", table, class_="scroll", tabindex=0, role="region", aria_label=title)
    notes = [element("p", note, class_="dim") for note in found.notes]
    return element("section", element("h2", title), framed, *notes)


def _heat(cell: HeatCell | None) -> Markup:
    if cell is None:
        return element("td")
    shade = 0 if cell.heat <= 0 else 1 + min(int(cell.heat * _SHADES), _SHADES - 1)
    return element("td", cell.text, class_=f"number heat-{shade} {cell.tone.value}")


def _names(names: Sequence[str]) -> Markup:
    """Names, beyond a dozen behind a handle."""
    if len(names) <= _MOST_NAMES:
        return element("span", " ".join(names))
    summary = element("summary", f"{' '.join(names[:_MOST_NAMES])} +{len(names) - _MOST_NAMES}")
    return element("details", summary, " ".join(names[_MOST_NAMES:]))


def _reasons(reasons: Reasons) -> Markup:
    columns = [Column(reasons.title), Column("count", CellKind.NUMBER), Column("nodes", CellKind.NAMES)]
    body = []
    for group in reasons.groups:
        if group.who:
            body.append(element("tr", element("td", _who(group), colspan=3), class_="who"))
        if not group.reasons:
            body.append(element("tr", element("td", group.message, colspan=3)))
        body += [
            element(
                "tr",
                element("td", why.text),
                element("td", str(len(why.nodes)), class_="number"),
                element("td", _names(why.nodes), class_="names"),
            )
            for why in group.reasons
        ]
    return _framed(columns, body)


def _who(group: Concerned) -> Markup:
    """Whom reasons are about; hundreds of names behind a handle."""
    if len(group.who) <= _LONGEST_WHO:
        return text(group.who)
    return element("details", element("summary", group.who_short), element("span", group.who, class_="dim"))


def _checklist(found: Checklist) -> Markup:
    answer = found.answer
    mark = element("span", _MARKS[answer.tone], " ", class_=f"mark {answer.tone.value}")
    items = []
    for check in found.checks:
        tone = Tone.YES if check.passed else Tone.NO
        below = [
            element("li", finding, element("span", f" at {place}", class_="dim"))
            for finding, place in check.findings
        ]
        sign = element("span", _MARKS[tone], " ", class_=f"mark {tone.value}")
        items.append(element("li", sign, check.text, *([element("ul", *below)] if below else [])))
    about = [element("p", found.about, class_="dim")] if found.about else []
    return element(
        "section",
        element("h2", mark, answer.text),
        *about,
        element("p", found.outcome),
        element("ul", *items),
    )
