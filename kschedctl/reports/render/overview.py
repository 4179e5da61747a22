"""The overview of many answers, above them where they are written for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from kschedctl.reports.explain.overview import NOTE, REASONS, Overview
from kschedctl.reports.formats import Format, Look
from kschedctl.safe_text import with_safe_text

_MOST: Final = 12


def overview_text(overview: Overview, headline: str, form: Format, look: Look) -> str:
    """How many pods find a node, and why the others do not, in whole lines; empty for other formats and with -q."""
    write = _WRITERS.get(form)
    return "" if write is None or look.quiet else write(with_safe_text(overview), headline, look)


def _table(overview: Overview, headline: str, look: Look) -> str:
    return _text(overview, headline, look, _MOST)


def _wide(overview: Overview, headline: str, look: Look) -> str:
    return _text(overview, headline, look, None)


def _text(overview: Overview, headline: str, look: Look, most: int | None) -> str:
    from rich.text import Text

    from kschedctl.reports.render.text import blank, indented, left_out, plain_table, print_text

    mark, style = ("✗", "bold red") if overview.reasons else ("✓", "bold green")
    parts = [Text.assemble((mark, style), " ", (headline, "bold")), indented(Text(NOTE, "dim"))]
    shown = overview.reasons[:most]
    if shown:
        table = plain_table()
        table.add_column(REASONS, overflow="fold")
        table.add_column("", justify="right", no_wrap=True)
        table.add_column("pods", overflow="fold")
        for reason in shown:
            table.add_row(Text(reason.text), str(reason.pods), Text(reason.who))
        parts += [blank(), indented(table)]
        parts += [indented(line) for line in left_out(len(overview.reasons) - len(shown), "reason")]
    return f"{print_text([*parts, blank()], look)}\n"


def _markdown(overview: Overview, headline: str, look: Look) -> str:
    from kschedctl.reports.render.markdown import table

    rows = [[reason.text, str(reason.pods), reason.who] for reason in overview.reasons]
    blocks = [f"## {'❌' if rows else '✅'} {headline}", NOTE[0].upper() + NOTE[1:] + "."]
    return "".join(
        f"{block}\n\n" for block in [*blocks, *([table([REASONS, "count", "pods"], rows)] * bool(rows))]
    )


_WRITERS: Final[Mapping[Format, Callable[[Overview, str, Look], str]]] = MappingProxyType(
    {Format.TABLE: _table, Format.WIDE: _wide, Format.MARKDOWN: _markdown}
)
