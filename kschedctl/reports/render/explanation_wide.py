"""-o wide: everything for people, every node with every plugin that rejects it, nothing left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from kschedctl.reports.explain.model import Explanation, Failure, PreemptionReport
from kschedctl.reports.explain.reasons import natural_key
from kschedctl.reports.formats import Look
from kschedctl.reports.render.background import background_parts
from kschedctl.reports.render.explanation_table import problem_lines, stacked
from kschedctl.reports.render.notes import event_rows, note_rows
from kschedctl.reports.render.score_table import score_table
from kschedctl.reports.render.text import blank, indented, pairs, plain_table

if TYPE_CHECKING:
    from rich.console import RenderableType

_DOMAINS = 40


def wide_pieces(reports: Iterable[Explanation], look: Look) -> Iterator[str]:
    """The reports for people with all nodes, one below the other."""
    return stacked(reports, look, _body)


def _body(report: Explanation, look: Look) -> list[RenderableType]:
    parts = problem_lines(report)
    if report.scored:
        parts += [blank(), indented(score_table(report, look, most=None))]
    if any(not node.feasible for node in report.nodes):
        parts += [blank(), indented(_failure_table(report))]
    parts += background_parts(report.background, most_rows=_DOMAINS)
    if report.preemption is not None and report.preemption.candidates:
        parts += [blank(), indented(_victim_table(report.preemption))]
    if rows := note_rows(report, complete=True) + event_rows(report):
        parts += [blank(), pairs(rows)]
    return parts


def _failure_table(report: Explanation) -> Table:
    """One line per node and reason; the plugin that kube-scheduler reports comes first."""
    table = plain_table()
    table.add_column("node", overflow="fold")
    table.add_column("plugin", overflow="fold")
    table.add_column("why not", overflow="fold")
    rejected = [node for node in report.nodes if not node.feasible]
    for node in sorted(rejected, key=lambda node: natural_key(node.name)):
        name = node.name
        for failure in node.all_failures:
            for i, text in enumerate(_texts(failure)):
                table.add_row(Text(name), "" if i else failure.plugin, Text(text))
                name = ""
        if not node.all_failures:
            table.add_row(Text(name), "", Text("not looked at", "dim"))
    return table


def _texts(failure: Failure) -> list[str]:
    return [detail.text for detail in failure.details] or failure.reasons


def _victim_table(found: PreemptionReport) -> Table:
    table = plain_table()
    table.add_column("preempt on", overflow="fold")
    table.add_column("victims", overflow="fold")
    table.add_column("verdict", overflow="fold")
    for candidate in found.candidates:
        victims = ", ".join(
            f"{v.namespace}/{v.name} (priority {v.priority}{', breaks a budget' if v.breaks_budget else ''})"
            for v in candidate.victims
        )
        chosen = "chosen" if candidate.node == found.nominated else "equal"
        verdict = f"loses by {candidate.lost_by}" if candidate.lost_by else chosen
        table.add_row(Text(candidate.node), Text(victims), verdict)
    return table
