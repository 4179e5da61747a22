"""Listing one kind: page after page, over expired tokens, in the newest version that is served and known."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from kschedctl.errors import ClusterError
from kschedctl.live.connection import Response
from kschedctl.live.decoders import OBJECTS, PAGE, UNREADABLE
from kschedctl.live.patience import PatientReader
from kschedctl.live.trouble import status_of, unexpected
from kschedctl.objects.kinds import Kind
from kschedctl.objects.meta import TopLevel
from kschedctl.sources.lines import FieldPath, path_text
from kschedctl.sources.quantities import QuantityCheck, quantity_message
from kschedctl.sources.reduction import reduced
from kschedctl.sources.shape import ShapeError, decode_slowly
from kschedctl.sources.snapshot import Note

_MAX_RESTARTS = 1
"""After so many expired tokens the list goes on without consistency: it will not get quicker."""

Progress = Callable[[int, int | None], None]


class Listing(Struct):
    """All objects of a kind, as far as they could be read."""

    objects: list[TopLevel] = field(default_factory=list)
    resource_version: str = ""
    notes: list[Note] = field(default_factory=list)
    namespace: str = ""
    """The only namespace that was read; empty: all."""


class Forbidden(Exception):
    """The kind may not be listed."""


class NotServed(Exception):
    """No version of the kind that we know is served."""


def list_kind(
    reader: PatientReader,
    kind: Kind,
    chunk_size: int,
    progress: Progress,
    *,
    optional: bool = False,
    namespace: str = "",
) -> Listing:
    """List all objects of a kind, cut down to what scheduling reads.

    Args:
        reader: of the server.
        kind: what is listed.
        chunk_size: objects asked for at once; 0: all.
        progress: is told how many there are, of how many, page after page.
        optional: whether one can do without them.
        namespace: the only one to read; empty: all.

    Raises:
        Forbidden: with what the server said.
        NotServed: the server has none of the versions.
        Unavailable: the server fails on this kind.
        ClusterError: the list cannot be had.
    """
    for api_version in kind.api_versions:
        try:
            return _Lister(reader, kind, api_version, chunk_size, progress, optional, namespace).list()
        except NotServed:
            continue
    raise NotServed


class _Lister:
    """Lists a kind in one version."""

    def __init__(
        self,
        reader: PatientReader,
        kind: Kind,
        api_version: str,
        chunk_size: int,
        progress: Progress,
        optional: bool,
        namespace: str,
    ) -> None:
        self._reader = reader
        self._kind = kind
        self._api_version = api_version
        where = f"namespaces/{namespace}/" if namespace else ""
        self._path = f"/{'apis' if kind.group else 'api'}/{api_version}/{where}{kind.plural}"
        self._limit = {"limit": str(chunk_size)} if chunk_size else {}
        self._progress = progress
        self._optional = optional
        self._restarts = 0
        self._namespace = namespace
        self._listing = Listing(namespace=namespace)
        self._quantities = QuantityCheck()

    def list(self) -> Listing:
        token: str | None = ""
        while token is not None:
            token = self._next(token)
        self._check_names()
        return self._listing

    def _check_names(self) -> None:
        """Refuse what no API server sends, and what could not be read again from a snapshot."""
        seen = set()
        for obj in self._listing.objects:
            name = obj.full_name if self._kind.namespaced else obj.metadata.name
            if not obj.metadata.name or name in seen:
                what = f"{name} twice" if obj.metadata.name else "without metadata.name"
                raise ClusterError(f"{self._reader.connection} sent a {self._kind.kind} {what}")
            seen.add(name)

    def _next(self, token: str) -> str | None:
        """Take the page of a token and return the token of the next one, None after the last."""
        query = {**self._limit, "continue": token} if token else self._limit
        answer = self._reader.get(self._path, query, optional=self._optional)
        match answer.status:
            case 200:
                return self._take(answer)
            case 403:
                raise Forbidden(status_of(answer.body).message)
            case 404:
                raise NotServed
            case 410 if token:
                return self._expired(status_of(answer.body).metadata.continue_)
            case 400 if token and self._restarts < _MAX_RESTARTS:
                return self._restart()
            case _:
                raise unexpected(str(self._reader.connection), self._path, answer.status, answer.body)

    def _take(self, answer: Response) -> str | None:
        try:
            page = PAGE.decode(answer.body)
        except UNREADABLE:
            raise unexpected(str(self._reader.connection), self._path, answer.status, answer.body) from None
        listing = self._listing
        listing.objects += [self._object(raw) for raw in page.items or ()]
        listing.resource_version = listing.resource_version or page.metadata.resource_version
        done, remaining = len(listing.objects), page.metadata.remaining_item_count
        more = bool(page.metadata.continue_)
        self._progress(done, done + remaining if remaining is not None else None if more else done)
        return page.metadata.continue_ or None

    def _expired(self, offered: str) -> str:
        """The server has forgotten the version that the list began with (410)."""
        if self._restarts < _MAX_RESTARTS or not offered:
            return self._restart()
        text = (
            f"the list of {self._kind.plural} took too long to be of one moment: "
            f"from the {len(self._listing.objects) + 1}. on it is newer"
        )
        self._listing.notes.append(Note(code="list-inconsistent", text=text))
        return offered

    def _restart(self) -> str:
        self._restarts += 1
        if self._restarts > _MAX_RESTARTS + 1:
            raise ClusterError(
                f"{self._reader.connection}: the list of {self._kind.plural} expires before it is read",
                hint="a larger --chunk-size needs fewer requests",
            )
        text = f"the list of {self._kind.plural} expired and was begun again"
        self._listing = Listing(notes=[Note(code="list-restarted", text=text)], namespace=self._namespace)
        return ""

    def _unreadable(self, path: FieldPath, why: str) -> ClusterError:
        where = f"{path_text(path)}: " if path else ""
        return ClusterError(
            f"{self._reader.connection} sent a {self._kind.kind} that cannot be read: {where}{why}"
        )

    def _object(self, raw: msgspec.Raw) -> TopLevel:
        """Decode one item, which does not say its version and kind, and keep what scheduling reads."""
        try:
            obj = OBJECTS[self._kind.type].decode(raw)
        except UNREADABLE:  # nulls, as a rule
            try:
                obj = decode_slowly(msgspec.json.decode(raw), self._kind.type)
            except ShapeError as error:
                (first, *_) = error.mismatches
                raise self._unreadable(first.path, first.message) from None
            except UNREADABLE as error:
                raise self._unreadable((), str(error)) from None
        for path, amount in self._quantities.bad(obj):
            raise self._unreadable(path, quantity_message(path, amount))
        return reduced(replace(obj, api_version=self._api_version, kind=self._kind.kind))
