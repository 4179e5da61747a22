"""What an API server says of itself: its version, and in which versions it serves a kind."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from kschedctl.live.patience import PatientReader
from kschedctl.objects.kinds import Kind

_T = TypeVar("_T")


class _ServerVersion(msgspec.Struct, frozen=True, rename="camel"):
    git_version: str = ""


def server_version(reader: PatientReader) -> str:
    """The version of the API server; some proxies do not let it through, which is no reason to give up."""
    answer = reader.get("/version")
    try:
        return msgspec.json.decode(answer.body, type=_ServerVersion).git_version
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""


class _GroupVersion(msgspec.Struct, frozen=True):
    version: str = ""


class _Group(msgspec.Struct, frozen=True):
    versions: tuple[_GroupVersion, ...] = ()


class _Resource(msgspec.Struct, frozen=True):
    name: str = ""


class _Resources(msgspec.Struct, frozen=True):
    resources: tuple[_Resource, ...] = ()


def versions_of(reader: PatientReader, kind: Kind) -> tuple[str, ...]:
    """The versions in which a kind is served although we read none of them."""
    group = _decoded(reader, f"/apis/{kind.group}", _Group)
    served = []
    for version in (entry.version for entry in group.versions if entry.version not in kind.versions):
        resources = _decoded(reader, f"/apis/{kind.group}/{version}", _Resources)
        if any(resource.name == kind.plural for resource in resources.resources):
            served.append(version)
    return tuple(served)


def _decoded(reader: PatientReader, path: str, type_: type[_T]) -> _T:
    answer = reader.get(path)
    try:
        return msgspec.json.decode(answer.body, type=type_)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return type_()
