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
        places: workload or bare pod -> where it was read.
        skipped: `(apiVersion, kind)` of what scheduling does not read -> how many.
        unknown: fields that the API does not have.
    """

    objects: tuple[TopLevel, ...] = ()
    places: Mapping[WorkloadKey, Place] = field(default_factory=dict)
    skipped: Mapping[tuple[str, str], int] = field(default_factory=dict)
    unknown: Sequence[UnknownField] = ()


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
    objects: list[TopLevel] = []
    places: dict[WorkloadKey, Place] = {}
    for i, obj in enumerate(loaded.objects):
        placed = in_namespace(obj, namespace)
        objects.append(placed)
        if isinstance(placed, (Pod, *WORKLOADS)):
            places[key_of(placed)] = loaded.place_of(i)
    return Release(tuple(objects), places, loaded.skipped, loaded.unknown)
