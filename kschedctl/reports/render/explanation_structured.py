"""json and yaml of explanations: with -q without what is told node by node, most of a report on a large cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from kschedctl.reports.explain.model import Explanation
from kschedctl.reports.formats import Look
from kschedctl.reports.render import structured


def json_pieces(reports: Iterable[Explanation], look: Look) -> Iterator[str]:
    """The reports as indented JSON, one after the other."""
    return structured.json_pieces(_wanted(reports, look), look)


def yaml_pieces(reports: Iterable[Explanation], look: Look) -> Iterator[str]:
    """The reports as YAML, one after the other."""
    return structured.yaml_pieces(_wanted(reports, look), look)


def _wanted(reports: Iterable[Explanation], look: Look) -> Iterable[Explanation]:
    return map(_brief, reports) if look.quiet else reports


def _brief(report: Explanation) -> Explanation:
    """The same without nodes; their names stay in the groups of reasons."""
    found = report.preemption
    return replace(
        report,
        nodes=[],
        preemption=None if found is None else replace(found, candidates=[], failed=[]),
    )
