"""Taking a snapshot of a live cluster: all kinds that scheduling reads, several at a time."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from functools import partial

from msgspec import Struct

from kschedctl import __version__
from kschedctl.errors import ClusterError
from kschedctl.live.connection import Connection
from kschedctl.live.discovery import server_version, versions_of
from kschedctl.live.listing import Forbidden, Listing, NotServed, list_kind
from kschedctl.live.parallel import run_all
from kschedctl.live.patience import PatientReader
from kschedctl.live.trouble import Unavailable
from kschedctl.live.trouble import forbidden as forbidden_error
from kschedctl.objects.kinds import BY_TYPE, KINDS, Kind
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.node import Node
from kschedctl.objects.phrases import names_text
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.sources import access
from kschedctl.sources.content import paused_gc
from kschedctl.sources.snapshot import NAMESPACE_ONLY, Header, MissingKind, Note, RecordedOrigin, Snapshot

_INDISPENSABLE = (Node, Pod)
_NAMED = 3


class TakeOptions(Struct, frozen=True):
    """How a cluster is read.

    Attributes:
        chunk_size: objects asked for at once; 0: all.
        timeout: seconds for everything.
        workers: kinds that are listed at the same time.
        namespace: where kinds are listed that may not be listed in all namespaces; empty: nowhere.
        given: kinds that are known from elsewhere, and not listed.
    """

    chunk_size: int = 500
    timeout: float = 120.0
    workers: int = 4
    namespace: str = ""
    given: frozenset[type[TopLevel]] = frozenset()


def take_snapshot(
    connection: Connection,
    now: datetime,
    options: TakeOptions | None = None,
    observer: Observer = SILENT,
) -> Snapshot:
    """Read everything that scheduling reads; only GET requests are sent.

    Kinds that are not served, not allowed or whose server fails are left out, and the header says what that weakens.

    Args:
        connection: the cluster.
        now: the time, for the header.
        options: how it is read.
        observer: hears of each page.

    Raises:
        ClusterError: the cluster cannot be reached, the credentials are refused, or nodes or pods may not
            be listed.
    """
    options = options or TakeOptions()
    observer = _Serialized(observer)
    reader = PatientReader(connection, options.timeout, observer=observer)
    with paused_gc():
        version = server_version(reader)
        kinds = [kind for kind in _large_first() if kind.type not in options.given]
        jobs = [partial(_list, reader, kind, options, observer) for kind in kinds]
        found = run_all(jobs, options.workers, reader.stop)
        listings = {kind.type: listing for kind, listing in found if isinstance(listing, Listing)}
        late = _nodes_that_appeared(listings, partial(_list, reader, BY_TYPE[Node], options, observer))
    missing = {kind.type: entry for kind, entry in found if isinstance(entry, MissingKind)}
    read = [kind for kind in KINDS if kind.type in listings]
    header = Header(
        taken_at=now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        taken_by=f"kschedctl {__version__}",
        origin=RecordedOrigin(server=connection.server, context=connection.context),
        kubernetes_version=version,
        missing=tuple(missing[kind.type] for kind in KINDS if kind.type in missing),
        notes=(*(note for kind in read for note in listings[kind.type].notes), *_narrow(listings), *late),
        resource_versions={access.resource_of(k): listings[k.type].resource_version for k in read},
    )
    return Snapshot(header, [obj for kind in read for obj in listings[kind.type].objects])


def _narrow(listings: dict[type[TopLevel], Listing]) -> list[Note]:
    """That some kinds could be read of one namespace only."""
    narrow = [kind for kind in KINDS if kind.type in listings and listings[kind.type].namespace]
    if not narrow:
        return []
    names = names_text([kind.plural for kind in narrow], _NAMED)
    namespace = listings[narrow[0].type].namespace
    text = f"only namespace {namespace} could be read of {names}: what others have on the nodes is not seen"
    return [Note(code=NAMESPACE_ONLY, text=text)]


def _large_first() -> list[Kind]:
    """Pods take longest, so they begin first."""
    return sorted(KINDS, key=lambda kind: kind.type is not Pod)


def _list(
    reader: PatientReader, kind: Kind, options: TakeOptions, observer: Observer
) -> tuple[Kind, Listing | MissingKind]:
    optional = kind.type not in _INDISPENSABLE
    progress = partial(observer.progress, kind.plural)
    list_it = partial(list_kind, reader, kind, options.chunk_size, progress, optional=optional)
    try:
        try:
            return kind, list_it()
        except Forbidden:
            if not kind.namespaced or not options.namespace:
                raise
            return kind, list_it(namespace=options.namespace)
    except Forbidden as error:
        if not optional:
            raise forbidden_error(str(reader.connection), kind, str(error)) from None
        return kind, access.forbidden(kind, str(error))
    except NotServed:
        if not optional:
            message = f"{reader.connection} does not serve {kind.plural}: is it an API server?"
            raise ClusterError(message) from None
        return kind, _of_unknown_versions(reader, kind)
    except Unavailable as error:
        if not optional:
            raise
        return kind, access.unavailable(kind, str(error))


def _of_unknown_versions(reader: PatientReader, kind: Kind) -> MissingKind:
    """A kind that is not served in any version that we read: perhaps in others, perhaps not at all."""
    try:
        versions = versions_of(reader, kind)
    except Unavailable as error:
        return access.unavailable(kind, str(error))
    return access.other_version(kind, versions) if versions else access.not_served(kind)


def _nodes_that_appeared(
    listings: dict[type[TopLevel], Listing], list_nodes: partial[tuple[Kind, Listing | MissingKind]]
) -> list[Note]:
    """Read the nodes again if pods are on nodes that are not in the list, and say so.

    The lists are not of one moment: a node may join, and get pods, after the nodes have been listed.
    """
    unknown = _unknown_nodes(listings) if Node in listings else set()
    if not unknown:
        return []
    _, again = list_nodes()
    if not isinstance(again, Listing):
        return []
    listings[Node] = again
    still = _unknown_nodes(listings)
    appeared = sorted(unknown - still)
    notes = []
    if appeared:
        names = names_text(appeared, _NAMED)
        text = f"pods were bound to nodes that joined meanwhile, so the nodes were read again: {names}"
        notes.append(Note(code="nodes-listed-again", text=text))
    if still:
        text = f"pods are on nodes that no longer exist: {names_text(sorted(still), _NAMED)}"
        notes.append(Note(code="nodes-gone", text=text))
    return notes


def _unknown_nodes(listings: dict[type[TopLevel], Listing]) -> set[str]:
    known = {node.name for node in listings[Node].objects}
    used = {
        pod.spec.node_name for pod in listings[Pod].objects if isinstance(pod, Pod) and not pod.is_terminal
    }
    return used - known - {""}


class _Serialized:
    """An observer that several threads tell something."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._lock = threading.Lock()

    def progress(self, what: str, done: int, total: int | None) -> None:
        with self._lock:
            self._observer.progress(what, done, total)

    def warning(self, text: str) -> None:
        with self._lock:
            self._observer.warning(text)

    def note(self, text: str) -> None:
        with self._lock:
            self._observer.note(text)
