"""-o markdown of a drain: for pull requests and tickets."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.reports.drain import sentences
from kschedctl.reports.drain.model import Drain
from kschedctl.reports.formats import Look
from kschedctl.reports.head import head
from kschedctl.reports.render.cluster_markdown import (
    change_blocks,
    eviction_blocks,
    load_table,
    pending_block,
)
from kschedctl.reports.render.markdown import escaped, notes, small, table


def markdown_text(reports: Sequence[Drain], look: Look) -> str:
    """The reports as GitHub-flavoured Markdown."""
    return "\n\n".join("\n\n".join(_blocks(report, look)) for report in reports)


def _blocks(report: Drain, look: Look) -> list[str]:
    blocks = [f"### {'✅' if report.possible else '❌'} {escaped(sentences.verdict(report))}"]
    if look.quiet:
        return blocks
    blocks += change_blocks(report.changes)
    if report.evicted:
        cells = [
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
        blocks.append(table(["wave", "workload", "pods", "from", "to", "waited for"], cells))
    blocks += [pending_block(group) for group in report.pending]
    blocks += eviction_blocks(report.evictions)
    if rows := sentences.notes(report):
        blocks.append(notes(rows))
    return [*blocks, load_table(report), small(head(report, look.now))]


def _nodes(counted: Sequence[tuple[str, str]]) -> str:
    return " ".join(name + count for name, count in counted)
