"""Nodes that people write for clusters to come: a misspelt taint would let pods on them that it keeps away."""

from __future__ import annotations

from kschedctl.errors import InputError, KschedError
from kschedctl.objects.node import Node
from kschedctl.sources.document import raise_all
from kschedctl.sources.load import load


def written_nodes(path: str) -> list[Node]:
    """The nodes of a file or directory.

    Raises:
        InputError: the only problem; one is a field that nodes do not have, or a node without a name.
        InputErrors: all problems.
    """
    loaded = load([path], check_fields=True)
    problems: list[KschedError] = [
        InputError("unknown field", place=field.place, hint=field.hint) for field in loaded.unknown
    ]
    nodes = [(obj, i) for i, obj in enumerate(loaded.objects) if isinstance(obj, Node)]
    nameless = [loaded.place_of(i) for node, i in nodes if not node.name]
    problems += [InputError("Node without metadata.name", place=place) for place in nameless]
    raise_all(problems)
    return [node for node, _ in nodes]
