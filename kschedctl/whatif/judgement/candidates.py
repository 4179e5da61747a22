"""Candidates: pods that somebody asks about, from manifests or from the cluster itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.cluster.store import ObjectStore
from kschedctl.errors import InputError, KschedError, Place
from kschedctl.objects.kinds import BY_TYPE, is_upstream_group
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.objects.resource import ResourceClaimTemplate
from kschedctl.sources.document import raise_all
from kschedctl.sources.older_versions import OLDER
from kschedctl.whatif.judgement.template_pods import siblings_of, template_pod
from kschedctl.whatif.manifests import Release
from kschedctl.workloads import WORKLOADS, Expansion, Workload, with_generated_claims

if TYPE_CHECKING:
    from kschedctl.sources.unknown_fields import UnknownField


_ASKED_ABOUT = {BY_TYPE[type_].kind: BY_TYPE[type_] for type_ in (Pod, *WORKLOADS)}


class PodCandidate(Struct, frozen=True):
    """A pod as it might be created.

    Attributes:
        pod: the pod as written, in the namespace in which it would be created.
        place: where it was read.
        workload: of which it is one pod; None: it was written as a pod.
        unknown: fields that the API does not have, of the candidate and of objects beside the candidates.
        siblings: the other pods of the workload, where they are scheduled as a group.
    """

    pod: Pod
    place: Place | None = None
    workload: Workload | None = None
    unknown: tuple[UnknownField, ...] = ()
    siblings: tuple[Pod, ...] = ()


class PodCandidates(Struct, frozen=True):
    """What manifests hold.

    Attributes:
        candidates: the pods, and one pod of each workload, in input order.
        companions: everything else in them; it is there when the pods are judged, as after `kubectl apply`.
        files: of the companions, where each was read.
        generated: what controllers would make on the way to the pods: claims, replica sets.
    """

    candidates: tuple[PodCandidate, ...] = ()
    companions: tuple[TopLevel, ...] = ()
    generated: tuple[TopLevel, ...] = ()
    files: tuple[str, ...] = ()

    def applied_to(self, objects: Sequence[TopLevel]) -> Sequence[TopLevel]:
        """The objects of a cluster with these: companions replace those of their name, generated ones do not."""
        if not self.companions and not self.generated:
            return objects
        applied = {_identity(obj) for obj in self.companions}
        kept = [obj for obj in objects if _identity(obj) not in applied]
        known = {_identity(obj) for obj in kept} | applied
        return [*kept, *self.companions, *(obj for obj in self.generated if _identity(obj) not in known)]


def candidates_of(release: Release, objects: Sequence[TopLevel], paths: Sequence[str]) -> PodCandidates:
    """The candidates in manifests.

    Args:
        release: what the manifests hold.
        objects: those of the cluster.
        paths: where the manifests were read, for errors.

    Raises:
        InputError: no pod is in them, or a pod or workload has a version that is none of its kind.
        InputErrors: several such problems.
        UnsupportedError: a daemon set is in them.
    """
    raise_all(no_matches(release))
    placed = list(zip(release.objects, release.at, strict=True))
    beside = [(obj, place.file or "") for obj, place in placed if not isinstance(obj, Pod)]
    companions = tuple(obj for obj, _ in beside)
    found = made_of([(o, p) for o, p in placed if isinstance(o, (Pod, *WORKLOADS))], [*objects, *companions])
    if not found.candidates:
        raise InputError(f"there is no pod in it{_instead(release)}", place=Place(file=", ".join(paths)))
    candidates = _with_unknown(found.candidates, release) if release.unknown else found.candidates
    files = tuple(file for _, file in beside)
    return replace(found, candidates=candidates, companions=companions, files=files)


def _with_unknown(candidates: Sequence[PodCandidate], release: Release) -> tuple[PodCandidate, ...]:
    """The candidates with the unknown fields that may change the answer about each."""
    own: dict[Place, list[UnknownField]] = {}
    shared: list[UnknownField] = []
    for field in release.unknown:
        if isinstance(release.objects[field.index], (Pod, *WORKLOADS)):
            own.setdefault(release.at[field.index], []).append(field)
        else:
            shared.append(field)
    return tuple(
        replace(c, unknown=(*(own.get(c.place, ()) if c.place else ()), *shared)) for c in candidates
    )


def made_of(
    sources: Sequence[tuple[Pod | Workload, Place | None]], objects: Sequence[TopLevel]
) -> PodCandidates:
    """The pods themselves and one pod of each workload, with what controllers would make for them.

    Raises:
        UnsupportedError: a daemon set is among them.
    """
    templates = ObjectStore(o for o in objects if isinstance(o, ResourceClaimTemplate))
    candidates: list[PodCandidate] = []
    generated: list[TopLevel] = []
    for obj, place in sources:
        expansion = Expansion((obj,)) if isinstance(obj, Pod) else template_pod(obj, objects, place)
        generated += expansion.others
        for pod in expansion.pods:
            workload = None if isinstance(obj, Pod) else obj
            siblings = () if workload is None else siblings_of(pod, workload, objects)
            complete = []
            for one in (pod, *siblings):
                with_claims, claims = with_generated_claims(one, templates.find)
                complete.append(with_claims)
                generated += claims
            candidates.append(PodCandidate(complete[0], place, workload, siblings=tuple(complete[1:])))
    return PodCandidates(tuple(candidates), generated=tuple(generated))


def _identity(obj: TopLevel) -> tuple[type[TopLevel], str, str]:
    return type(obj), obj.namespace, obj.name


def no_matches(release: Release) -> list[KschedError]:
    """Kubectl finds no pod in apps/v1: what is meant to be asked about, or was there once, must not be left out."""
    problems: list[KschedError] = []
    for unread in release.unread:
        kind, older = _ASKED_ABOUT.get(unread.kind), OLDER.get((unread.api_version, unread.kind))
        if older is not None:
            right, since = older.today, f" Kubernetes {older.until} has taken {unread.api_version} away."
        elif kind is not None and is_upstream_group(unread.api_version):
            right, since = kind.api_versions[0], ""
        else:
            continue
        problems.append(
            InputError(
                f'no matches for kind "{unread.kind}" in version "{unread.api_version}"',
                place=unread.place,
                hint=f"Write apiVersion: {right}.{since}",
            )
        )
    return problems


def _instead(release: Release) -> str:
    kinds = sorted({obj.kind for obj in release.objects} | {kind for _, kind in release.skipped})
    return f", only {', '.join(kinds)}" if kinds else ""
