"""Pictures of a page: squares for nodes, bars for sums and shares."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from kschedctl.objects.phrases import plural
from kschedctl.reports.document import Figure, NodeGrid, NodeGroup, Share, StackedBars, Tone
from kschedctl.writers.html.elements import Markup, element

_GOOD: Final = (0, 1)
_COLORS: Final = 12
_MOST_NAMED: Final = 60
_NEUTRAL: Final = (5, 9, 4, 6, 7, 3, 11, 8, 10, 1)
_TONES: Final = MappingProxyType({Tone.YES: 0, Tone.NO: 2, Tone.MIXED: 6, Tone.PLAIN: 8})


def figure(found: Figure, *, linked: bool = True) -> Markup:
    """A picture with its legend; on a page with several the nodes of the first alone can be linked to."""
    return _nodes(found, linked=linked) if isinstance(found, NodeGrid) else _bars(found)


def share(found: Share) -> Markup:
    """A part of a whole, drawn where that tells something, and as text."""
    if found.part is None or not found.drawn:
        return element("span", found.text, class_="share")
    part = min(max(found.part, 0.0), 1.0)
    picture = element(
        "svg",
        element("rect", class_="track", width=100, height=10),
        element("rect", class_="part", width=f"{100 * part:.1f}", height=10),
        viewBox="0 0 100 10",
        preserveAspectRatio="none",
        aria_hidden="true",
    )
    return element("span", picture, found.text, class_="share")


def node_id(name: str) -> str:
    """The name by which a node can be linked to: `#node=n7`."""
    return f"node={name}"


def _nodes(found: NodeGrid, *, linked: bool) -> Markup:
    """Squares in groups; of a small cluster each has its name."""
    hint = "Point at a node, or walk over them with the arrow keys, to see what is behind it."
    parts = [element("figcaption", found.title), element("p", hint, class_="told", aria_live="polite")]
    named = sum(len(group.nodes) for group in found.groups) <= _MOST_NAMED
    good, bad = iter(_GOOD), iter(range(len(_GOOD), _COLORS))
    for group in found.groups:
        color = next(good if group.good else bad, _COLORS - 1)
        parts.append(_legend(group.label, color, plural(len(group.nodes), "node")))
        parts.append(_squares(group, color, named=named, linked=linked))
    return element("figure", *parts, class_="nodes")


def _squares(group: NodeGroup, color: int, *, named: bool, linked: bool) -> Markup:
    squares = [
        element(
            "i",
            *([name] if named else []),
            class_=f"b{color}",
            id=node_id(name) if linked else None,
            title=f"{name}: {told or group.label}",
            tabindex=-1 if at else 0,
            role="img",
            aria_label=f"{name}: {told or group.label}",
        )
        for at, (name, told) in enumerate(group.nodes)
    ]
    style = "grid named" if named else "grid"
    return element("div", *squares, class_=style, role="group", aria_label=group.label)


def _legend(label: str, color: int, told: str) -> Markup:
    swatch = element("span", class_=f"swatch b{color % _COLORS}")
    return element(
        "p", swatch, label, *([element("span", f" {told}", class_="dim")] if told else []), class_="legend"
    )


def _bars(found: StackedBars) -> Markup:
    whole = max((sum(parts) for _, parts in found.bars), default=0) or 1
    colors = [_TONES[tone] for tone in found.tones] or [
        _NEUTRAL[at % len(_NEUTRAL)] for at in range(len(found.parts))
    ]
    rows: list[str] = []
    for label, parts in found.bars:
        told = list(zip(found.parts, colors, parts, strict=True))
        rows += [element("span", label), _bar(told, whole), element("span", str(sum(parts)))]
    legend = [
        element("span", element("span", class_=f"swatch b{colors[at]}"), name, " ")
        for at, name in enumerate(found.parts)
        if any(parts[at] for _, parts in found.bars)
    ]
    return element(
        "figure",
        element("figcaption", found.title),
        element("div", *rows, class_="stack"),
        element("p", *legend, class_="legend"),
    )


def _bar(parts: Sequence[tuple[str, int, int]], whole: int) -> Markup:
    """A bar of parts, each with its name, its colour and its size."""
    at, pieces, told = 0, [], []
    for name, color, size in parts:
        if size > 0:
            piece = element(
                "rect",
                element("title", f"{name} {size}"),
                class_=f"f{color}",
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
