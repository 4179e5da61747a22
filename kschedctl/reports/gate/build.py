"""From checked scenarios to the report on a gate."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl import __version__
from kschedctl.errors import InputErrors, KschedError, Place
from kschedctl.reports.gate.deciding import Deciding, deciding_field, told
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
    more = "" if finding.task is None else told(finding.task)
    place = _place(finding, release)
    return GateFinding(
        message=f"{finding.message} ({more})" if more else finding.message,
        workload=None if finding.workload is None else str(finding.workload),
        source=own if place is None else SourcePlace.of(place),
    )


def _place(finding: Finding, release: Release) -> Place | None:
    """Where in the manifests it stands; None: what it is about is in the cluster alone."""
    if finding.place is not None:
        return finding.place
    where = [] if finding.task is None else [deciding_field(finding.task, release)]
    if finding.about is not None:
        where.append(Deciding(finding.about, finding.field))
    if finding.workload is not None:
        where.append(Deciding(finding.workload, () if finding.about else finding.field))
    places = (release.place_of(one.key, one.field) for one in where)
    return next((place for place in places if place is not None), None)
