"""Measures made together: each is written for the objects as they are, here they are fitted to each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.advice.json_patch import Operation, do, fitted, place_removed
from kschedctl.advice.measure import Consequence, Edit, Measure, Measures, ObjectPatch, PodPatch, Reference

Document = Callable[[Reference | None], Any]
"""An object as JSON-like data of which the caller has no other use; None: the candidate."""


class Composition(Struct, frozen=True):
    """Measures that are made together.

    Attributes:
        changes: the measures, with patches that are right one after the other.
        documents: every object that is patched, as it is then; None: the candidate.
    """

    changes: Measures
    documents: dict[Reference | None, Any]


def composed(changes: Iterable[Measure], document: Document) -> Composition:
    """Measures fitted to each other, in their order.

    Raises:
        LookupError: a patch is about what is not there.
    """
    made: dict[Reference | None, _Patched] = {}

    def patch(target: Reference | None, operations: Sequence[Operation]) -> tuple[Operation, ...]:
        if target not in made:
            made[target] = _Patched(document(target))
        return tuple(one for operation in operations for one in made[target].do(operation))

    def fit(edit: Edit) -> Edit:
        match edit:
            case PodPatch(operations):
                return PodPatch(patch(None, operations))
            case ObjectPatch(target, operations):
                return ObjectPatch(target, patch(target, operations))
            case Consequence(ObjectPatch(target, operations)):
                return Consequence(ObjectPatch(target, patch(target, operations)))
        return edit

    fitting = tuple(replace(change, edits=tuple(map(fit, change.edits))) for change in changes)
    return Composition(fitting, {target: one.data for target, one in made.items()})


class _Patched:
    """An object while operations are done that were made for it as it was."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self._removed: dict[str, set[int]] = defaultdict(set)

    def do(self, operation: Operation) -> Iterator[Operation]:
        """Do an operation; what is done for it now."""
        path = self._now(operation["path"])
        for one in fitted(self.data, {**operation, "path": path}):
            do(self.data, one)
            yield one
        if (place := place_removed(operation)) >= 0:
            self._removed[operation["path"].rpartition("/")[0]].add(place)

    def _now(self, path: str) -> str:
        """A path once entries of lists before it are gone."""
        was = now = ""
        for token in path.split("/")[1:]:
            gone = self._removed.get(was)
            was += f"/{token}"
            if gone and token.isdecimal():
                token = str(int(token) - sum(place < int(token) for place in gone))
            now += f"/{token}"
        return now
