"""The verdict on a configuration, as text."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.reports.config.model import ConfigurationVerdict
from kschedctl.reports.formats import Look


def table_text(reports: Sequence[ConfigurationVerdict], look: Look) -> str:
    """The verdict in a sentence, then what is wrong."""
    return "\n\n".join(_text(report, look) for report in reports)


def _text(verdict: ConfigurationVerdict, look: Look) -> str:
    yes, no = ("✓", "✗") if look.unicode else ("+", "x")
    name = verdict.configuration or "the default configuration"
    scheduler = f"kube-scheduler {verdict.version}"
    if not verdict.valid:
        at = f", line {verdict.line}" if verdict.line else ""
        lines = [f"{no} {scheduler} refuses {name}{at}", *(f"  {text}" for text in verdict.problems)]
        if verdict.hint and not look.quiet:
            lines.append(f"  hint: {verdict.hint}")
        return "\n".join(lines)
    lines = [f"{yes} {scheduler} starts with {name}"]
    if not look.quiet:
        lines += (f"  warning: {text}" for text in verdict.warnings)
    return "\n".join(lines)
