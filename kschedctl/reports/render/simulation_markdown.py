"""-o markdown of a simulation: for pull requests and tickets."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.reports.formats import Look
from kschedctl.reports.head import head
from kschedctl.reports.render.cluster_markdown import (
    change_blocks,
    eviction_blocks,
    load_table,
    pending_block,
)
from kschedctl.reports.render.markdown import escaped, notes, small, table
from kschedctl.reports.simulate import sentences
from kschedctl.reports.simulate.model import Simulation, WorkloadPlacement


def markdown_text(reports: Sequence[Simulation], look: Look) -> str:
    """The reports as GitHub-flavoured Markdown."""
    return "\n\n".join("\n\n".join(_blocks(report, look)) for report in reports)


def _blocks(report: Simulation, look: Look) -> list[str]:
    blocks = [f"### {'✅' if report.fits else '❌'} {escaped(sentences.verdict(report))}"]
    if look.quiet:
        return blocks
    blocks += change_blocks(report.changes)
    if report.workloads:
        blocks.append(_workloads(report.workloads))
    blocks += [pending_block(group) for group in report.pending]
    blocks += eviction_blocks(report.evictions)
    blocks.append(load_table(report))
    if rows := sentences.notes(report):
        blocks.append(notes(rows))
    return [*blocks, small(head(report, look.now))]


def _workloads(workloads: Sequence[WorkloadPlacement]) -> str:
    refused = any(w.refused for w in workloads)
    titles = ["workload", "want", "placed", "pending", *(["refused"] if refused else []), "nodes"]
    cells = [
        [
            w.title,
            *map(str, (w.wanted, w.placed, w.pending, *((w.refused,) if refused else ()))),
            _nodes(w.nodes),
        ]
        for w in workloads
    ]
    return table(titles, cells)


def _nodes(nodes: dict[str, int], most: int = 12) -> str:
    """Nodes with their counts."""
    shown = [f"{node}:{count}" for node, count in list(nodes.items())[:most]]
    return " ".join([*shown, *([f"+{len(nodes) - most}"] if len(nodes) > most else [])])
