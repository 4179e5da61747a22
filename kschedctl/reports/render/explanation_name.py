"""-o name: the node of each candidate and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.reports.explanation import Explanation
from kschedctl.reports.formats import Look


def name_text(reports: Sequence[Explanation], look: Look) -> str:
    """One line a candidate: its node, `<none>` where it has none."""
    return "\n".join(report.selected_node or "<none>" for report in reports)
