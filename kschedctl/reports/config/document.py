"""The verdict on a configuration for people: a sentence, then what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kschedctl.reports.config.model import ConfigurationVerdict
from kschedctl.reports.document import Context, Headline, ReportDocument
from kschedctl.reports.tone import Tone


def documents(reports: Iterable[ConfigurationVerdict], context: Context) -> Iterator[ReportDocument]:
    """A document a report."""
    return map(_document, reports)


def _document(report: ConfigurationVerdict) -> ReportDocument:
    name = report.configuration or "the default configuration"
    scheduler = f"kube-scheduler {report.version}"
    if report.valid:
        warnings = [f"warning: {text}" for text in report.warnings]
        return ReportDocument(Headline(Tone.YES, f"{scheduler} starts with {name}"), lead=warnings)
    at = f", line {report.line}" if report.line else ""
    hints = [f"hint: {report.hint}"] if report.hint else []
    answer = Headline(Tone.NO, f"{scheduler} refuses {name}{at}")
    return ReportDocument(answer, lead=[*report.problems, *hints])
