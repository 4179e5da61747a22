"""-o markdown of a drain: for pull requests and tickets."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.reports import drain_sentences as sentences
from kschedctl.reports.drain import Drain
from kschedctl.reports.formats import Look
from kschedctl.reports.head import head
from kschedctl.reports.render.markdown import escaped, table
from kschedctl.reports.render.simulation_markdown import load_table, pending_block


def markdown_text(reports: Sequence[Drain], look: Look) -> str:
    """The reports as GitHub-flavoured Markdown."""
    return "\n\n".join("\n\n".join(_blocks(report, look)) for report in reports)


def _blocks(report: Drain, look: Look) -> list[str]:
    blocks = [f"### {'✅' if report.possible else '❌'} {escaped(sentences.verdict(report))}"]
    if look.quiet:
        return blocks
    if report.evicted:
        rows = [
            [
                str(m.wave),
                m.workload,
                str(m.pods),
                _nodes(m.origins),
                _nodes(m.destinations),
                ", ".join(m.waited_for),
            ]
            for m in sentences.moves(report)
        ]
        blocks.append(table(["wave", "workload", "pods", "from", "to", "waited for"], rows))
    blocks += [pending_block(group) for group in report.pending]
    if notes := sentences.notes(report):
        blocks.append("\n".join(f"- **{label}**: {escaped(text)}" for label, text in notes))
    return [*blocks, load_table(report), f"_{escaped(head(report, look.now))}_"]


def _nodes(counted: Sequence[tuple[str, str]]) -> str:
    return " ".join(name + count for name, count in counted)
