"""The line below every verdict: which scheduler decided, and in which cluster."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from kschedctl.reports.sentences import taken

if TYPE_CHECKING:
    from kschedctl.reports.capacity.model import Capacity
    from kschedctl.reports.drain.model import Drain
    from kschedctl.reports.explain.model import Explanation
    from kschedctl.reports.plan.model import NodePlan
    from kschedctl.reports.preempt.model import Preemption
    from kschedctl.reports.simulate.model import Simulation


R = TypeVar("R", "Explanation", "Preemption")


def without_told_caveats(report: R, told: set[str]) -> R:
    """The report without the caveats that stand above already; those of this one are told from now on."""
    caveats = [caveat for caveat in report.cluster.caveats if caveat.message not in told]
    told.update(caveat.message for caveat in caveats)
    return replace(report, cluster=replace(report.cluster, caveats=caveats))


def head(
    report: Explanation | Preemption | Simulation | Drain | Capacity | NodePlan, now: datetime | None = None
) -> str:
    """`kube-scheduler 1.36, profile default-scheduler; prod.json.gz, taken 4 min ago`."""
    scheduler = report.scheduler
    profile = f", profile {scheduler.profile}" if scheduler.profile else ""
    source = ", ".join(filter(None, (*report.cluster.source, taken(report, now))))
    return f"kube-scheduler {scheduler.version}{profile}; {source}"
