"""How full a cluster was and is, as tables for people: shares as bars, by resource, zone, pool and fullest node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from kschedctl.reports.formats import Look
from kschedctl.reports.render.text import GAP, blank, indented, plain_table
from kschedctl.reports.simulate import sentences
from kschedctl.reports.simulate.model import Load, ResourceLoad, Simulation
from kschedctl.writers.terminal.long_names import node_cells

if TYPE_CHECKING:
    from rich.console import RenderableType

    from kschedctl.reports.capacity.model import Capacity
    from kschedctl.reports.drain.model import Drain

_BAR = 10
_FULLEST = 3
_ALWAYS_SHOWN = ("cpu", "memory")


def load_parts(report: Simulation | Drain | Capacity, look: Look, *, wide: bool) -> list[RenderableType]:
    """How full the cluster was and is, by resource, zone, pool and for the fullest nodes."""
    used = [r for r in report.load if r.resource in _ALWAYS_SHOWN or (r.after and r.after.requested)]
    if not used:
        return []
    parts: list[RenderableType] = [blank(), _total_table(used, look)]
    if told := sentences.not_counted(report.not_counted):
        parts.append(indented(Text(f"({told})", "dim")))
    main = used if wide else [r for r in used if r.resource in _ALWAYS_SHOWN]
    for title, groups in (("zone", [r.zones for r in main]), ("node pool", [r.pools for r in main])):
        names = list(dict.fromkeys(name for group in groups for name in group))
        if len(names) > 1:
            parts += [blank(), _group_table(title, names, main, pools=title != "zone")]
    if any(r.fullest for r in main):
        closed = {node.name: node.after for node in report.not_counted if node.after}
        parts += [blank(), _fullest_table(main, closed, look, wide=wide)]
    return parts


def _total_table(load: Iterable[ResourceLoad], look: Look) -> RenderableType:
    table = plain_table()
    table.add_column("requested", no_wrap=True)
    for title in ("before", "", "after", "", ""):
        table.add_column(title, no_wrap=True, justify="left")
    for r in load:
        table.add_row(
            r.resource,
            bar(r.before, look),
            sentences.percent(r.before),
            bar(r.after, look),
            sentences.percent(r.after),
            sentences.amounts(r.resource, r.after),
        )
    return indented(table)


def _group_table(
    title: str, names: Sequence[str], load: Sequence[ResourceLoad], *, pools: bool
) -> RenderableType:
    table = plain_table()
    table.add_column(title, overflow="fold")
    for r in load:
        table.add_column(r.resource, no_wrap=True)
    for name in names:
        cells = []
        for r in load:
            change = (r.pools if pools else r.zones).get(name)
            before, after = (change.before, change.after) if change else (None, None)
            gone = "gone" if after is None and before is not None else sentences.percent(after)
            cells.append(f"{sentences.percent(before)} > {gone}")
        table.add_row(name, *cells)
    return indented(table)


def _fullest_table(
    load: Sequence[ResourceLoad], closed: Mapping[str, str], look: Look, *, wide: bool
) -> RenderableType:
    table = plain_table()
    for title in ("fullest", "", "", "node"):
        table.add_column(title, no_wrap=True)
    rows = [
        ("" if i else r.resource, Load(requested=round(node.share * 1000), allocatable=1000), node.node)
        for r in load
        for i, node in enumerate(r.fullest if wide else r.fullest[:_FULLEST])
    ]
    cells = [[(name, f" ({closed[name]})" if name in closed else "")] for _, _, name in rows]
    labels = max(len("fullest"), *(len(label) for label, _, _ in rows))
    names = node_cells(cells, look.width - 2 - labels - _BAR - len("100 %") - 3 * GAP, look)
    for (label, filled, _), name in zip(rows, names, strict=True):
        table.add_row(label, bar(filled, look), sentences.percent(filled), name)
    return indented(table)


def bar(load: Load | None, look: Look) -> str:
    """The part in use as a bar of ten; anything in use shows, and only what is full looks full."""
    full, empty = ("▇", "▁") if look.unicode else ("#", ".")
    if load is None:
        return ""
    filled = round(load.share * _BAR)
    if load.share > 0:
        filled = max(filled, 1)
    if load.share < 1:
        filled = min(filled, _BAR - 1)
    filled = min(max(filled, 0), _BAR)
    return full * filled + empty * (_BAR - filled)
