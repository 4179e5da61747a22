"""What happens in time: a lane each, in colours of the states that it is in."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from kschedctl.reports.figures import TimeLane, TimeLanes
from kschedctl.reports.tone import Tone
from kschedctl.writers.html.elements import Markup, element
from kschedctl.writers.html.figures.legend import legend_line

_TONES: Final = MappingProxyType(
    {Tone.YES: (0, 1), Tone.NO: (2, 3), Tone.MIXED: (6, 4), Tone.PLAIN: (8, 5, 9)}
)
_WIDTH: Final = 1000
_HINT: Final = "Point at a lane, or walk over them with the arrow keys, to read its story."


def lanes(found: TimeLanes) -> Markup:
    """The lanes below one another, over one scale."""
    ends = (span.end for lane in found.lanes for span in lane.spans)
    whole = max(found.seconds, *ends, 0.0) or 1.0
    colors = _colors([tone for _, tone in found.states])
    used = {span.state for lane in found.lanes for span in lane.spans}
    rows = [_row(lane, found, colors, whole, first=at == 0) for at, lane in enumerate(found.lanes)]
    scale = element(
        "div",
        element("span", ""),
        element(
            "span", element("span", "0 s"), element("span", f"{found.seconds:g} s, and then"), class_="ends"
        ),
    )
    notes = [element("p", found.note, class_="dim")] if found.note else []
    return element(
        "figure",
        element("figcaption", found.title),
        legend_line([(label, colors[at], "") for at, (label, _) in enumerate(found.states) if at in used]),
        element("p", _HINT, class_="told", aria_live="polite"),
        element("div", *rows, scale, class_="lanes"),
        *notes,
        class_="story",
    )


def _colors(tones: Sequence[Tone]) -> list[int]:
    """A colour for each state, of those that suit its tone."""
    left = {tone: iter(colors) for tone, colors in _TONES.items()}
    return [next(left[tone], 10) for tone in tones]


def _row(lane: TimeLane, found: TimeLanes, colors: Sequence[int], whole: float, *, first: bool) -> Markup:
    pieces = [element("rect", class_="track", width=_WIDTH, height=10)]
    for span in lane.spans:
        start, end = (_WIDTH * at / whole for at in (span.start, span.end))
        pieces.append(
            element(
                "rect",
                class_=f"k{colors[span.state]}",
                x=f"{start:.1f}",
                width=f"{max(end - start, 2):.1f}",
                height=10,
            )
        )
    pieces += [
        element(
            "rect", class_="mark-line", x=f"{min(_WIDTH * at / whole, _WIDTH - 3):.1f}", width=3, height=10
        )
        for at in dict.fromkeys(at for at, _ in lane.told)
    ]
    picture = element(
        "svg", *pieces, viewBox=f"0 0 {_WIDTH} 10", preserveAspectRatio="none", aria_hidden="true"
    )
    story = "; ".join(f"{at:g} s {text}" for at, text in lane.told)
    return element(
        "div",
        element("span", lane.label, class_="who"),
        picture,
        role="img",
        tabindex=0 if first else -1,
        aria_label=f"{lane.label}: {story}" if story else lane.label,
        class_="lane",
    )
