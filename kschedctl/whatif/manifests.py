"""Manifests of a release: the objects, in the namespace asked for, and where each one stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, BinaryIO

import msgspec
from msgspec import Struct

from kschedctl.errors import InputError, Place
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.sources.document import raise_all
from kschedctl.sources.held_template import held_at
from kschedctl.sources.lines import FieldPath
from kschedctl.sources.load import Loaded, load
from kschedctl.sources.namespacing import in_namespace, other_namespaces
from kschedctl.sources.provenance import UnreadObject
from kschedctl.workloads import WORKLOADS, WorkloadKey, key_of
from kschedctl.workloads.made_up_names import with_made_up_names
from kschedctl.workloads.workload import known_as

if TYPE_CHECKING:
    from kschedctl.sources.custom_workloads import PodTemplates
    from kschedctl.sources.unknown_fields import UnknownField


class Release(Struct, frozen=True):
    """What manifests hold.

    Attributes:
        objects: in input order.
        at: where each object was read.
        skipped: `(apiVersion, kind)` of what scheduling does not read -> how many.
        unknown: fields that the API does not have.
        unread: what scheduling does not read, each object with its place.
        loaded: knows where fields stand; None: there are no manifests.
    """

    objects: tuple[TopLevel, ...] = ()
    at: tuple[Place, ...] = ()
    skipped: Mapping[tuple[str, str], int] = msgspec.field(default_factory=dict)
    unknown: Sequence[UnknownField] = ()
    unread: Sequence[UnreadObject] = ()
    loaded: Loaded | None = None

    def place_of(self, key: WorkloadKey, field: FieldPath = ()) -> Place | None:
        """Where an object was read, or a field of it, else what is there of it; None: it is not in the manifests."""
        at = next((at for at, obj in enumerate(self.objects) if key in (key_of(obj), known_as(obj))), None)
        return None if at is None or self.loaded is None else self.loaded.place_of(at, field)

    @property
    def left_out(self) -> Sequence[str]:
        """Directories with manifests below those that were read, which are not searched."""
        return () if self.loaded is None else self.loaded.left_out

    @property
    def places(self) -> Mapping[WorkloadKey, Place]:
        """Workload or bare pod -> where it was read."""
        pairs = zip(self.objects, self.at, strict=True)
        return {known_as(obj): place for obj, place in pairs if isinstance(obj, (Pod, *WORKLOADS))}

    @property
    def held_templates(self) -> list[TopLevel]:
        """What stands for templates of custom resources."""
        return [obj for obj in self.objects if held_at(obj) is not None]

    def template_of(self, pod: Pod) -> TopLevel | None:
        """What stands for the template of a custom resource of which a pod is made; None: it is of no such one."""
        owner = pod.metadata.controller
        for made in self.held_templates if owner is not None else ():
            if owner is not None and (made.namespace, made.name) == (pod.namespace, owner.name):
                return made
        return None


def load_release(
    paths: Sequence[str],
    *,
    namespace: str | None = None,
    pod_templates: PodTemplates | None = None,
    stdin: BinaryIO | None = None,
    observer: Observer = SILENT,
) -> Release:
    """Read manifests from files, directories or, for `-`, a stream; also what helm and kustomize print.

    Args:
        paths: as for `sources.load`.
        namespace: of objects that state none, as with `kubectl -n`.
        pod_templates: custom resources that hold templates of pods; None: those that are known.
        stdin: the stream.
        observer: is told what is skipped.

    Raises:
        InputError: they cannot be used, an object states another namespace, or has neither name nor generateName.
        InputErrors: several problems.
    """
    if not paths:
        return Release()
    loaded = load(paths, check_fields=True, pod_templates=pod_templates, stdin=stdin, observer=observer)
    raise_all([*other_namespaces(loaded, namespace), *_nameless(loaded)])
    count = range(len(loaded.objects))
    objects = tuple(with_made_up_names([in_namespace(obj, namespace) for obj in loaded.objects]))
    at = tuple(map(loaded.place_of, count))
    return Release(objects, at, loaded.skipped, loaded.unknown, loaded.unread, loaded)


def _nameless(loaded: Loaded) -> Iterator[InputError]:
    """Objects that the API server refuses since they have no name; of pods that is told as an answer."""
    for at, obj in enumerate(loaded.objects):
        if not (obj.name or obj.metadata.generate_name or isinstance(obj, Pod)):
            yield InputError(
                f"{obj.kind}: metadata.name: Required value: name or generateName is required",
                place=loaded.place_of(at),
            )
