"""The report on a gate: scenarios, their expectations, and what is not as expected."""

from __future__ import annotations

from typing import Annotated, Literal

from kschedctl.reports.model import API_VERSION, Caveat, ReportObject, SchedulerSummary, SourcePlace, doc
from kschedctl.reports.simulate.model import Simulation

RuleName = Literal[
    "schedulable",
    "max-pending",
    "no-preemption",
    "on-nodes",
    "spread",
    "headroom",
    "survives",
    "drainable",
    "nodes-needed",
    "cost",
    "no-unread",
    "served",
]


class GateFinding(ReportObject, frozen=True):
    """Something that is not as expected."""

    message: Annotated[str, doc("What is wrong, in a sentence.")]
    workload: Annotated[str | None, doc("Kind/name of the workload it is about; null: about the whole.")]
    source: Annotated[SourcePlace, doc("Where in the manifests it stands, else the expectation.")]


class Expectation(ReportObject, frozen=True):
    """An expectation and whether it holds."""

    rule: Annotated[RuleName, doc("Its kind.")]
    title: Annotated[str, doc("What is expected.")]
    passed: Annotated[bool, doc("Whether it holds.")]
    source: Annotated[SourcePlace, doc("Where it is written.")]
    findings: Annotated[list[GateFinding], doc("What is wrong; empty where it holds.")]


class ScenarioResult(ReportObject, frozen=True):
    """A scenario."""

    name: Annotated[str, doc("Its name.")]
    description: Annotated[str, doc("What it is about.")]
    source: Annotated[SourcePlace, doc("Where it is written.")]
    passed: Annotated[bool, doc("Whether everything is as expected.")]
    error: Annotated[str | None, doc("Why it could not be run; null: it was.")]
    expectations: Annotated[list[Expectation], doc("The expectations.")]
    simulation: Annotated[Simulation | None, doc("What came of it; null: it could not be run.")]

    @property
    def findings(self) -> list[GateFinding]:
        """What is wrong, over all expectations."""
        return [finding for expectation in self.expectations for finding in expectation.findings]

    @property
    def caveats(self) -> list[Caveat]:
        """What its answer did not look at."""
        return [] if self.simulation is None else self.simulation.cluster.caveats


class Gate(ReportObject, frozen=True, kw_only=True):
    """Whether scenarios are as expected."""

    api_version: Annotated[Literal["kschedctl.dev/v1alpha1"], doc("Version of this format.")] = API_VERSION
    kind: Annotated[Literal["Gate"], doc("What this is.")] = "Gate"
    version: Annotated[str, doc("Version of kschedctl.")]
    scheduler: SchedulerSummary
    passed: Annotated[bool, doc("Whether every scenario is as expected.")]
    scenarios: Annotated[list[ScenarioResult], doc("The scenarios, in order.")]

    @property
    def failed(self) -> list[ScenarioResult]:
        """Scenarios that are not as expected."""
        return [s for s in self.scenarios if not s.passed and s.error is None]

    @property
    def errors(self) -> list[ScenarioResult]:
        """Scenarios that could not be run."""
        return [s for s in self.scenarios if s.error is not None]
