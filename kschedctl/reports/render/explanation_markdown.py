"""-o markdown: for pull requests and tickets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kschedctl.reports import sentences
from kschedctl.reports.caveats.made_up import practical_outcome
from kschedctl.reports.explain.background import BackgroundReport, behind_reasons, cell_text
from kschedctl.reports.explain.model import Explanation
from kschedctl.reports.formats import Look
from kschedctl.reports.head import head
from kschedctl.reports.render.markdown import escaped, notes, small, table
from kschedctl.reports.render.notes import event_rows, note_rows

_BEST = 10
_MOST_NODES = 20
_DOMAINS = 10


def markdown_pieces(reports: Iterable[Explanation], look: Look) -> Iterator[str]:
    """The reports as GitHub-flavoured Markdown."""
    between = ""
    for report in reports:
        yield between + "\n\n".join(_blocks(report, look)) + "\n"
        between = "\n"


def _blocks(report: Explanation, look: Look) -> list[str]:
    mark = "✅" if practical_outcome(report) == "Scheduled" else "❌"
    blocks = [f"### {mark} {escaped(sentences.verdict(report))}"]
    if look.quiet:
        return blocks
    if report.scheduled:
        blocks.append(sentences.points(report))
    if lines := report.problems or [report.message] * bool(report.message):
        blocks.append("\n".join(f"- {escaped(line)}" for line in lines))
    if report.scored:
        blocks.append(_scores(report))
    if report.reasons:
        blocks.append(_reasons(report))
        for found in behind_reasons(report):
            blocks += _background(found)
    if rows := note_rows(report) + event_rows(report):
        blocks.append(notes(rows))
    blocks.append(small(head(report, look.now)))
    return blocks


def _scores(report: Explanation) -> str:
    ranked = sentences.ranking(report)
    best = ranked[:_BEST]
    plugins = sentences.telling_plugins(best)
    titles = [f"{p} x{best[0].scores[p].weight}" for p in plugins]
    rows = [
        [
            node.name,
            str(node.total),
            *(str(node.scores[p].weighted) for p in plugins),
        ]
        for node in best
    ]
    if left := len(ranked) - len(best):
        rows.append([f"+{left}", *("" for _ in range(len(plugins) + 1))])
    return table(["node", "total", *titles], rows, strong=0)


def _reasons(report: Explanation) -> str:
    rows = []
    for group in report.reasons:
        shown = " ".join(group.nodes[:_MOST_NODES])
        left = len(group.nodes) - _MOST_NODES
        more = f" +{left}" if left > 0 else ""
        rows.append([group.text, str(len(group.nodes)), shown + more])
    return table(["why not", "count", "nodes"], rows)


def _background(found: BackgroundReport) -> list[str]:
    rows = [[cell_text(row[name]) for name in found.columns] for row in found.rows[:_DOMAINS]]
    if left := len(found.rows) - len(rows):
        rows.append([f"+{left}", *("" for _ in found.columns[1:])])
    tables = [table(found.columns, rows)] if rows else []
    return [f"{escaped(found.title)}:", *tables, *map(escaped, found.notes)]
