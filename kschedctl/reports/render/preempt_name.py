"""-o name: the node on which room is made for each candidate, or which it gets as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kschedctl.reports.formats import Look
from kschedctl.reports.preempt.model import Preemption


def name_pieces(answers: Iterable[Preemption], look: Look) -> Iterator[str]:
    """One line a candidate: its node, `<none>` where it gets none; equal pods stand together."""
    for answer in answers:
        yield f"{answer.nominated_node or answer.selected_node or '<none>'}\n" * answer.pod.count
