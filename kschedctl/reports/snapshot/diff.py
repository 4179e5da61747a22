"""What is different between two clusters: objects, their fields, and what the nodes offer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

import msgspec

from kschedctl.objects.kinds import BY_TYPE, KINDS, Kind
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod_requests import Resources
from kschedctl.objects.quantity import ZERO
from kschedctl.reports.model import API_VERSION, ReportObject, doc
from kschedctl.reports.snapshot.info import SnapshotOrigin, origin_of
from kschedctl.sources.access import resource_of
from kschedctl.sources.capacity_totals import allocatable_total, requested_total
from kschedctl.sources.lines import FieldPath, path_text
from kschedctl.sources.load import Loaded
from kschedctl.sources.reduction import reduced

_IDENTITY = ("apiVersion", "kind")
"""Fields that say what an object is; a version of the API is no difference between clusters."""


class DiffSide(ReportObject, frozen=True):
    """One of the two clusters."""

    source: Annotated[list[str], doc("The input, as given.")]
    snapshots: Annotated[list[SnapshotOrigin], doc("The snapshots in it.")]


class FieldChange(ReportObject, frozen=True):
    """A field that differs."""

    field: Annotated[str, doc("Path of the field.")]
    before: Annotated[Any, doc("Its value in the first cluster; null: absent.")]
    after: Annotated[Any, doc("Its value in the second cluster; null: absent.")]


class ObjectChange(ReportObject, frozen=True):
    """An object that is in both and differs."""

    name: Annotated[str, doc("`name`, `namespace/name` for namespaced kinds.")]
    fields: Annotated[list[FieldChange], doc("What differs.")]


class KindDiff(ReportObject, frozen=True):
    """The differences between the objects of a kind."""

    resource: Annotated[str, doc("`plural.group`.")]
    added: Annotated[list[str], doc("Only in the second cluster.")]
    removed: Annotated[list[str], doc("Only in the first cluster.")]
    changed: Annotated[list[ObjectChange], doc("In both.")]


class TotalChange(ReportObject, frozen=True):
    """A sum over all nodes that differs."""

    resource: Annotated[str, doc("Name of the resource.")]
    before: Annotated[str, doc("In the first cluster.")]
    after: Annotated[str, doc("In the second cluster.")]


class SnapshotDiff(ReportObject, frozen=True, kw_only=True):
    """What `snapshot diff` says."""

    api_version: Annotated[Literal["kschedctl.dev/v1alpha1"], doc("Version of this report.")] = API_VERSION
    kind: Annotated[Literal["SnapshotDiff"], doc("Kind of this report.")] = "SnapshotDiff"
    before: Annotated[DiffSide, doc("The first cluster.")]
    after: Annotated[DiffSide, doc("The second cluster.")]
    same: Annotated[bool, doc("Whether scheduling sees no difference.")]
    kinds: Annotated[list[KindDiff], doc("Kinds with differences.")]
    allocatable: Annotated[list[TotalChange], doc("What all nodes offer, where that differs.")]
    requested: Annotated[list[TotalChange], doc("What all pods on nodes request, where that differs.")]


def diff_of(before: tuple[str, Loaded], after: tuple[str, Loaded]) -> SnapshotDiff:
    """The differences between two clusters, each with the name of its input, in what scheduling reads."""
    old, new = before[1].objects, after[1].objects
    kinds = list(_kind_diffs(old, new))
    return SnapshotDiff(
        before=_side(*before),
        after=_side(*after),
        same=not kinds,
        kinds=kinds,
        allocatable=_totals(allocatable_total(old), allocatable_total(new)),
        requested=_totals(requested_total(old), requested_total(new)),
    )


def _side(source: str, loaded: Loaded) -> DiffSide:
    return DiffSide(source=[source], snapshots=[origin_of(header) for header in loaded.snapshots])


def _kind_diffs(old: Sequence[TopLevel], new: Sequence[TopLevel]) -> Iterator[KindDiff]:
    before, after = _by_kind(old), _by_kind(new)
    for kind in KINDS:
        first, second = before.get(kind.type, {}), after.get(kind.type, {})
        both = sorted(first.keys() & second.keys())
        changed = [_change(name, first[name], second[name]) for name in both if first[name] != second[name]]
        diff = KindDiff(
            resource=resource_of(kind),
            added=sorted(second.keys() - first.keys()),
            removed=sorted(first.keys() - second.keys()),
            changed=[change for change in changed if change.fields],
        )
        if diff.added or diff.removed or diff.changed:
            yield diff


def _by_kind(objects: Sequence[TopLevel]) -> dict[type[TopLevel], dict[str, TopLevel]]:
    found: dict[type[TopLevel], dict[str, TopLevel]] = {}
    for obj in objects:
        found.setdefault(type(obj), {})[_name(BY_TYPE[type(obj)], obj)] = reduced(obj)
    return found


def _name(kind: Kind, obj: TopLevel) -> str:
    return obj.full_name if kind.namespaced else obj.name


def _change(name: str, before: TopLevel, after: TopLevel) -> ObjectChange:
    fields = [
        FieldChange(field=path_text(path), before=old, after=new)
        for path, old, new in _differences(_data(before), _data(after), ())
    ]
    return ObjectChange(name=name, fields=fields)


def _data(obj: TopLevel) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(obj))
    return {key: value for key, value in data.items() if key not in _IDENTITY}


def _differences(before: Any, after: Any, path: FieldPath) -> Iterator[tuple[FieldPath, Any, Any]]:
    if isinstance(before, dict | None) and isinstance(after, dict | None) and (before or after):
        old, new = before or {}, after or {}
        for key in sorted({*old, *new}):
            yield from _differences(old.get(key), new.get(key), (*path, key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for i, (first, second) in enumerate(zip(before, after, strict=True)):
            yield from _differences(first, second, (*path, i))
    elif before != after and (before or after):
        yield path, before, after


def _totals(before: Resources, after: Resources) -> list[TotalChange]:
    return [
        TotalChange(resource=name, before=str(before.get(name, ZERO)), after=str(after.get(name, ZERO)))
        for name in sorted({*before, *after})
        if before.get(name, ZERO) != after.get(name, ZERO)
    ]
