"""Fields of manifests that the API does not have: misspelt, or in the wrong place.

Reading ignores what scheduling does not read, and so a misspelt field would silently make another pod of a pod.
The API server refuses such a manifest; here it is a warning.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from msgspec import Struct

from kschedctl.errors import Place
from kschedctl.objects.meta import KubeObject
from kschedctl.objects.pod_volumes import EphemeralVolumeSource
from kschedctl.objects.storage import PersistentVolumeClaim
from kschedctl.objects.unread_fields import UNREAD
from kschedctl.sources.field_types import FieldType, Nesting, field_types
from kschedctl.sources.lines import FieldPath, path_text

_Type = type[KubeObject]

_STATUS: Final = "status"
"""Every kind has one; it is written by controllers of any version, and not checked."""

_MISSPELT: Final = 0.9
"""Names as close as this are one name with a mistake, closer than a field of the same name elsewhere."""
_SIMILAR: Final = 0.7


class UnknownField(Struct, frozen=True):
    """A field that the API does not have.

    Attributes:
        index: of its object, among the objects loaded.
        place: where it stands.
        hint: what was probably meant, or None.
    """

    index: int
    place: Place
    hint: str | None

    def __str__(self) -> str:
        return f"{self.place}: unknown field" + (f"; {self.hint}" if self.hint else "")


class _Field(Struct, frozen=True):
    """What is in a field: objects of a type that is checked, or None; and whether many of them."""

    type: _Type | None = None
    many: bool = False


def unknown_fields(data: Any, type_: _Type) -> Iterator[tuple[FieldPath, str | None]]:
    """Yield the path of each field that objects of a type do not have, and what was probably meant."""
    if not _are_known(data, type_):
        yield from _walk(data, type_, (), ())


def unknown_field_text(data: Any, type_: _Type) -> str | None:
    """The first field that objects of a type do not have, in a sentence; for what is refused because of it."""
    for path, hint in unknown_fields(data, type_):
        return f"{path_text(path)}: unknown field" + (f"; {hint}" if hint else "")
    return None


def _are_known(value: Any, type_: _Type) -> bool:
    """Whether objects of a type may have all these fields: the fast pass, which keeps no paths."""
    if isinstance(value, dict):
        known = _fields(type_)
        for name, item in value.items():
            field = known.get(name)
            if field is None or (field.type is not None and not _are_known(item, field.type)):
                return False
    elif isinstance(value, list):
        return all(_are_known(item, type_) for item in value)
    return not isinstance(value, Mapping) or isinstance(value, dict)


def _walk(
    value: Any, type_: _Type, path: FieldPath, around: tuple[tuple[_Type, FieldPath], ...]
) -> Iterator[tuple[FieldPath, str | None]]:
    """Walk data and type side by side; `around` holds the types from the top down to the value, with their paths."""
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from _walk(item, type_, (*path, i), around)
    elif isinstance(value, Mapping):
        around = (*around, (type_, path))
        known = _fields(type_)
        for name, item in value.items():
            field = known.get(name)
            if field is None:
                yield (*path, name), _hint(str(name), around)
            elif field.type is not None:
                yield from _walk(item, field.type, (*path, name), around)


@cache
def _fields(type_: _Type) -> dict[str, _Field]:
    """Every field that objects of a type may have."""
    read = {field.encode_name: _inside(field) for field in field_types(type_)}
    unread = dict.fromkeys(UNREAD.get(type_, ()), _Field())
    if type_ is EphemeralVolumeSource:
        read["volumeClaimTemplate"] = _Field(PersistentVolumeClaim)
    if "kind" in read and "metadata" in read:
        read[_STATUS] = _Field()
    return read | unread


def _inside(field: FieldType) -> _Field:
    if field.container is Nesting.MAP:
        return _Field()
    struct, many = field.struct, field.container is Nesting.LIST
    return _Field(struct if struct is not None and issubclass(struct, KubeObject) else None, many=many)


def _hint(name: str, around: tuple[tuple[_Type, FieldPath], ...]) -> str | None:
    """What a name probably stands for: a neighbour that it nearly is, or a field of that name elsewhere."""
    neighbours = _fields(around[-1][0])
    if (misspelt := _closest(name, neighbours, _MISSPELT)) is not None:
        return f'did you mean "{misspelt}"?'
    ways = [
        (up + len(way), ".".join((*_names(path), *way)))
        for up, (type_, path) in enumerate(reversed(around))
        if (way := _way_to(name, type_)) is not None
    ]
    if ways:
        _, nearest = min(ways)
        return f"it belongs at {nearest}"
    similar = _closest(name, neighbours, _SIMILAR)
    return None if similar is None else f'did you mean "{similar}"?'


def _closest(name: str, known: Mapping[str, _Field], cutoff: float) -> str | None:
    from difflib import get_close_matches

    by_lower = {other.lower(): other for other in known}
    close = get_close_matches(name.lower(), by_lower, n=1, cutoff=cutoff)
    return by_lower[close[0]] if close else None


def _way_to(name: str, top: _Type) -> tuple[str, ...] | None:
    """The shortest way down from a type to a field of a name."""
    queue: deque[tuple[_Type, tuple[str, ...]]] = deque([(top, ())])
    seen = {top}
    while queue:
        type_, way = queue.popleft()
        for key, field in _fields(type_).items():
            if key == name:
                return (*way, name)
            if field.type is not None and field.type not in seen:
                seen.add(field.type)
                queue.append((field.type, (*way, f"{key}[]" if field.many else key)))
    return None


def _names(path: FieldPath) -> Iterator[str]:
    """The names of a path; list positions are told by their number, as in `containers[0]`."""
    for i, step in enumerate(path):
        if isinstance(step, str):
            position = path[i + 1] if i + 1 < len(path) else None
            yield f"{step}[{position}]" if isinstance(position, int) else step
