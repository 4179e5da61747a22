"""-o name: the node on which room is made for each candidate, or which it gets as it is."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.reports.formats import Look
from kschedctl.reports.preempt import Preemption


def name_text(answers: Sequence[Preemption], look: Look) -> str:
    """One line a candidate: its node, `<none>` where it gets none."""
    return "\n".join(answer.nominated_node or answer.selected_node or "<none>" for answer in answers)
