"""-o markdown of a simulation: for pull requests and tickets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kschedctl.reports import simulation_sentences as sentences
from kschedctl.reports.formats import Look
from kschedctl.reports.head import head
from kschedctl.reports.render.markdown import escaped, table
from kschedctl.reports.simulation import PendingGroup, Simulation

if TYPE_CHECKING:
    from kschedctl.reports.capacity import Capacity
    from kschedctl.reports.drain import Drain


def markdown_text(reports: Sequence[Simulation], look: Look) -> str:
    """The reports as GitHub-flavoured Markdown."""
    return "\n\n".join("\n\n".join(_blocks(report, look)) for report in reports)


def _blocks(report: Simulation, look: Look) -> list[str]:
    blocks = [f"### {'✅' if report.fits else '❌'} {escaped(sentences.verdict(report))}"]
    if look.quiet:
        return blocks
    if report.changes:
        blocks.append(f"After {escaped('; '.join(report.changes))}.")
    if report.workloads:
        rows = [
            [w.title, str(w.wanted), str(w.placed), str(w.pending), nodes_text(w.nodes)]
            for w in report.workloads
        ]
        blocks.append(table(["workload", "want", "placed", "pending", "nodes"], rows))
    blocks += [pending_block(group) for group in report.pending]
    if report.evictions:
        rows = [[v.pod, str(v.priority), v.node, v.by, sentences.then(v)] for v in report.evictions]
        blocks.append(table(["preempted", "priority", "node", "by", "then"], rows))
    blocks.append(load_table(report))
    if notes := sentences.notes(report):
        blocks.append("\n".join(f"- **{label}**: {escaped(text)}" for label, text in notes))
    blocks.append(f"_{escaped(head(report, look.now))}_")
    return blocks


def load_table(report: Simulation | Drain | Capacity) -> str:
    """How full the cluster was and is, and which nodes that leaves out."""
    rows = [
        [r.resource, *map(sentences.percent, (r.before, r.after)), sentences.amounts(r.resource, r.after)]
        for r in report.load
        if r.after is not None
    ]
    full = table(["requested", "before", "after", ""], rows)
    told = sentences.not_counted(report.not_counted)
    return f"{full}\n\n({told})" if told else full


def pending_block(group: PendingGroup) -> str:
    """A group of pods that stay pending."""
    lines = [f"**{escaped(sentences.who(group, 80))}** stay pending"]
    reasons = [f"- {escaped(r.text)} ({len(r.nodes)} nodes)" for r in group.reasons]
    return "\n".join([*lines, "", *(reasons or [f"- {escaped(group.message)}"])])


def nodes_text(nodes: dict[str, int], most: int = 12) -> str:
    """Nodes with their counts."""
    shown = [f"{node}:{count}" for node, count in list(nodes.items())[:most]]
    return " ".join([*shown, *([f"+{len(nodes) - most}"] if len(nodes) > most else [])])
