"""The report on a sweep: its axes, and what came of each scenario."""

from __future__ import annotations

from typing import Annotated, Literal

from kschedctl.reports.model import (
    API_VERSION,
    Caveat,
    ClusterSummary,
    ReportObject,
    SchedulerSummary,
    doc,
)

AxisName = Literal[
    "loseNodes",
    "loseDomains",
    "addNodes",
    "weight",
    "schedulers",
    "versions",
    "seeds",
    "releases",
    "changes",
    "scenarios",
]


class SweepAxis(ReportObject, frozen=True):
    """What varies."""

    name: Annotated[str, doc("Its name.")]
    kind: Annotated[AxisName, doc("What varies along it.")]
    values: Annotated[list[str], doc("Its values, in order.")]


class SweepTrial(ReportObject, frozen=True, kw_only=True):
    """What came of one scenario."""

    values: Annotated[list[str], doc("The value on each axis, in the order of the axes.")]
    passed: Annotated[bool, doc("Whether everything is as expected.")]
    error: Annotated[str | None, doc("Why it could not be run; null: it was.")]
    undecided: Annotated[
        bool, doc("Whether it hangs on pods that cannot be judged, or that are refused or fail.")
    ] = False
    nodes: Annotated[int, doc("Nodes at the end.")] = 0
    wanted: Annotated[int, doc("Pods that were to be scheduled.")] = 0
    placed: Annotated[int, doc("Those that are on a node.")] = 0
    evictions: Annotated[int, doc("How often a pod was preempted.")] = 0
    lost: Annotated[int, doc("Pods that changes take away and that nothing brings back.")] = 0
    seconds: Annotated[float, doc("How long it takes in the cluster until nothing moves any more.")] = 0.0
    load: Annotated[dict[str, float], doc("Resource -> part in use at the end, 1 is all.")]
    placements: Annotated[str, doc("Equal for scenarios in which every pod got the same node.")] = ""
    requests: Annotated[int, doc("Requests that were sent to extenders.")] = 0
    findings: Annotated[list[str], doc("What is not as expected, in sentences.")]
    caveats: Annotated[list[Caveat], doc("What weakens it, beside what is said of the cluster.")]

    @property
    def left(self) -> int:
        """Pods without a node."""
        return self.wanted - self.placed


class SweepMap(ReportObject, frozen=True):
    """What a heat map shows."""

    rows: Annotated[str | None, doc("The axis of its rows; null: one is chosen.")] = None
    columns: Annotated[str | None, doc("The axis of its columns; null: one is chosen.")] = None
    measure: Annotated[
        str, doc("pending: pods without a node; evictions; or a resource: the part of it in use.")
    ] = "pending"


class ExtenderCost(ReportObject, frozen=True):
    """What a sweep costs an extender."""

    url: Annotated[str, doc("The urlPrefix of the extender.")]
    requests: Annotated[
        int,
        doc("Requests, about: each pod that it looks after once for each verb; further attempts ask again."),
    ]


class SweepReport(ReportObject, frozen=True, kw_only=True):
    """A grid of scenarios."""

    api_version: Annotated[Literal["kschedctl.dev/v1alpha1"], doc("Version of this format.")] = API_VERSION
    kind: Annotated[Literal["SweepReport"], doc("What this is.")] = "SweepReport"
    name: Annotated[str, doc("Its name.")]
    description: Annotated[str, doc("What it is about.")]
    scheduler: Annotated[SchedulerSummary, doc("The scheduler, where no axis says otherwise.")]
    cluster: ClusterSummary
    axes: Annotated[list[SweepAxis], doc("What varies.")]
    map: Annotated[SweepMap, doc("What the heat map shows to people.")]
    scenarios: Annotated[int, doc("How many scenarios there are.")]
    resumed: Annotated[int, doc("Those of which the result was known already.")]
    extenders: Annotated[list[ExtenderCost], doc("What the scenarios that are to be run cost extenders.")]
    passed: Annotated[bool | None, doc("Whether every scenario is as expected; null: none was run.")]
    trials: Annotated[
        list[SweepTrial], doc("The scenarios, the last axis fastest; empty: none was run (--plan).")
    ]

    @property
    def failed(self) -> list[SweepTrial]:
        """Scenarios that are not as expected."""
        return [t for t in self.trials if not t.passed and t.error is None]

    @property
    def errors(self) -> list[SweepTrial]:
        """Scenarios that could not be run."""
        return [t for t in self.trials if t.error is not None]
