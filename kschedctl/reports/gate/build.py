"""From checked scenarios to the report on a gate."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl import __version__
from kschedctl.errors import InputErrors, KschedError
from kschedctl.reports.gate.model import Expectation, Gate, GateFinding, ScenarioResult
from kschedctl.reports.model import SchedulerSummary, SourcePlace
from kschedctl.reports.simulate.model import Simulation
from kschedctl.whatif.manifests import Release
from kschedctl.whatif.scenarios.checks import Check, Finding
from kschedctl.whatif.scenarios.scenario import Scenario


def gate_report(scenarios: Sequence[ScenarioResult], scheduler: SchedulerSummary) -> Gate:
    """The report on a gate."""
    passed = all(scenario.passed for scenario in scenarios)
    return Gate(version=__version__, scheduler=scheduler, passed=passed, scenarios=list(scenarios))


def checked_scenario(
    scenario: Scenario, checks: Sequence[Check], simulation: Simulation, release: Release
) -> ScenarioResult:
    """A scenario that was run, with its manifests."""
    return ScenarioResult(
        name=scenario.name,
        description=scenario.description,
        source=SourcePlace.of(scenario.place()),
        passed=all(check.passed for check in checks),
        error=None,
        expectations=[_expectation(scenario, check, release) for check in checks],
        simulation=simulation.brief(),
    )


def broken_scenario(scenario: Scenario, error: KschedError) -> ScenarioResult:
    """A scenario that could not be run."""
    problems = error.problems if isinstance(error, InputErrors) else (error,)
    return ScenarioResult(
        name=scenario.name,
        description=scenario.description,
        source=SourcePlace.of(scenario.place()),
        passed=False,
        error="; ".join(str(problem) for problem in problems),
        expectations=[],
        simulation=None,
    )


def _expectation(scenario: Scenario, check: Check, release: Release) -> Expectation:
    own = SourcePlace.of(scenario.place("expectations", *check.field))
    return Expectation(
        rule=check.rule.value,
        title=check.title,
        passed=check.passed,
        source=own,
        findings=[_finding(finding, own, release) for finding in check.findings],
    )


def _finding(finding: Finding, own: SourcePlace, release: Release) -> GateFinding:
    place, subject = finding.place, finding.about or finding.workload
    if place is None and subject is not None:
        place = release.place_of(subject, finding.field)
    if place is None and finding.workload is not None:
        place = release.place_of(finding.workload)  # what decides is in the cluster alone
    return GateFinding(
        message=finding.message,
        workload=None if finding.workload is None else str(finding.workload),
        source=own if place is None else SourcePlace.of(place),
    )
