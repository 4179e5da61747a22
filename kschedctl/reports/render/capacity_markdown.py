"""-o markdown of capacity: for pull requests and tickets."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.reports import capacity_sentences as sentences
from kschedctl.reports.capacity import Capacity
from kschedctl.reports.formats import Look
from kschedctl.reports.render.markdown import escaped, table
from kschedctl.reports.render.simulation_markdown import load_table


def markdown_text(reports: Sequence[Capacity], look: Look) -> str:
    """The reports as GitHub-flavoured Markdown."""
    return "\n\n".join("\n\n".join(_blocks(report, look)) for report in reports)


def _blocks(report: Capacity, look: Look) -> list[str]:
    enough = report.sets > 0 and not (report.target and report.target.missing)
    blocks = [f"### {'✅' if enough else '❌'} {escaped(sentences.verdict(report))}"]
    if look.quiet:
        return blocks
    rows = [[node.name, *map(str, node.fits), "; ".join(node.limits)] for node in report.nodes if node.total]
    if rows:
        titles = [pod.source for pod in report.pods] if len(report.pods) > 1 else ["fits"]
        blocks.append(table(["node", *titles, "then limited by"], rows))
    if report.reasons:
        lines = [f"- {escaped(reason.text)} ({len(reason.nodes)} nodes)" for reason in report.reasons]
        blocks.append("\n".join(["Why no more:", "", *lines]))
    if notes := sentences.notes(report):
        blocks.append("\n".join(f"- **{label}**: {escaped(text)}" for label, text in notes))
    return [*blocks, load_table(report)]
