"""Candidates: pods that somebody asks about, from manifests or from the cluster itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final

from msgspec.structs import replace

from kschedctl.cluster.pods import PodRecord
from kschedctl.errors import InputError, KschedError, Place, UnsupportedError, UsageError
from kschedctl.objects import apps
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.sources.document import raise_all
from kschedctl.sources.load import Loaded, load

from .session import Session

WORKLOADS: Final = (
    apps.Deployment,
    apps.StatefulSet,
    apps.DaemonSet,
    apps.ReplicaSet,
    apps.ReplicationController,
    apps.Job,
    apps.CronJob,
)
_POD_WORDS: Final = ("pod", "pods", "po")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pod as it might be created.

    Attributes:
        pod: the pod as written, in the namespace in which it would be created.
        place: where it was read.
    """

    pod: Pod
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Manifests:
    """What manifests hold.

    Attributes:
        candidates: the pods, in input order.
        companions: everything else in them; it is there when the pods are judged.
    """

    candidates: tuple[Candidate, ...]
    companions: tuple[TopLevel, ...]


def load_manifests(
    paths: Sequence[str],
    *,
    namespace: str | None = None,
    stdin: BinaryIO | None = None,
    observer: Observer = SILENT,
) -> Manifests:
    """Read candidates from files, directories or, for `-`, a stream.

    Args:
        paths: as for `sources.load`.
        namespace: of objects that state none, as with `kubectl -n`.
        stdin: the stream.
        observer: is told what is skipped.

    Raises:
        InputError: no pod is in them, or they cannot be read, or a pod states another namespace.
        InputErrors: several such problems.
        UnsupportedError: a workload is in them.
    """
    if not paths:
        return Manifests((), ())
    loaded = load(paths, stdin=stdin, observer=observer)
    problems: list[KschedError] = []
    candidates: list[Candidate] = []
    for obj in loaded.objects:
        if isinstance(obj, WORKLOADS):
            problems.append(_no_workloads(obj, loaded))
        elif isinstance(obj, Pod):
            place = loaded.place_of(obj)
            if namespace and obj.metadata.namespace not in ("", namespace):
                problems.append(_other_namespace(obj, namespace, place))
            candidates.append(Candidate(_in_namespace(obj, namespace), place))
    raise_all(problems)
    if not candidates:
        raise InputError(f"there is no pod in it{_instead(loaded)}", place=Place(file=", ".join(paths)))
    others = tuple(obj for obj in loaded.objects if not isinstance(obj, Pod))
    return Manifests(tuple(candidates), others)


def find_pod(session: Session, kind: str, name: str, namespace: str) -> PodRecord:
    """The pod of the cluster that `TYPE/NAME` means, running or pending.

    Raises:
        UsageError: it is of another type, or there is none of this name.
    """
    if kind.lower() not in _POD_WORDS:
        raise UsageError(f"{kind}/{name}: only pods can be taken from the cluster", hint=f"Write pod/{name}.")
    record = session.find(namespace, name)
    if record is not None:
        return record
    elsewhere = sorted({r.namespace for r in session.cluster.pods.records if r.name == name})
    hint = f"There is one in {', '.join(elsewhere[:3])}: use -n." if elsewhere else None
    raise UsageError(f"pod {namespace}/{name} is not in the cluster, or has ended", hint=hint)


def with_companions(objects: Sequence[TopLevel], companions: Sequence[TopLevel]) -> list[TopLevel]:
    """The objects of the cluster after the companions were applied: those of the same name are replaced."""
    if not companions:
        return list(objects)
    applied = {_identity(obj) for obj in companions}
    return [obj for obj in objects if _identity(obj) not in applied] + list(companions)


def _identity(obj: TopLevel) -> tuple[type[TopLevel], str, str]:
    return type(obj), obj.namespace, obj.name


def _in_namespace(pod: Pod, namespace: str | None) -> Pod:
    if pod.metadata.namespace or not namespace:
        return pod
    return replace(pod, metadata=replace(pod.metadata, namespace=namespace))


def _other_namespace(pod: Pod, namespace: str, place: Place) -> KschedError:
    text = f"pod {pod.full_name} states a namespace other than the -n {namespace} that is asked for"
    return InputError(text, place=place)


def _no_workloads(obj: TopLevel, loaded: Loaded) -> KschedError:
    return UnsupportedError(
        f"{obj.kind} {obj.full_name}: workloads are not explained yet",
        place=loaded.place_of(obj),
        hint="Write the pod of its template as a Pod.",
    )


def _instead(loaded: Loaded) -> str:
    kinds = sorted({obj.kind for obj in loaded.objects} | {kind for _, kind in loaded.skipped})
    return f", only {', '.join(kinds)}" if kinds else ""
