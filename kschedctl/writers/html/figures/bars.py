"""Bars for sums and what they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from kschedctl.reports.figures import Bars, StackedBars
from kschedctl.reports.tone import Tone
from kschedctl.writers.html.elements import Markup, element
from kschedctl.writers.html.figures.legend import legend_line

_NEUTRAL: Final = (5, 9, 4, 6, 7, 3, 11, 8, 10, 1)
_TONES: Final = MappingProxyType({Tone.YES: 0, Tone.NO: 2, Tone.MIXED: 6, Tone.PLAIN: 8})


def stacked_bars(found: StackedBars) -> Markup:
    """Bars below one another, as long as what they are made of."""
    whole = max((sum(parts) for _, parts in found.bars), default=0) or 1
    colors = [_TONES[tone] for tone in found.tones] or [
        _NEUTRAL[at % len(_NEUTRAL)] for at in range(len(found.parts))
    ]
    rows: list[str] = []
    for label, parts in found.bars:
        told = list(zip(found.parts, colors, parts, strict=True))
        rows += [element("span", label), _bar(told, whole), element("span", str(sum(parts)))]
    used = [at for at in range(len(found.parts)) if any(parts[at] for _, parts in found.bars)]
    return element(
        "figure",
        element("figcaption", found.title),
        element("div", *rows, class_="stack"),
        legend_line([(found.parts[at], colors[at], "") for at in used]),
    )


def _bar(parts: Sequence[tuple[str, int, int]], whole: int) -> Markup:
    """A bar of parts, each with its name, its colour and its size."""
    at, pieces, told = 0, [], []
    for name, color, size in parts:
        if size > 0:
            piece = element(
                "rect",
                element("title", f"{name} {size}"),
                class_=f"k{color}",
                x=f"{1000 * at / whole:.1f}",
                width=f"{1000 * size / whole:.1f}",
                height=10,
            )
            pieces.append(piece)
            told.append(f"{name} {size}")
            at += size
    return element(
        "svg",
        *pieces,
        viewBox="0 0 1000 10",
        preserveAspectRatio="none",
        role="img",
        aria_label=", ".join(told) or "nothing",
    )


def bars(found: Bars) -> Markup:
    """Bars from one line on, to the right, and to the left where they are below 0."""
    values = [0.0, *(bar.value for bar in found.bars), *([] if found.line is None else [found.line])]
    least, most = min(values), max(values)
    span = (most - least) or 1.0

    def place(value: float) -> float:
        return 1000 * (value - least) / span

    line = [] if found.line is None else [_mark(place(found.line))]
    rows: list[str] = []
    for bar in found.bars:
        start, end = sorted((place(0), place(bar.value)))
        piece = element(
            "rect",
            class_=f"k{_TONES[bar.tone] if bar.tone is not Tone.PLAIN else _NEUTRAL[0]}",
            x=f"{start:.1f}",
            width=f"{end - start:.1f}",
            height=10,
        )
        number = f"{bar.value:+g}" if least < 0 else f"{bar.value:g}"
        picture = element(
            "svg",
            piece,
            *line,
            viewBox="0 0 1000 10",
            preserveAspectRatio="none",
            role="img",
            aria_label=f"{bar.label}: {number}",
        )
        told = element("span", number, *([element("span", f" {bar.told}", class_="dim")] if bar.told else []))
        rows += [element("span", bar.label), picture, told]
    legend = [element("p", element("span", class_="swatch line"), found.line_label, class_="legend")]
    return element(
        "figure",
        element("figcaption", found.title),
        element("div", *rows, class_="stack told-bars"),
        *(legend if found.line is not None else []),
    )


def _mark(at: float) -> Markup:
    return element("rect", class_="mark-line", x=f"{min(at, 997):.1f}", width=3, height=10)
