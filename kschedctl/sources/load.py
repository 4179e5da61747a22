"""Loading: inputs to typed objects in input order, with every problem of every input reported at once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.errors import InputError, KschedError, Place
from kschedctl.objects.kinds import BY_TYPE, KINDS
from kschedctl.objects.meta import TopLevel
from kschedctl.observer import SILENT, Observer
from kschedctl.sources.content import Input, expand, paused_gc
from kschedctl.sources.document import EMPTY, parse, raise_all
from kschedctl.sources.intake import Intake
from kschedctl.sources.lines import FieldPath
from kschedctl.sources.provenance import Provenance, UnreadObject
from kschedctl.sources.snapshot import Header as SnapshotHeader

if TYPE_CHECKING:
    from kschedctl.sources.custom_workloads import PodTemplates
    from kschedctl.sources.unknown_fields import UnknownField


class Loaded(Struct, frozen=True, dict=True):
    """The objects of some inputs."""

    objects: list[TopLevel]
    """In the order of the inputs."""
    skipped: Counter[tuple[str, str]]
    """`(apiVersion, kind)` of what scheduling does not read -> how many."""
    _provenance: Provenance
    snapshots: tuple[SnapshotHeader, ...] = ()
    """The headers of the snapshots among the inputs."""
    unknown: tuple[UnknownField, ...] = ()
    """Fields that the API does not have, where they were asked for."""
    unread: tuple[UnreadObject, ...] = ()
    """What was skipped, each object with its place, where fields were asked for."""
    left_out: tuple[str, ...] = ()
    """Directories with manifests in directories that were read, which are not searched."""

    @cached_property
    def absent(self) -> frozenset[type[TopLevel]]:
        """The kinds of which plain inputs have no object; snapshots say themselves what they lack."""
        if self.snapshots:
            return frozenset()
        return frozenset(kind.type for kind in KINDS) - set(map(type, self.objects))

    def place_of(self, obj: TopLevel | int, field: FieldPath = ()) -> Place:
        """Return the place of an object or of the object with an index, or of a field of it.

        For a JSON file this reads the file once more; the line is None if it has changed meanwhile.

        Raises:
            KeyError: the object is none of `objects`.
        """
        return self._provenance.place_of(obj if isinstance(obj, int) else self._indices[id(obj)], field)

    @cached_property
    def _indices(self) -> dict[int, int]:
        return {id(obj): i for i, obj in enumerate(self.objects)}


def load(
    paths: Sequence[str],
    *,
    check_fields: bool = False,
    pod_templates: PodTemplates | None = None,
    stdin: BinaryIO | None = None,
    observer: Observer = SILENT,
) -> Loaded:
    """Load files, directories and, for `-`, the given stream.

    YAML or JSON, plain or gzipped, is recognised by content.

    Args:
        paths: the inputs.
        check_fields: warn of fields that the API does not have, for manifests that people write. What a cluster
            returns has none, and is large.
        pod_templates: custom resources among such manifests that hold templates of pods, and where; None: those that
            are known.
        stdin: the stream.
        observer: is told what is skipped.

    Raises:
        InputError: the only problem of the inputs.
        InputErrors: all problems, in the order of the inputs and of their lines.
        UsageError: `-` is among the paths, and there is no stream.
    """
    loader = _Loader(stdin, check_fields=check_fields)
    loader.intake.pod_templates = pod_templates
    with paused_gc():
        for path in paths:
            loader.load_path(path)
    intake = loader.intake
    for field in intake.unknown:
        observer.warning(str(field))
    raise_all(loader.problems)
    for (api_version, kind), count in sorted(intake.skipped.items()):
        observer.note(f"skipped {count} {kind} ({api_version}){_why_skipped(kind)}")
    return Loaded(
        intake.objects,
        intake.skipped,
        intake.provenance,
        tuple(intake.snapshots),
        tuple(intake.unknown),
        tuple(intake.unread),
        tuple(loader.left_out),
    )


def together(first: Loaded, second: Loaded) -> Loaded:
    """The objects of both, those of the first before."""
    count = len(first.objects)
    later = [replace(origin, first=origin.first + count) for origin in second._provenance.origins]
    provenance = Provenance(
        [*first._provenance.origins, *later], [*first._provenance.paths, *second._provenance.paths]
    )
    return Loaded(
        [*first.objects, *second.objects],
        first.skipped + second.skipped,
        provenance,
        (*first.snapshots, *second.snapshots),
        (*first.unknown, *second.unknown),
        (*first.unread, *second.unread),
        (*first.left_out, *second.left_out),
    )


class _Loader:
    """Loads one path after the other and collects the problems."""

    def __init__(self, stdin: BinaryIO | None, *, check_fields: bool) -> None:
        self.intake = Intake(check_fields=check_fields)
        self.problems: list[KschedError] = []
        self.left_out: list[str] = []
        self._stdin = stdin
        self._first: dict[tuple[type, str, str], int] = {}  # kind, namespace, name -> index of the object

    def load_path(self, path: str) -> None:
        """Load a file, the manifests of a directory or the stream."""
        try:
            found = expand(path)
        except InputError as error:
            self.problems.append(error)
            return
        self.left_out += found.left_out
        for file in found.files:
            try:
                problems = self._load_input(Input.of(file, self._stdin), may_be_empty=file != path)
            except InputError as error:
                problems = [error]
            self.problems += sorted(problems, key=_line)

    def _load_input(self, source: Input, *, may_be_empty: bool) -> list[KschedError]:
        intake, first = self.intake, len(self.intake.objects)
        parsed = parse(source)
        for part in parsed.json:
            intake.take_json(part)
        for document in parsed.yaml:
            intake.take_data(document.data, document.position)
        problems = parsed.problems + intake.problems
        intake.problems.clear()
        if not may_be_empty and not (parsed.json or parsed.yaml or problems):
            raise source.error(EMPTY)
        if not intake.check_fields:
            problems += self._nameless(first)
        problems += self._given_twice(first)
        for part in parsed.json:
            part.lines.release()
        return problems

    def _nameless(self, start: int) -> list[KschedError]:
        """Find objects of a cluster that have no name; of manifests those are left to admission."""
        objects, provenance = self.intake.objects, self.intake.provenance
        return [
            InputError(
                f"{BY_TYPE[type(objects[i])].kind} without metadata.name; what is in a cluster has one",
                place=provenance.place_of(i),
                hint="What is to be created goes among the candidates: -f FILE.",
            )
            for i in range(start, len(objects))
            if not objects[i].metadata.name
        ]

    def _given_twice(self, start: int) -> list[KschedError]:
        """Find objects of a kind, namespace and name seen before; unnamed ones are left to admission."""
        problems: list[KschedError] = []
        objects, provenance = self.intake.objects, self.intake.provenance
        for i in range(start, len(objects)):
            obj = objects[i]
            name = obj.metadata.name
            if not name:
                continue
            kind = BY_TYPE[type(obj)]
            namespace = obj.namespace if kind.namespaced else ""
            earlier = self._first.setdefault((type(obj), namespace, name), i)
            if earlier != i:
                message = f"{kind.kind} {obj.full_name if kind.namespaced else name} is given twice"
                first_place = provenance.place_of(earlier)
                problems.append(
                    InputError(f"{message}; first at {first_place}", place=provenance.place_of(i))
                )
        return problems


def _line(problem: KschedError) -> float:
    line = problem.place.line if problem.place else None
    return math.inf if line is None else line


def _why_skipped(kind: str) -> str:
    """Say which versions of a kind are read, where only the version is the reason."""
    versions = next((known.api_versions for known in KINDS if known.kind == kind), None)
    return f": only {' and '.join(versions)} is read" if versions else ""
