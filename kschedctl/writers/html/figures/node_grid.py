"""Squares for nodes, in groups; a script colours and groups them otherwise, by the data that go with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from kschedctl.objects.phrases import plural
from kschedctl.reports.figures import NodeGrid, NodeGroup
from kschedctl.writers.html.data import data
from kschedctl.writers.html.elements import Markup, element
from kschedctl.writers.html.figures.legend import colors_of, legend

_MOST_NAMED: Final = 60


def node_grid(found: NodeGrid, *, linked: bool) -> Markup:
    """Squares in groups; of a small cluster each has its name."""
    hint = "Point at a node, or walk over them with the arrow keys, to see what is behind it."
    names = [name for group in found.groups for name, _ in group.nodes]
    style = "grid named" if len(names) <= _MOST_NAMED else "grid"
    cells = []
    for group, color in zip(found.groups, colors_of([g.good for g in found.groups]), strict=True):
        cells.append(legend(group.label, color, plural(len(group.nodes), "node")))
        cells.append(_squares(group, color, style, linked=linked))
    parts = [element("figcaption", found.title)]
    if found.colourings or found.shadings or found.partitions:
        parts += [_controls(), data("looks", msgspec.json.encode(_looks(found, names)))]
    parts.append(element("p", hint, class_="told", aria_live="polite"))
    return element("figure", *parts, element("div", *cells, class_="cells"), class_="nodes")


def _squares(group: NodeGroup, color: int, style: str, *, linked: bool) -> Markup:
    squares = [
        element(
            "i",
            *([name] if "named" in style else []),
            class_=f"k{color}",
            id=node_id(name) if linked else None,
            tabindex=-1 if at else 0,
            role="img",
            aria_label=f"{name}: {told or group.label}",
        )
        for at, (name, told) in enumerate(group.nodes)
    ]
    return element("div", *squares, class_=style, role="group", aria_label=group.label)


def node_id(name: str) -> str:
    """The name by which a node can be linked to: `#node=n7`."""
    return f"node={name}"


def _controls() -> Markup:
    """Empty until the script fills them; without one they stay hidden."""
    chosen = [
        element("label", f"{label} ", element("select", name=name))
        for label, name in (("coloured by", "colour"), ("grouped by", "group"))
    ]
    return element("div", *chosen, class_="controls", hidden="")


def _looks(found: NodeGrid, names: list[str]) -> dict[str, Any]:
    """What nodes can be coloured and grouped by, each as a list in the order of the squares."""
    own = {name: at for at, group in enumerate(found.groups) for name, _ in group.nodes}
    kinds = [(found.by, [(group.label, group.good) for group in found.groups], own)]
    kinds += [(one.label, list(one.kinds), dict(one.of)) for one in found.colourings]
    colours: list[dict[str, Any]] = [
        {
            "label": label,
            "kinds": [
                [text, color]
                for (text, _), color in zip(of_kinds, colors_of([good for _, good in of_kinds]), strict=True)
            ],
            "of": _in_order(of, names),
        }
        for label, of_kinds, of in kinds
    ]
    colours += [
        {"label": one.label, "shades": [None if s is None else round(s, 3) for s in _in_order(one.of, names)]}
        for one in found.shadings
    ]
    parts = []
    for one in found.partitions:
        values = sorted(set(one.of.values()))
        places = {value: at for at, value in enumerate(values)}
        of = {name: places[value] for name, value in one.of.items()}
        parts.append({"label": one.label, "names": values, "of": _in_order(of, names)})
    return {"colours": colours, "groups": parts}


def _in_order(of: Mapping[str, Any], names: Iterable[str]) -> list[Any]:
    return [of.get(name) for name in names]
