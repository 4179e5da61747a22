"""How figures grow with the cluster, as an SVG with logarithmic axes: what grows by a power is a straight line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from .results import Figure
from .table import number

_WIDTH, _HEIGHT = 860, 480
_LEFT, _TOP, _RIGHT, _BOTTOM = 70, 40, 320, 50
_MOST_TICKS = 6
_COLOURS = (
    "#1f77b4",
    "#d62728",
    "#2ca02c",
    "#9467bd",
    "#ff7f0e",
    "#17becf",
    "#8c564b",
    "#e377c2",
    "#7f7f7f",
    "#bcbd22",
    "#003f5c",
    "#ff9896",
)


def growth_plot(figures: Sequence[Figure], unit: str, title: str, of: str = " nodes") -> str:
    """A line per benchmark of that unit which was measured for several sizes `of` something."""
    lines: dict[str, list[tuple[int, float]]] = {}
    for figure in figures:
        if figure.unit == unit and figure.nodes and figure.value > 0:
            lines.setdefault(figure.benchmark, []).append((figure.nodes, figure.value))
    lines = {name: sorted(points) for name, points in lines.items() if len(points) > 1}
    points = [point for line in lines.values() for point in line]
    if not points:
        return _document(title, [])
    across = _Scale([x for x, _ in points], _LEFT, _WIDTH - _RIGHT)
    up = _Scale([y for _, y in points], _HEIGHT - _BOTTOM, _TOP)
    sizes = sorted({x for x, _ in points})
    ticks = sizes if len(sizes) <= _MOST_TICKS else [int(x) for x in across.powers()]
    parts = [_tick_x(across.place(x), f"{x:,}{of}") for x in ticks]
    parts += [_tick_y(up.place(y), f"{number(y)} {unit}") for y in up.steps()]
    ends = sorted(lines, key=lambda name: -lines[name][-1][1])
    for place, name in enumerate(ends):
        parts += _line(
            name, [(across.place(x), up.place(y)) for x, y in lines[name]], place, lines[name][-1][1]
        )
    return _document(title, parts)


class _Scale:
    """Maps values to pixels by their logarithm."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        self._low, self._high = math.log10(min(values)), math.log10(max(values))
        self._start, self._end = start, end

    def place(self, value: float) -> float:
        """The pixel of a value."""
        span = self._high - self._low or 1.0
        return self._start + (math.log10(value) - self._low) / span * (self._end - self._start)

    def powers(self) -> list[float]:
        """The powers of ten within, or the ends where there is none."""
        found = [10.0**p for p in range(math.ceil(self._low), math.floor(self._high) + 1)]
        return found or [10**self._low, 10**self._high]

    def steps(self) -> list[float]:
        """The powers of ten within, or where they are few 1, 2 and 5 times these."""
        powers = self.powers()
        if len(powers) > 2 or self._high - self._low < 0.4:
            return powers
        fine = [
            n * 10.0**p for p in range(math.floor(self._low), math.ceil(self._high) + 1) for n in (1, 2, 5)
        ]
        return [y for y in fine if self._low <= math.log10(y) <= self._high]


def _line(name: str, points: Sequence[tuple[float, float]], place: int, last: float) -> list[str]:
    colour = _COLOURS[place % len(_COLOURS)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    x, y = _WIDTH - _RIGHT + 20, _TOP + 18 * place
    return [
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
        *(f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="3" fill="{colour}"/>' for cx, cy in points),
        f'<text x="{x}" y="{y}" fill="{colour}">{escape(name)}: {number(last)}</text>',
    ]


def _tick_x(x: float, text: str) -> str:
    y = _HEIGHT - _BOTTOM
    return (
        f'<line x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{y}" stroke="#ddd"/>'
        f'<text x="{x:.1f}" y="{y + 20}" text-anchor="middle">{escape(text)}</text>'
    )


def _tick_y(y: float, text: str) -> str:
    return (
        f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH - _RIGHT}" y2="{y:.1f}" stroke="#ddd"/>'
        f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{escape(text)}</text>'
    )


def _document(title: str, parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="12">'
        '<rect width="100%" height="100%" fill="white"/>'
        f'<text x="{_LEFT}" y="20" font-size="15">{escape(title)}</text>'
    )
    return "\n".join([head, *parts, "</svg>"]) + "\n"
