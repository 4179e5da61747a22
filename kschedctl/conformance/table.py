"""Agreement as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from kschedctl.conformance.model import CategoryCounts, ConformanceReport, PodDifference
from kschedctl.safe_text import with_safe_text
from kschedctl.writers.formats import Look

_COLUMNS: Final[tuple[tuple[str, Callable[[CategoryCounts], str]], ...]] = (
    ("pods", lambda counts: f"{counts.pods:,}"),
    ("agree", lambda counts: f"{counts.agreeing:,}"),
    ("percent", lambda counts: f"{counts.percent:.2f}"),
    ("preemption only", lambda counts: f"{counts.preemption_only:,}"),
    ("unsupported", lambda counts: f"{counts.unsupported:,}"),
    ("otherwise", lambda counts: f"{counts.otherwise:,}"),
)
_LONGEST_VALUE: Final = 700


def table_pieces(reports: Iterable[ConformanceReport], look: Look) -> Iterator[str]:
    """The verdict, a line a category, the counts of what differs, and the first differences."""
    for report in map(with_safe_text, reports):
        yield "".join(f"{line}\n" for line in _lines(report, look))


def _lines(report: ConformanceReport, look: Look) -> list[str]:
    lines = [_verdict(report, look)]
    if look.quiet:
        return lines
    lines += ["", *_categories(report)]
    lines += _counts("first difference in", list(report.fields.items()))
    lines += _counts("plugin that differs", list(report.plugins.items()))
    lines += _counts("no results", [(f"{one.kind}: {one.reason}", one.pods) for one in report.failures])
    for found in report.differences:
        lines += ["", *_difference(found)]
    return lines


def _verdict(report: ConformanceReport, look: Look) -> str:
    everywhere = report.agreeing == report.pods
    mark = ("✓" if everywhere else "✗") if look.unicode else ("ok:" if everywhere else "no:")
    share = "all" if everywhere else f"{report.agreeing:,}"
    percent = "" if everywhere else f" ({report.percent:.2f} %)"
    counts = f"{share} of {report.pods:,} pods in {report.cases:,} cases"
    return f"{mark} {counts} decided as kube-scheduler does{percent}"


def _categories(report: ConformanceReport) -> list[str]:
    rows = [(one.category, *(cell(one) for _, cell in _COLUMNS)) for one in report.categories]
    heads = ("category", *(head for head, _ in _COLUMNS))
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    return [
        "  ".join(f"{cell:{'<' if i == 0 else '>'}{widths[i]}}" for i, cell in enumerate(row))
        for row in (heads, *rows)
    ]


def _counts(title: str, counts: Sequence[tuple[str, int]]) -> list[str]:
    if not counts:
        return []
    return ["", title, *(f"  {pods:>6,}  {name}" for name, pods in counts)]


def _difference(found: PodDifference) -> list[str]:
    return [
        f"{found.category}: {found.case} {found.pod}: {found.field}",
        f"  want  {_short(found.want)}",
        f"  got   {_short(found.got)}",
    ]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]} ..."
