"""Blocks of Markdown that reports on many pods have in common: changes, who stays pending, how full it becomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kschedctl.objects.phrases import plural
from kschedctl.reports.explain.model import ReasonGroup
from kschedctl.reports.render.markdown import escaped, table
from kschedctl.reports.simulate import sentences
from kschedctl.reports.simulate.model import EvictedVictim, PendingGroup, Simulation

if TYPE_CHECKING:
    from kschedctl.reports.capacity.model import Capacity
    from kschedctl.reports.drain.model import Drain


def change_blocks(changes: Sequence[str]) -> list[str]:
    """What was changed before; no block where nothing was."""
    return [f"After {escaped('; '.join(changes))}."] if changes else []


def pending_block(group: PendingGroup) -> str:
    """A group of pods that stay pending."""
    reasons = reason_list(group.reasons) if group.reasons else f"- {escaped(group.message)}"
    verb = "stays" if len(group.pods) == 1 else "stay"
    return f"**{escaped(sentences.who(group, 80))}** {verb} pending\n\n{reasons}"


def reason_list(reasons: Sequence[ReasonGroup]) -> str:
    """Reasons, each with the number of its nodes."""
    return "\n".join(f"- {escaped(r.text)} ({plural(len(r.nodes), 'node')})" for r in reasons)


def eviction_blocks(evictions: Sequence[EvictedVictim]) -> list[str]:
    """Who is preempted; no block where nobody is."""
    rows = [[v.pod, str(v.priority), v.node, v.by, sentences.then(v)] for v in evictions]
    return [table(["preempted", "priority", "node", "by", "then"], rows)] if rows else []


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
