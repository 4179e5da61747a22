"""-o name: the node of each candidate and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kschedctl.reports.explain.model import Explanation
from kschedctl.reports.formats import Look


def name_pieces(reports: Iterable[Explanation], look: Look) -> Iterator[str]:
    """One line a candidate: its node, `<none>` where it has none; equal pods stand together."""
    for report in reports:
        yield f"{report.selected_node or '<none>'}\n" * report.pod.count
