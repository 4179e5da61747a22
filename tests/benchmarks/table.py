"""Figures as a table: a line per benchmark, a column per size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .results import Figure, speed_ups


def figure_table(figures: Sequence[Figure]) -> str:
    """A Markdown table of all figures, sizes side by side."""
    sizes = sorted({figure.nodes for figure in figures})
    by_name: dict[tuple[str, str], dict[int, float]] = {}
    for figure in figures:
        by_name.setdefault((figure.benchmark, figure.unit), {})[figure.nodes] = figure.value
    rows = [
        [name, unit, *(number(values[size]) if size in values else "" for size in sizes)]
        for (name, unit), values in by_name.items()
    ]
    titles = [f"{size:,} nodes" if size else "any" for size in sizes]
    return markdown(["benchmark", "unit", *titles], rows)


def comparison_table(now: Sequence[Figure], earlier: Sequence[Figure]) -> str:
    """A Markdown table of ratios: above 1 is better than before."""
    rows = [
        [
            figure.benchmark,
            f"{figure.nodes:,}" if figure.nodes else "",
            number(figure.value),
            figure.unit,
            f"{up:.2f}x",
        ]
        for figure, up in speed_ups(now, earlier)
    ]
    return markdown(["benchmark", "nodes", "now", "unit", "better"], rows)


def number(value: float) -> str:
    """A value with three digits that count."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def markdown(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns padded, so that it reads well as it stands."""
    cells = [list(titles), *map(list, rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(titles))]
    lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)
