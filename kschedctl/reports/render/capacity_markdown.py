"""-o markdown of capacity: for pull requests and tickets."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.reports.capacity import sentences
from kschedctl.reports.capacity.model import Capacity
from kschedctl.reports.formats import Look
from kschedctl.reports.head import head
from kschedctl.reports.render.cluster_markdown import change_blocks, load_table, reason_list
from kschedctl.reports.render.markdown import escaped, notes, small, table


def markdown_text(reports: Sequence[Capacity], look: Look) -> str:
    """The reports as GitHub-flavoured Markdown."""
    return "\n\n".join("\n\n".join(_blocks(report, look)) for report in reports)


def _blocks(report: Capacity, look: Look) -> list[str]:
    enough = report.sets > 0 and not (report.target and report.target.missing)
    blocks = [f"### {'✅' if enough else '❌'} {escaped(sentences.verdict(report))}"]
    if look.quiet:
        return blocks
    blocks += change_blocks(report.changes)
    cells = [[node.name, *map(str, node.fits), "; ".join(node.limits)] for node in report.nodes if node.total]
    if cells:
        titles = [pod.source for pod in report.pods] if len(report.pods) > 1 else ["fits"]
        blocks.append(table(["node", *titles, "then limited by"], cells))
    if report.reasons:
        blocks += ["Why no more:", reason_list(report.reasons)]
    elif report.message:
        blocks.append(escaped(report.message))
    if report.target and report.target.reasons:
        blocks += [f"Why not with {report.target.tried} nodes more:", reason_list(report.target.reasons)]
    if rows := sentences.notes(report):
        blocks.append(notes(rows))
    return [*blocks, load_table(report), small(head(report, look.now))]
