"""A preemption in pictures: every node by what becomes of it, and who evicts whom."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from kschedctl.reports.explain.group_figures import group_panels
from kschedctl.reports.figures import Branch, BranchTree, Figure, NodeGrid, NodeGroup
from kschedctl.reports.preempt import sentences
from kschedctl.reports.preempt.model import Displaced, Preemption
from kschedctl.reports.rooms.grid import room_grid
from kschedctl.reports.tone import Tone

_TONES: Final = MappingProxyType(
    {"Moves": Tone.YES, "Preempts": Tone.MIXED, "Pending": Tone.NO, "Gone": Tone.NO, "Unknown": Tone.MIXED}
)


def figures(report: Preemption, *, group_is_told: bool) -> list[Figure]:
    """The pictures of a report; what becomes of a group is shown once."""
    found: list[Figure] = []
    if (after := report.aftermath) is not None and after.victims:
        gets = f"gets {after.placed_on}" if after.placed_on else f"is refused even then: {after.message}"
        tone = Tone.YES if after.placed_on else Tone.NO
        root = Branch(report.pod.full_name, gets, tone, _branches(after.victims))
        found.append(BranchTree("who evicts whom, and where they go", [root]))
    if report.group is not None and not group_is_told:
        found += group_panels(report.group)
    return [*_nodes(report), *found]


def _branches(victims: Sequence[Displaced]) -> list[Branch]:
    return [
        Branch(
            victim.full_name,
            f"priority {victim.priority}, leaves {victim.evicted_from}"
            f"{', breaks a budget' if victim.breaks_budget else ''}; {_fate(victim)}",
            _TONES.get(victim.fate, Tone.PLAIN),
            _branches(victim.victims),
        )
        for victim in victims
    ]


def _fate(victim: Displaced) -> str:
    return sentences.fate([victim]).removeprefix(victim.full_name).removeprefix(":").strip()


def _nodes(report: Preemption) -> list[NodeGrid]:
    """Every node: where room is made, where it could be, and why it cannot."""
    chosen = [(n.node, ", ".join(n.victims)) for n in report.candidates if n.node == report.nominated_node]
    others = [
        (n.node, sentences.verdict_on(n, report))
        for n in report.candidates
        if n.node != report.nominated_node
    ]
    groups = [
        NodeGroup("room is made here", True, chosen),
        NodeGroup("room could be made", True, others),
        *(
            NodeGroup(why.text, False, [(name, why.text) for name in why.nodes])
            for why in report.no_candidates
        ),
    ]
    shown = [group for group in groups if group.nodes]
    title = "nodes by what preemption makes of them"
    return [room_grid(title, shown, "what preemption makes of them", report.rooms)] if shown else []
