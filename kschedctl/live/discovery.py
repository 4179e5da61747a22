"""What an API server says of itself: its version, and in which versions it serves a kind."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from kschedctl.live.decoders import (
    GROUP,
    RESOURCES,
    SERVER_VERSION,
    UNREADABLE,
    ApiGroup,
    Resources,
    ServerVersion,
)
from kschedctl.live.patience import PatientReader
from kschedctl.objects.kinds import Kind

_T = TypeVar("_T")


def server_version(reader: PatientReader) -> str:
    """The version of the API server; some proxies do not let it through, which is no reason to give up."""
    return _read(reader, "/version", SERVER_VERSION, ServerVersion()).text


def versions_of(reader: PatientReader, kind: Kind) -> tuple[str, ...]:
    """The versions in which a kind is served although we read none of them."""
    group = _read(reader, f"/apis/{kind.group}", GROUP, ApiGroup(), optional=True)
    served = []
    for version in (entry.version for entry in group.versions if entry.version not in kind.versions):
        resources = _read(reader, f"/apis/{kind.group}/{version}", RESOURCES, Resources(), optional=True)
        if any(resource.name == kind.plural for resource in resources.resources):
            served.append(version)
    return tuple(served)


def _read(
    reader: PatientReader,
    path: str,
    decoder: msgspec.json.Decoder[_T],
    nothing: _T,
    *,
    optional: bool = False,
) -> _T:
    answer = reader.get(path, optional=optional)
    try:
        return decoder.decode(answer.body)
    except UNREADABLE:
        return nothing
