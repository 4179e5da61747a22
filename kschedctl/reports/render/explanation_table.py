"""-o table: the verdict, the reasons with their nodes, the points of the best nodes; made for 80 columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from kschedctl.reports import sentences
from kschedctl.reports.caveats.made_up import practical_outcome
from kschedctl.reports.explain.background import behind_reasons
from kschedctl.reports.explain.model import Explanation
from kschedctl.reports.formats import Look
from kschedctl.reports.head import head, without_told_caveats
from kschedctl.reports.render.background import background_parts
from kschedctl.reports.render.notes import event_rows, note_rows
from kschedctl.reports.render.reason_table import reason_table
from kschedctl.reports.render.score_table import score_table
from kschedctl.reports.render.text import blank, indented, pairs, print_text

if TYPE_CHECKING:
    from rich.console import RenderableType

_MARKS = {"Scheduled": ("✓", "bold green"), "Gated": ("!", "bold yellow")}
_NO = ("✗", "bold red")
_DOMAINS = 5


def table_pieces(reports: Iterable[Explanation], look: Look) -> Iterator[str]:
    """The reports for people, one below the other."""
    return stacked(reports, look, _body)


def stacked(
    reports: Iterable[Explanation], look: Look, body: Callable[[Explanation, Look], list[RenderableType]]
) -> Iterator[str]:
    """Verdicts with what belongs to them; what is the same as in the report before is not said again."""
    above, told, pods, placed = "", 0, 0, 0
    caveats: set[str] = set()
    for report in reports:
        parts: list[RenderableType] = [blank()] if told and not look.quiet else []
        parts.append(_verdict_line(report))
        if not look.quiet:
            if report.scheduled:
                parts.append(indented(Text(sentences.points(report))))
            if (line := head(report, look.now)) != above:
                above = line
                parts.append(indented(Text(line, "dim")))
            parts += body(without_told_caveats(report, caveats), look)
        yield f"{print_text(parts, look)}\n"
        told += 1
        pods += report.pod.count
        placed += report.pod.count if report.scheduled else 0
    if told > 1 and not look.quiet:
        yield f"{print_text([blank(), Text(sentences.tally(placed, pods))], look)}\n"


def _verdict_line(report: Explanation) -> Text:
    """The mark and the verdict."""
    mark, style = _MARKS.get(practical_outcome(report), _NO)
    return Text.assemble((mark, style), " ", (sentences.verdict(report), "bold"))


def problem_lines(report: Explanation) -> list[RenderableType]:
    """Why the pod was not judged, and where a refused one stands."""
    lines = report.problems or ([report.message] if report.message else [])
    if not lines:
        return []
    place = [f"{report.pod.source}:"] if report.problems and report.pod.source else []
    return [blank(), *(indented(Text(line)) for line in place + lines)]


def _body(report: Explanation, look: Look) -> list[RenderableType]:
    parts = problem_lines(report)
    if report.scored:
        parts += [blank(), indented(score_table(report, look))]
    if report.reasons:
        parts += [blank(), indented(reason_table(report, look))]
        parts += background_parts(behind_reasons(report), most_rows=_DOMAINS, most_notes=2)
    rows = note_rows(report) + ([] if report.scheduled else event_rows(report))
    if rows:
        parts += [blank(), pairs(rows)]
    return parts
