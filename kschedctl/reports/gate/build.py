"""From checked scenarios to the report on a gate."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl import __version__
from kschedctl.errors import InputErrors, KschedError, Place
from kschedctl.reports.gate.model import Expectation, Gate, GateFinding, ScenarioResult
from kschedctl.reports.model import SchedulerSummary, SourcePlace
from kschedctl.reports.simulate.build import Places
from kschedctl.reports.simulate.model import Simulation
from kschedctl.whatif.scenarios.expectations import Check, Finding
from kschedctl.whatif.scenarios.scenario import Scenario


def gate_report(scenarios: Sequence[ScenarioResult], scheduler: SchedulerSummary) -> Gate:
    """The report on a gate."""
    passed = all(scenario.passed for scenario in scenarios)
    return Gate(version=__version__, scheduler=scheduler, passed=passed, scenarios=list(scenarios))


def checked_scenario(
    scenario: Scenario, checks: Sequence[Check], simulation: Simulation, places: Places
) -> ScenarioResult:
    """A scenario that was run; `places` says where the workloads of its manifests stand."""
    return ScenarioResult(
        name=scenario.name,
        description=scenario.description,
        source=_source(scenario.place()),
        passed=all(check.passed for check in checks),
        error=None,
        expectations=[_expectation(scenario, check, places) for check in checks],
        simulation=simulation,
    )


def broken_scenario(scenario: Scenario, error: KschedError) -> ScenarioResult:
    """A scenario that could not be run."""
    problems = error.problems if isinstance(error, InputErrors) else (error,)
    return ScenarioResult(
        name=scenario.name,
        description=scenario.description,
        source=_source(scenario.place()),
        passed=False,
        error="; ".join(str(problem) for problem in problems),
        expectations=[],
        simulation=None,
    )


def _expectation(scenario: Scenario, check: Check, places: Places) -> Expectation:
    own = _source(scenario.place("expectations", *check.field))
    return Expectation(
        rule=check.rule.value,
        title=check.title,
        passed=check.passed,
        source=own,
        findings=[_finding(finding, own, places) for finding in check.findings],
    )


def _finding(finding: Finding, own: SourcePlace, places: Places) -> GateFinding:
    place = None if finding.workload is None else places.get(finding.workload)
    return GateFinding(
        message=finding.message,
        workload=None if finding.workload is None else str(finding.workload),
        source=own if place is None else _source(place),
    )


def _source(place: Place) -> SourcePlace:
    return SourcePlace(file=place.file, document=place.document, line=place.line)
