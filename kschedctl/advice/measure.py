"""A change that might help: what it does to which objects, and how a person makes it."""

from __future__ import annotations

from msgspec import Struct

from kschedctl.advice.json_patch import Operation
from kschedctl.objects.meta import TopLevel


class Reference(Struct, frozen=True):
    """An object by name; the namespace of cluster-scoped kinds is empty.

    Attributes:
        kind: its kind.
        namespace: its namespace.
        name: its name.
        template: where a custom resource holds the template of pods; None: where those of its kind do.
        group: its API group, where kubectl has to be told.
        made: whether it is put together from other fields there, so that nobody can patch it.
    """

    kind: str
    namespace: str
    name: str
    template: tuple[str | int, ...] | None = None
    group: str = ""
    made: bool = False

    def __str__(self) -> str:
        place = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {place}{self.name}"


class PodPatch(Struct, frozen=True):
    """The candidate is written otherwise; paths are those of a pod."""

    operations: tuple[Operation, ...]


class ObjectPatch(Struct, frozen=True):
    """An object of the cluster is changed."""

    target: Reference
    operations: tuple[Operation, ...]


class Addition(Struct, frozen=True):
    """Objects are added."""

    objects: tuple[TopLevel, ...]


class Replacement(Struct, frozen=True):
    """An object is deleted and made anew."""

    obj: TopLevel


class Consequence(Struct, frozen=True):
    """What a controller makes of the other edits once they are made: part of the proof, and nobody writes it."""

    edit: ObjectPatch | Addition


class Departure(Struct, frozen=True):
    """A pod leaves its node.

    Attributes:
        pod: its id in the pod table.
        target: the pod.
        returns: whether its controller makes it anew.
    """

    pod: int
    target: Reference
    returns: bool


Edit = PodPatch | ObjectPatch | Addition | Replacement | Consequence | Departure


class Measure(Struct, frozen=True):
    """One change, small enough to be told in a few words.

    Attributes:
        kind: what it costs, a key of the table of costs.
        text: the condition that it meets, such as `cpu request <= 3.1`.
        edits: what it does.
        size: how much of its kind it is: the cost is multiplied by it.
        row: the only node that it can help; None: others, too.
        command: how it is made in the cluster; empty for a change of the pod, whose command follows from the patch.
        note: what else has to be known.
        topic: what it is about: of several suggestions with equal topics the cheapest is told; empty: its text.
    """

    kind: str
    text: str
    edits: tuple[Edit, ...]
    size: float = 1.0
    row: int | None = None
    command: str = ""
    note: str = ""
    topic: str = ""


Measures = tuple[Measure, ...]
"""Measures that are made together."""
