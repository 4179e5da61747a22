"""From documents to typed objects: Lists are opened, kinds that scheduling does not read are counted.

JSON goes from text straight to typed objects. Only what does not decode at once (a `null`, a mistake) and
what comes from YAML passes through generic data.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, field

from kschedctl.errors import InputError, KschedError, Place
from kschedctl.objects.apps import ReplicaSet
from kschedctl.objects.kind_names import meant_kind
from kschedctl.objects.kinds import BY_GVK
from kschedctl.objects.meta import KubeObject, TopLevel
from kschedctl.objects.pod import Pod, PodTemplateSpec
from kschedctl.objects.written import with_written
from kschedctl.sources.content import forget
from kschedctl.sources.document import JsonPart
from kschedctl.sources.held_template import BadValueError, HeldTemplate, held_at
from kschedctl.sources.json import Head, JsonText, syntax_problem
from kschedctl.sources.lines import FieldPath
from kschedctl.sources.older_versions import OLDER
from kschedctl.sources.position import Position
from kschedctl.sources.quantities import QuantityCheck, quantity_message
from kschedctl.sources.shape import ShapeError, decode, describe
from kschedctl.sources.shared_parts import SharedParts
from kschedctl.sources.snapshot import Header as SnapshotHeader
from kschedctl.sources.snapshot import is_snapshot

if TYPE_CHECKING:
    from kschedctl.sources.custom_workloads import PodTemplates, TemplateSource
    from kschedctl.sources.unknown_fields import UnknownField
from kschedctl.sources.provenance import DocumentOrigin, Provenance, UnreadObject

_LIST = "List"
_MAX_LIST_DEPTH = 8

_KUSTOMIZE = "build it first: kubectl kustomize DIR > built.yaml, or pipe it to -f -"
_HELM = "this belongs to a chart; render it first: helm template CHART > rendered.yaml, or pipe it to -f -"

_MISPLACED: dict[str, tuple[str, str, str]] = {
    "KubeSchedulerConfiguration": (
        "kubescheduler.config.k8s.io",
        "a scheduler configuration",
        "pass it with --scheduler-config",
    ),
    "Config": ("", "a kubeconfig", "pass it with --kubeconfig"),
    "Kustomization": ("kustomize.config.k8s.io", "a kustomization", _KUSTOMIZE),
    "Scenario": ("kschedctl.dev", "a scenario", "pass it to gate, or to simulate with --scenario"),
}
"""Kind -> its group, what it is, and what to do with it: skipped as foreign it would look like an empty input."""

_UNBUILT: dict[str, str] = {
    "kustomization.yaml": _KUSTOMIZE,
    "kustomization.yml": _KUSTOMIZE,
    "Chart.yaml": _HELM,
    "values.yaml": _HELM,
}
"""Names of files that are no objects, but what objects are made of -> what to do with them."""

_MAX_LINES_FOUND = 1_000
"""Of so many problems the lines are found; it takes a millisecond each, and nobody reads more of them."""

_ITEMS_AT_A_TIME = 4096
"""After so many items the memory is given back that their text took."""

_head_decoder = msgspec.json.Decoder(Head)


@lru_cache(maxsize=1_000)
def _decoder(api_version: str, kind: str) -> msgspec.json.Decoder[TopLevel] | None:
    """The decoder of a kind, made when one is met, None for what scheduling does not read."""
    known = BY_GVK.get((api_version, kind))
    return msgspec.json.Decoder(known.type) if known else None


class Intake(Struct):
    """What has been taken in so far."""

    objects: list[TopLevel] = field(default_factory=list)
    provenance: Provenance = field(default_factory=Provenance)
    skipped: Counter[tuple[str, str]] = field(default_factory=Counter)
    problems: list[KschedError] = field(default_factory=list)
    snapshots: list[SnapshotHeader] = field(default_factory=list)
    """The headers of the snapshots among the documents."""
    check_fields: bool = False
    """Whether the documents are manifests that people write: each is kept beside its object, to be validated as a
    whole, and looked through for fields that the API does not have. It takes as long as reading."""
    unknown: list[UnknownField] = field(default_factory=list)
    unread: list[UnreadObject] = field(default_factory=list)
    """What was skipped of such documents, each object with its place."""
    pod_templates: PodTemplates | None = None
    """Custom resources of such documents that hold templates of pods, and where; None: those that are known."""
    _quantities: QuantityCheck = field(default_factory=QuantityCheck)
    _parts: SharedParts = field(default_factory=SharedParts)

    def take_json(self, part: JsonPart) -> None:
        """Take the objects of a JSON document."""
        first = self._begin(part.position)
        envelope = part.envelope
        if envelope is not None and is_snapshot(envelope.api_version, envelope.kind):
            try:
                self._take_snapshot(part.text.view, ())
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                found = syntax_problem(error, part.text.buffer, part.text.start)
                self.problems.append(InputError(found.message, place=part.position.at_line(found.line)))
        elif envelope is not None and envelope.items is not None and envelope.kind.endswith(_LIST):
            self._take_items(envelope.items, _item_head(envelope.api_version, envelope.kind), (), part.text)
        else:
            self._take_raw(part.text.view, (), None)
        self._check_quantities(first)

    def take_data(self, data: Any, position: Position) -> None:
        """Take the objects of a document of generic data."""
        first = self._begin(position)
        self._take(data, (), None)
        self._check_quantities(first)

    def _begin(self, position: Position) -> int:
        self.provenance.origins.append(DocumentOrigin(len(self.objects), position))
        return len(self.objects)

    def _take_snapshot(self, text: bytes | memoryview | msgspec.Raw, path: FieldPath) -> None:
        """Take the objects of a snapshot; what its pods share is checked once."""
        from kschedctl.sources.snapshot_reader import read_snapshot

        try:
            snapshot = read_snapshot(text)
        except ShapeError as error:
            for mismatch in error.mismatches:
                self._refuse(path + mismatch.path, mismatch.message)
            return
        self.snapshots.append(snapshot.header)
        known = len(self.problems)
        for i, template in enumerate(snapshot.templates):
            for field_, raw in self._quantities.bad(template):
                self._refuse((*path, "podTemplates", i, *field_), quantity_message(field_, raw))
        if len(self.problems) > known:
            return
        self.objects += snapshot.pods()
        self.provenance.paths += [(*path, "pods", i) for i in range(len(snapshot.rows))]
        self._take_items(snapshot.items, None, path)

    def _take_items(
        self,
        items: list[msgspec.Raw],
        missing: Head | None,
        path: FieldPath,
        text: JsonText | None = None,
    ) -> None:
        """Take the items of a large List; the loop is the fast part of `_take_raw`, without a call an item.

        Where they are those of a whole document, what was read of its text need not stay in memory.
        """
        if len(path) > 2 * _MAX_LIST_DEPTH:
            self._refuse(path, f"Lists inside Lists, more than {_MAX_LIST_DEPTH} deep")
            return
        objects, paths, share = self.objects, self.provenance.paths, self._parts.share
        read = 0 if text is None else text.start
        if text is not None:  # all of it was read to find the items
            forget(text.buffer, text.start, text.end)
        for i, raw in enumerate(items):
            obj = None
            if not self.check_fields:
                try:
                    head = _head_decoder.decode(raw)
                    decoder = _decoder(head.api_version, head.kind)
                    obj = decoder.decode(raw) if decoder is not None else None
                except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                    pass
            if obj is None:
                self._take_raw(raw, (*path, "items", i), missing)
            else:
                if obj.__class__ is Pod:
                    share(obj)
                objects.append(obj)
                paths.append((*path, "items", i))
            if text is not None and i % _ITEMS_AT_A_TIME == 0:
                begun, read = read, read + sum(map(len, items[max(i - _ITEMS_AT_A_TIME, 0) : i]))
                forget(text.buffer, begun, read)

    def _take_raw(self, raw: msgspec.Raw | memoryview, path: FieldPath, missing: Head | None) -> None:
        """Take one object that is still JSON; `missing` is what the List says of items that say nothing."""
        try:
            head = _head_decoder.decode(raw)
            decoder = _decoder(head.api_version, head.kind)
            if decoder is not None:
                self._add(decoder.decode(raw), path)
                if self.check_fields:
                    self._keep_written(msgspec.json.decode(raw), path)
                return
            if is_snapshot(head.api_version, head.kind):
                self._take_snapshot(raw, path)
                return
            if _is_skipped(head) and (head.api_version, head.kind) not in OLDER and not self._rules(head):
                self._skip(head, path)
                return
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass  # the slow way handles nulls and finds words for mistakes
        try:
            data = msgspec.json.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self._refuse(path, syntax_problem(error, bytes(raw)).message)
        else:
            self._take(data, path, missing)

    def _take(self, data: Any, path: FieldPath, missing: Head | None) -> None:
        """Take one object or List of generic data."""
        if not isinstance(data, Mapping):
            self._refuse(path, f"expected an object with apiVersion and kind, got {describe(data)}")
            return
        if missing is not None and not data.get("kind"):
            data = {**data, "apiVersion": missing.api_version, "kind": missing.kind}
        head = self._head(data, path)
        if head is None:
            return
        older = OLDER.get((head.api_version, head.kind))
        # kubectl applies no version that is gone.
        if older is not None and not (older.until and self.check_fields):
            data, head = older.read(data), Head(older.today, head.kind)
        known = BY_GVK.get((head.api_version, head.kind))
        if is_snapshot(head.api_version, head.kind):
            self._take_snapshot(_json(data), path)
        elif known is not None:
            try:
                self._add(decode(data, known.type), path)
            except ShapeError as error:
                for mismatch in error.mismatches:
                    self._refuse(path + mismatch.path, mismatch.message)
            else:
                if self.check_fields:
                    self._keep_written(data, path)
        elif head.kind in _MISPLACED and not _is_skipped(head):
            _, what, hint = _MISPLACED[head.kind]
            self._refuse(path, f"this is {what}, not an object of a cluster", hint=hint)
        elif head.kind.endswith(_LIST) and "items" in data:
            self._take_list(data["items"], path, head)
        elif head.kind == _LIST or (head.api_version, head.kind.removesuffix(_LIST)) in BY_GVK:
            self._refuse((*path, "items"), f"missing; a {head.kind} has its objects there")
        elif not self._take_custom(data, path, head):
            self._skip(head, path)

    def _rules(self, head: Head) -> Sequence[TemplateSource] | None:
        """Where a kind holds templates of pods, empty where it makes none; None: it is not known."""
        group = head.api_version.rpartition("/")[0]
        if not self.check_fields or "." not in group:
            return None
        from kschedctl.sources.custom_workloads import built_in  # few manifests have any

        known = built_in() if self.pod_templates is None else self.pod_templates
        return known.get((group, head.kind))

    def _take_custom(self, data: Mapping[str, Any], path: FieldPath, head: Head) -> bool:
        """Take the templates that a custom resource holds; whether there are any."""
        rules = self._rules(head)
        if not rules:
            return False
        try:
            found = [held for rule in rules for held in rule.held(data)]
        except BadValueError as error:
            self._refuse((*path, *error.path), str(error))
            return True
        metadata = data.get("metadata")
        name = (metadata.get("name") or "") if isinstance(metadata, Mapping) else ""
        if found and not isinstance(metadata, Mapping):
            self._refuse((*path, "metadata"), f"expected a mapping, got {describe(metadata)}")
            return True
        if found and not isinstance(name, str):
            self._refuse((*path, "metadata", "name"), f"expected a string, got {describe(name)}")
            return True
        for held in found:
            self._take_template(held, held.replica_set(data), path)
        return bool(found)

    def _take_template(self, held: HeldTemplate, data: Mapping[str, Any], path: FieldPath) -> None:
        try:
            made = decode(data, ReplicaSet)
        except ShapeError as error:
            for mismatch in error.mismatches:
                self._refuse((*path, *_in_template(mismatch.path, held.path)), mismatch.message)
            return
        self._add(with_written(made, data), path)
        type_ = Pod if held.data.get("kind") == "Pod" else PodTemplateSpec
        self._check_fields(held.data, (*path, *held.path), type_)

    def _take_list(self, items: Any, path: FieldPath, head: Head) -> None:
        items = [] if items is None else items
        if not isinstance(items, list):
            self._refuse((*path, "items"), f"expected a list, got {describe(items)}")
        elif len(path) > 2 * _MAX_LIST_DEPTH:
            self._refuse(path, f"Lists inside Lists, more than {_MAX_LIST_DEPTH} deep")
        else:
            missing = _item_head(head.api_version, head.kind)
            for i, item in enumerate(items):
                self._take(item, (*path, "items", i), missing)

    def _head(self, data: Mapping[str, Any], path: FieldPath) -> Head | None:
        """What an object says it is, or None where it does not say."""
        values = []
        for name in ("apiVersion", "kind"):
            value = data.get(name)
            if isinstance(value, str) and value:
                values.append(value)
            elif value is None or value == "":
                hint = self._unbuilt() if name == "kind" else None
                self._refuse((*path, name), f"missing; every object says its {name}", hint=hint)
            else:
                self._refuse((*path, name), f"expected a string, got {describe(value)}")
        return Head(*values) if len(values) == 2 else None

    def _unbuilt(self) -> str | None:
        """What to do with a file that is no manifest, by its name."""
        file = self._place((), len(self.problems)).file or ""
        return _UNBUILT.get(os.path.basename(file))

    def _add(self, obj: TopLevel, path: FieldPath) -> None:
        self.objects.append(obj)
        self.provenance.paths.append(path)

    def _skip(self, head: Head, path: FieldPath) -> None:
        if self._rules(head) == ():
            return  # somebody has said that its controller makes no pods
        meant = meant_kind(head.api_version, head.kind)
        if meant is not None:
            message = f'no matches for kind "{head.kind}" in version "{head.api_version}"'
            self._refuse((*path, "kind"), message, hint=f"did you mean {meant}?")
            return
        self.skipped[head.api_version, head.kind] += 1
        if self.check_fields:
            position = self.provenance.origins[-1].position
            self.unread.append(UnreadObject(head.api_version, head.kind, position.place_of_object(path)))

    def _keep_written(self, data: Any, path: FieldPath) -> None:
        """Keep the document of the last object for validation, and find what it has and the API does not."""
        self.objects[-1] = with_written(self.objects[-1], data)
        self._check_fields(data, path, type(self.objects[-1]))

    def _check_fields(self, data: Any, path: FieldPath, type_: type[KubeObject]) -> None:
        from kschedctl.sources.unknown_fields import UnknownField, unknown_fields

        index = len(self.objects) - 1
        for field_, hint in unknown_fields(data, type_):
            place = self._place(path + field_, len(self.unknown))
            self.unknown.append(UnknownField(index, place, hint))

    def _check_quantities(self, first: int) -> None:
        check = self._quantities
        for i in range(first, len(self.objects)):
            for path, raw in check.bad(self.objects[i]):
                template = held_at(self.objects[i])
                written = path if template is None else _in_template(path, template)
                self._refuse(self.provenance.paths[i] + written, quantity_message(path, raw))

    def _refuse(self, path: FieldPath, message: str, hint: str | None = None) -> None:
        place = self._place(path, len(self.problems))
        self.problems.append(InputError(message, place=place, hint=hint))

    def _place(self, path: FieldPath, found: int) -> Place:
        """The place of a field, of which so many have been told before."""
        position = self.provenance.origins[-1].position
        return position.place(path, find_line=found < _MAX_LINES_FOUND)


def _in_template(path: FieldPath, template: FieldPath) -> FieldPath:
    """The path of a field of a ReplicaSet in the custom resource whose template it stands for."""
    if path[:2] == ("spec", "template"):
        return (*template, *path[2:])
    return path if path[:1] == ("metadata",) else template


def _json(data: Any) -> bytes:
    """The text of generic data, which may hold integers of any size."""
    try:
        return msgspec.json.encode(data)
    except OverflowError:
        return json.dumps(data).encode()


def _item_head(api_version: str, kind: str) -> Head | None:
    """What the items of a typed list are: a PodList holds Pods, which need not say so."""
    item = kind.removesuffix(_LIST)
    return Head(api_version, item) if item else None


def _is_skipped(head: Head) -> bool:
    """Whether an object is of some other, complete and well-placed, kind."""
    if not head.api_version or not head.kind or head.kind.endswith(_LIST):
        return False
    if head.kind not in _MISPLACED:
        return True
    group = head.api_version.rpartition("/")[0]
    return group not in ("", _MISPLACED[head.kind][0])
