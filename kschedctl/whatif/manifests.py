"""Manifests of a release: the objects, in the namespace asked for, and where each one stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, BinaryIO

from msgspec import Struct, field

from kschedctl.errors import Place
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.sources.document import raise_all
from kschedctl.sources.load import load
from kschedctl.sources.namespacing import in_namespace, other_namespaces
from kschedctl.workloads import WORKLOADS, WorkloadKey, key_of

if TYPE_CHECKING:
    from kschedctl.sources.unknown_fields import UnknownField


class Release(Struct, frozen=True):
    """What manifests hold.

    Attributes:
        objects: in input order.
        at: where each object was read.
        skipped: `(apiVersion, kind)` of what scheduling does not read -> how many.
        unknown: fields that the API does not have.
    """

    objects: tuple[TopLevel, ...] = ()
    at: tuple[Place, ...] = ()
    skipped: Mapping[tuple[str, str], int] = field(default_factory=dict)
    unknown: Sequence[UnknownField] = ()

    @property
    def places(self) -> Mapping[WorkloadKey, Place]:
        """Workload or bare pod -> where it was read."""
        pairs = zip(self.objects, self.at, strict=True)
        return {key_of(obj): place for obj, place in pairs if isinstance(obj, (Pod, *WORKLOADS))}


def load_release(
    paths: Sequence[str],
    *,
    namespace: str | None = None,
    stdin: BinaryIO | None = None,
    observer: Observer = SILENT,
) -> Release:
    """Read manifests from files, directories or, for `-`, a stream; also what helm and kustomize print.

    Args:
        paths: as for `sources.load`.
        namespace: of objects that state none, as with `kubectl -n`.
        stdin: the stream.
        observer: is told what is skipped.

    Raises:
        InputError: they cannot be used, or an object states another namespace.
        InputErrors: several problems.
    """
    if not paths:
        return Release()
    loaded = load(paths, check_fields=True, stdin=stdin, observer=observer)
    raise_all([*other_namespaces(loaded, namespace)])
    count = range(len(loaded.objects))
    objects = tuple(in_namespace(obj, namespace) for obj in loaded.objects)
    return Release(objects, tuple(map(loaded.place_of, count)), loaded.skipped, loaded.unknown)
