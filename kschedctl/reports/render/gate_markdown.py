"""-o markdown of a gate: the summary of a job, a comment on a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.reports.formats import Look
from kschedctl.reports.gate import sentences
from kschedctl.reports.gate.model import Gate, ScenarioResult
from kschedctl.reports.render.markdown import escaped, notes, table


def markdown_text(reports: Sequence[Gate], look: Look) -> str:
    """The reports as GitHub-flavoured Markdown."""
    return "\n\n".join("\n\n".join(_blocks(report, look)) for report in reports)


def _blocks(report: Gate, look: Look) -> list[str]:
    blocks = [f"### {_mark(report.passed)} {escaped(sentences.verdict(report))}"]
    if look.quiet:
        return blocks
    rows = [
        [
            "⚠️" if scenario.error is not None else _mark(scenario.passed),
            scenario.name,
            sentences.outcome(scenario),
            f"{sum(e.passed for e in scenario.expectations)} of {len(scenario.expectations)}",
        ]
        for scenario in report.scenarios
    ]
    blocks.append(table(["", "scenario", "outcome", "expectations met"], rows))
    blocks += [_findings(scenario) for scenario in report.scenarios if scenario.findings]
    simulations = [scenario.simulation for scenario in report.scenarios if scenario.simulation is not None]
    caveats = dict.fromkeys(caveat.message for found in simulations for caveat in found.cluster.caveats)
    return [*blocks, *([notes([("caveat", caveat) for caveat in caveats])] if caveats else [])]


def _findings(scenario: ScenarioResult) -> str:
    lines = [f"**{escaped(scenario.name)}**", ""]
    for expectation in scenario.expectations:
        if not expectation.passed:
            lines.append(f"- expected: {escaped(expectation.title)}")
            lines += [
                f"  - {escaped(finding.message)} (`{sentences.where(finding.source)}`)"
                for finding in expectation.findings
            ]
    return "\n".join(lines)


def _mark(passed: bool) -> str:
    return "✅" if passed else "❌"
