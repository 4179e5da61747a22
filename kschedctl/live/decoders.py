"""Decoders of all that an API server sends, made on import, before a thread can ask for one.

msgspec works out how a type is decoded when it is first asked to, and another thread that asks meanwhile gets what is
half worked out and crashes the process. So nothing in this package decodes by `type=`.
"""

from __future__ import annotations

from typing import Final

import msgspec

from kschedctl.objects.kinds import KINDS
from kschedctl.objects.meta import TopLevel


class _PageMeta(msgspec.Struct, frozen=True, rename="camel"):
    resource_version: str = ""
    continue_: str | None = msgspec.field(default=None, name="continue")
    remaining_item_count: int | None = None


class Page(msgspec.Struct, frozen=True):
    """A page of a list; its items are decoded one by one."""

    items: list[msgspec.Raw] | None
    metadata: _PageMeta


class _StatusMeta(msgspec.Struct, frozen=True):
    continue_: str = msgspec.field(default="", name="continue")


class ApiStatus(msgspec.Struct, frozen=True):
    """The `ApiStatus` object with which an API server says no."""

    message: str = ""
    reason: str = ""
    metadata: _StatusMeta = _StatusMeta()


class ServerVersion(msgspec.Struct, frozen=True, rename="camel"):
    """What `/version` says."""

    git_version: str = ""
    minor: str = ""
    emulation_minor: str = ""

    @property
    def text(self) -> str:
        """The version as people write it, with the one that it emulates where that is another one."""
        if self.emulation_minor in ("", self.minor.rstrip("+")):
            return self.git_version
        return f"{self.git_version} emulating 1.{self.emulation_minor}"


class _GroupVersion(msgspec.Struct, frozen=True):
    version: str = ""


class ApiGroup(msgspec.Struct, frozen=True):
    """The versions of an API group."""

    versions: tuple[_GroupVersion, ...] = ()


class _Resource(msgspec.Struct, frozen=True):
    name: str = ""


class Resources(msgspec.Struct, frozen=True):
    """The resources of a version of an API group."""

    resources: tuple[_Resource, ...] = ()


OBJECTS: Final[dict[type[TopLevel], msgspec.json.Decoder[TopLevel]]] = {
    kind.type: msgspec.json.Decoder(kind.type) for kind in KINDS
}
UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding raises where the bytes are not what they should be."""

PAGE: Final = msgspec.json.Decoder(Page)
STATUS: Final = msgspec.json.Decoder(ApiStatus)
SERVER_VERSION: Final = msgspec.json.Decoder(ServerVersion)
GROUP: Final = msgspec.json.Decoder(ApiGroup)
RESOURCES: Final = msgspec.json.Decoder(Resources)
