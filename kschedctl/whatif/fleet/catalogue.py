"""Catalogues: the shapes of nodes that can be bought, each with its price, its limit and its zones."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Final

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.errors import InputError, KschedError, Place
from kschedctl.objects.node import Node
from kschedctl.sources.document import Document, load_document, raise_all
from kschedctl.sources.load import load
from kschedctl.sources.own_files import packaged_schema, problems_of
from kschedctl.sources.unknown_fields import unknown_field_text
from kschedctl.sources.written_nodes import written_nodes
from kschedctl.whatif.world.changes import AddNode
from kschedctl.whatif.world.utilization import ZONE_KEYS

_HEAD: Final = "A catalogue begins with apiVersion: kschedctl.dev/v1alpha1 and kind: Catalogue."
_SOURCES: Final = ("like", "file", "node")


class Shape(Struct, frozen=True):
    """A kind of node that can be bought.

    Attributes:
        name: names it and its nodes.
        like: a node of the cluster of which its nodes are copies; empty: `template` is.
        template: what its nodes are like.
        price: of one for an hour, in any currency.
        limit: so many can be had at most; None: any number.
        zones: where they can be; empty: where their model is.
    """

    name: str
    like: str = ""
    template: Node | None = None
    price: float = 1.0
    limit: int | None = None
    zones: tuple[str, ...] = ()

    def bought(self, zone: str, count: int) -> AddNode:
        """The change that adds some of them, in a zone; of one without zones the zone is empty."""
        name = f"{self.name}-{zone}" if zone else self.name
        labels = dict.fromkeys(ZONE_KEYS[:1], zone) if zone else {}
        return AddNode(count, like=self.like, template=self.template, name=name, labels=labels)


class Catalogue(Struct, frozen=True):
    """Shapes.

    Attributes:
        shapes: in the order of the file.
        places: where each says what its nodes are like.
        priced: whether any has a price; else all cost the same.
    """

    shapes: tuple[Shape, ...]
    places: tuple[Place, ...]
    priced: bool


def load_catalogue(path: str, stdin: BinaryIO | None = None) -> Catalogue:
    """Read a catalogue.

    Raises:
        InputError: the only problem.
        InputErrors: all problems of the file.
    """
    document = load_document(path, stdin)
    raise_all(list(problems_of(document, "Catalogue", catalogue_schema(), _HEAD)))
    listed: Sequence[Mapping[str, Any]] = document.data["shapes"]
    priced = any("pricePerHour" in shape for shape in listed)
    problems: list[KschedError] = []
    shapes = []
    for at, data in enumerate(listed):
        try:
            shapes.append(_shape(document, at, data, Path(path).parent))
        except KschedError as error:
            problems.append(error)
    names = [shape.name for shape in shapes]
    problems += [
        InputError(f"shape {name} is given twice", place=document.place("shapes", at, "name"))
        for at, name in enumerate(names)
        if name in names[:at]
    ]
    if priced:
        problems += [
            InputError(
                "missing; other shapes have a price, and one without would cost nothing",
                place=document.place("shapes", at, "pricePerHour"),
            )
            for at, data in enumerate(listed)
            if "pricePerHour" not in data
        ]
    raise_all(problems)
    places = tuple(
        document.place("shapes", at, next(name for name in _SOURCES if name in data))
        for at, data in enumerate(listed)
    )
    return Catalogue(tuple(shapes), places, priced)


def catalogue_schema() -> dict[str, Any]:
    """The JSON Schema of a catalogue."""
    return packaged_schema("kschedctl.whatif.fleet", "catalogue.schema.json")


def _shape(document: Document, at: int, data: Mapping[str, Any], directory: Path) -> Shape:
    given = [name for name in _SOURCES if name in data]
    if len(given) != 1:
        raise InputError(
            "expected one of like, file and node, which say what its nodes are like",
            place=document.place("shapes", at),
        )
    shape = Shape(
        name=data["name"],
        price=float(data.get("pricePerHour", 1)),
        limit=data.get("limit"),
        zones=tuple(dict.fromkeys(data.get("zones") or ())),
    )
    if "like" in data:
        return replace(shape, like=data["like"])
    if "file" in data:
        nodes = written_nodes(str(directory / data["file"]))
    else:
        unknown = unknown_field_text(data["node"], Node)
        if unknown is not None:
            raise InputError(unknown, place=document.place("shapes", at, "node"))
        try:
            found = load(["-"], stdin=BytesIO(_manifest(data["node"], shape.name))).objects
        except KschedError as error:
            place = document.place("shapes", at, "node")
            raise InputError(error.message, place=place, hint=error.hint) from error
        nodes = [obj for obj in found if isinstance(obj, Node)]
    if len(nodes) != 1:
        raise InputError(
            f"expected one Node, found {len(nodes)}", place=document.place("shapes", at, given[0])
        )
    return replace(shape, template=nodes[0])


def _manifest(node: Mapping[str, Any], name: str) -> bytes:
    """The Node as a document of its own."""
    metadata = {"name": name} | (node.get("metadata") or {})
    return json.dumps({"apiVersion": "v1", "kind": "Node"} | dict(node) | {"metadata": metadata}).encode()
