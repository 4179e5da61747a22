"""The line below every verdict: which scheduler decided, and in which cluster."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from kschedctl.reports.sentences import taken

if TYPE_CHECKING:
    from kschedctl.reports.capacity.model import Capacity
    from kschedctl.reports.consolidation.model import Consolidation
    from kschedctl.reports.drain.model import Drain
    from kschedctl.reports.explain.model import Explanation
    from kschedctl.reports.plan.model import NodePlan
    from kschedctl.reports.preempt.model import Preemption
    from kschedctl.reports.simulate.model import Simulation
    from kschedctl.reports.sweep.model import SweepReport


def head(
    report: Explanation | Preemption | Simulation | Drain | Capacity | NodePlan | Consolidation | SweepReport,
    now: datetime | None = None,
) -> str:
    """`kube-scheduler 1.36, profile default-scheduler; prod.json.gz, taken 4 min ago`."""
    scheduler = report.scheduler
    profile = f", profile {scheduler.profile}" if scheduler.profile else ""
    source = ", ".join(filter(None, (*report.cluster.source, taken(report, now))))
    return f"kube-scheduler {scheduler.version}{profile}; {source}"
