"""The sentences of a report on a gate, without layout."""

from __future__ import annotations

from kschedctl.reports.gate.model import Gate, ScenarioResult
from kschedctl.reports.model import SourcePlace
from kschedctl.reports.simulate.sentences import verdict as simulation_verdict


def verdict(report: Gate) -> str:
    """The answer in one sentence."""
    total = len(report.scenarios)
    if report.passed:
        return "the only scenario is as expected" if total == 1 else f"all {total} scenarios are as expected"
    if total == 1:
        return f"the only scenario {'could not be run' if report.errors else 'is not as expected'}"
    parts = []
    if failed := len(report.failed):
        parts.append(f"{failed} of {total} scenarios {'is' if failed == 1 else 'are'} not as expected")
    if errors := len(report.errors):
        parts.append(f"{errors} of {total} scenarios could not be run")
    return ", ".join(parts)


def outcome(scenario: ScenarioResult) -> str:
    """What came of a scenario's pods, or why it could not be run."""
    if scenario.simulation is None:
        return f"could not be run: {scenario.error}"
    return simulation_verdict(scenario.simulation)


def where(source: SourcePlace) -> str:
    """`file:line`, and the template of a chart that it was rendered from."""
    place = f"{source.file}:{source.line}" if source.line else f"{source.file}"
    return f"{place} ({source.template})" if source.template else place
