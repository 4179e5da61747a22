"""-o table of a gate: each scenario, its expectations, and what is wrong with its file and line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from kschedctl.reports.formats import Look
from kschedctl.reports.gate import sentences
from kschedctl.reports.gate.model import Gate, ScenarioResult
from kschedctl.reports.render.text import blank, indented, print_text

if TYPE_CHECKING:
    from rich.console import RenderableType

_YES, _NO, _ERROR = ("✓", "bold green"), ("✗", "bold red"), ("!", "bold yellow")


def table_text(reports: Sequence[Gate], look: Look) -> str:
    """The answer for people."""
    parts: list[RenderableType] = []
    for report in reports:
        mark, style = _YES if report.passed else _NO
        parts.append(Text.assemble((mark, style), " ", (sentences.verdict(report), "bold")))
        if not look.quiet:
            for scenario in report.scenarios:
                parts += [blank(), *_scenario(scenario)]
    return print_text(parts, look)


def _scenario(scenario: ScenarioResult) -> list[RenderableType]:
    mark, style = _ERROR if scenario.error is not None else _YES if scenario.passed else _NO
    head = Text.assemble((mark, style), " ", (scenario.name, "bold"), ("  " + scenario.description, "dim"))
    parts: list[RenderableType] = [indented(head), _deeper(Text(sentences.outcome(scenario)), 4)]
    for expectation in scenario.expectations:
        mark, style = _YES if expectation.passed else _NO
        parts.append(_deeper(Text.assemble((mark, style), " ", expectation.title), 4))
        for finding in expectation.findings:
            parts.append(_deeper(Text(finding.message), 8))
            parts.append(_deeper(Text(f"at {sentences.where(finding.source)}", "dim"), 8))
    if scenario.simulation is not None:
        caveats = scenario.simulation.cluster.caveats
        parts += [_deeper(Text(f"caveat: {caveat.message}", "yellow"), 4) for caveat in caveats]
    return parts


def _deeper(text: Text, columns: int) -> Padding:
    return Padding(text, (0, 0, 0, columns))
