"""From the scenarios of a sweep to its report."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.reports.model import ClusterSummary, SchedulerSummary
from kschedctl.reports.summaries import with_caveats
from kschedctl.reports.sweep.model import ExtenderCost, SweepAxis, SweepMap, SweepReport, SweepTrial
from kschedctl.whatif.sweeps.grid import Axis, SweepFile


def sweep_report(
    file: SweepFile,
    scheduler: SchedulerSummary,
    cluster: ClusterSummary,
    axes: Sequence[Axis],
    trials: Sequence[SweepTrial],
    *,
    scenarios: int,
    resumed: int,
    extenders: Sequence[ExtenderCost],
    shown: SweepMap,
) -> SweepReport:
    """The report; caveats of single scenarios stand with those of the cluster, too."""
    caveats = {(caveat.code, caveat.message): caveat for trial in trials for caveat in trial.caveats}
    return SweepReport(
        name=file.base.name,
        description=file.base.description,
        scheduler=scheduler,
        cluster=with_caveats(cluster, *caveats.values()),
        axes=[
            SweepAxis(name=axis.name, kind=axis.kind.value, values=[one.label for one in axis.settings])
            for axis in axes
        ],
        map=shown,
        scenarios=scenarios,
        resumed=resumed,
        extenders=list(extenders),
        passed=all(trial.passed for trial in trials) if trials else None,
        trials=list(trials),
    )
