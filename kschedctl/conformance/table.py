"""Agreement as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from kschedctl.reports.formats import Look

from .report import Agreement, PodDifference, Tally

_COLUMNS: Final[tuple[tuple[str, Callable[[Tally], str]], ...]] = (
    ("pods", lambda tally: f"{tally.pods:,}"),
    ("agree", lambda tally: f"{tally.agreeing:,}"),
    ("percent", lambda tally: f"{tally.percent:.2f}"),
    ("preemption only", lambda tally: f"{tally.preemption_only:,}"),
    ("unsupported", lambda tally: f"{tally.unsupported:,}"),
    ("otherwise", lambda tally: f"{tally.otherwise:,}"),
)
_LONGEST_VALUE: Final = 700


def render_table(agreement: Agreement, look: Look, *, show: int) -> str:
    """The verdict, a line a category, the counts of what differs, and the first `show` differences."""
    lines = [_verdict(agreement, look)]
    if look.quiet:
        return lines[0]
    lines += ["", *_categories(agreement)]
    lines += _counts("first difference in", agreement.fields.most_common())
    lines += _counts("plugin that differs", agreement.plugins.most_common())
    lines += _counts("no results", [(f"{k}: {text}", n) for (k, text), n in agreement.failures.most_common()])
    for found in agreement.differences[:show]:
        lines += ["", *_difference(found)]
    return "\n".join(lines)


def _verdict(agreement: Agreement, look: Look) -> str:
    total = agreement.total
    everywhere = total.agreeing == total.pods
    mark = ("✓" if everywhere else "✗") if look.unicode else ("ok:" if everywhere else "no:")
    share = "all" if everywhere else f"{total.agreeing:,}"
    percent = "" if everywhere else f" ({total.percent:.2f} %)"
    counts = f"{share} of {total.pods:,} pods in {agreement.cases:,} cases"
    return f"{mark} {counts} decided as kube-scheduler does{percent}"


def _categories(agreement: Agreement) -> list[str]:
    rows = [(name, *(cell(tally) for _, cell in _COLUMNS)) for name, tally in agreement.categories.items()]
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
        f"{found.category}: {found.case} {found.pod}: {found.difference.field}",
        f"  want  {_short(found.difference.want)}",
        f"  got   {_short(found.difference.got)}",
    ]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]} ..."
