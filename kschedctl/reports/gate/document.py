"""A gate for people: each scenario, its expectations, and what is wrong with its file and line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from kschedctl.reports.document import (
    CAVEAT,
    Block,
    CheckItem,
    Checklist,
    Context,
    FactList,
    Headline,
    Only,
    ReportDocument,
)
from kschedctl.reports.gate import sentences
from kschedctl.reports.gate.model import Gate, ScenarioResult
from kschedctl.reports.medium import UNLIMITED, Medium
from kschedctl.reports.table import CellKind, Column, Row, Table
from kschedctl.reports.tone import Tone

_SUMMED_UP = frozenset({Medium.MARKDOWN, Medium.HTML})


def documents(reports: Iterable[Gate], context: Context) -> Iterator[ReportDocument]:
    """A document a report."""
    return (document(report) for report in reports)


def document(report: Gate) -> ReportDocument:
    """The document of a report."""
    return ReportDocument(
        Headline(Tone.YES if report.passed else Tone.NO, sentences.verdict(report)),
        blocks=list(_blocks(report)),
    )


def _blocks(report: Gate) -> Iterator[Block]:
    yield Only(_SUMMED_UP, partial(_summary, report))
    yield from map(_checklist, report.scenarios)
    caveats = dict.fromkeys(text for scenario in report.scenarios for text in _caveats(scenario))
    facts = FactList.of((CAVEAT, text) for text in caveats)
    yield Only(_SUMMED_UP, lambda: facts)


def _summary(report: Gate) -> Table:
    columns = [Column(""), Column("scenario", CellKind.NAME), Column("outcome"), Column("expectations met")]
    rows = []
    for scenario in report.scenarios:
        met = sum(expectation.passed for expectation in scenario.expectations)
        told = f"{met} of {len(scenario.expectations)}"
        rows.append(Row([_tone(scenario), scenario.name, sentences.outcome(scenario), told]))
    return Table(columns, rows, noun="scenario", limits=UNLIMITED)


def _checklist(scenario: ScenarioResult) -> Checklist:
    checks = [
        CheckItem(
            expectation.passed,
            expectation.title,
            [(finding.message, sentences.where(finding.source)) for finding in expectation.findings],
        )
        for expectation in scenario.expectations
    ]
    return Checklist(
        Headline(_tone(scenario), scenario.name),
        scenario.description,
        sentences.outcome(scenario),
        checks,
        _caveats(scenario),
    )


def _tone(scenario: ScenarioResult) -> Tone:
    if scenario.error is not None:
        return Tone.MIXED
    return Tone.YES if scenario.passed else Tone.NO


def _caveats(scenario: ScenarioResult) -> list[str]:
    return [caveat.message for caveat in scenario.caveats]
