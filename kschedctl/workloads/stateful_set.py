"""StatefulSet: numbered pods, each with claims of its own (spec 02 E.1)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from msgspec.structs import replace

from kschedctl.objects.apps import StatefulSet
from kschedctl.objects.go import parse_int
from kschedctl.objects.meta import ObjectMeta
from kschedctl.objects.pod import Pod, PodSpec
from kschedctl.objects.pod_volumes import PersistentVolumeClaimVolumeSource, Volume
from kschedctl.objects.storage import PersistentVolumeClaim
from kschedctl.workloads.limits import pods_made
from kschedctl.workloads.names import template_hash
from kschedctl.workloads.template import pod_from
from kschedctl.workloads.workload import Expansion, replicas_of

NAME_LABEL = "statefulset.kubernetes.io/pod-name"
INDEX_LABEL = "apps.kubernetes.io/pod-index"
REVISION_LABEL = "controller-revision-hash"


def ordinals_of(owner: StatefulSet) -> range:
    """The numbers of its pods."""
    start = owner.spec.ordinals.start if owner.spec.ordinals else 0
    return range(start, start + (replicas_of(owner) or 0))


def creates_in_order(owner: StatefulSet) -> bool:
    """Whether a pod is created only once all before it are ready."""
    return owner.spec.pod_management_policy != "Parallel"


def missing_members(owner: StatefulSet, there: Iterable[int] = (), most: int | None = None) -> Expansion:
    """The pods that a stateful set lacks, the lowest numbers first, and their claims.

    Args:
        owner: the set.
        there: numbers of the pods that it has.
        most: see `pods_made`.

    Raises:
        UsageError: no cluster holds so many.
    """
    ordinals, present = ordinals_of(owner), {*there}
    wanted = ordinals.stop - ordinals.start - sum(i in ordinals for i in present)
    made, counted = pods_made(wanted, most, owner)
    found = expand_stateful_set(owner, islice((i for i in ordinals if i not in present), made))
    return Expansion(found.pods, found.others, counted)


def expand_stateful_set(owner: StatefulSet, ordinals: Iterable[int]) -> Expansion:
    """Pods of a stateful set by their numbers, in the order given, and their claims."""
    revision = f"{owner.name}-{template_hash(owner.spec.template)}"
    wanted = list(ordinals)
    pods = tuple(_pod(owner, ordinal, revision) for ordinal in wanted)
    claims = tuple(
        _claim(owner, template, ordinal)
        for ordinal in wanted
        for template in owner.spec.volume_claim_templates
    )
    return Expansion(pods, claims)


def ordinal_of(name: str) -> int:
    """The number at the end of a pod's name, -1 where there is none that 32 bits hold."""
    digits = name.rpartition("-")[2]
    number = parse_int(digits, 32) if digits[:1] != "+" else None
    return -1 if number is None else number


def _pod(owner: StatefulSet, ordinal: int, revision: str) -> Pod:
    name = f"{owner.name}-{ordinal}"
    labels = {NAME_LABEL: name, INDEX_LABEL: str(ordinal), REVISION_LABEL: revision}
    return pod_from(
        owner.spec.template, owner, name, labels=labels, spec=_spec(owner, ordinal, owner.spec.template.spec)
    )


def _spec(owner: StatefulSet, ordinal: int, spec: PodSpec) -> PodSpec:
    """The claims come first; a volume of the template with the name of a claim is replaced."""
    templates = owner.spec.volume_claim_templates
    volumes = [_volume(t.name, claim_name(owner, t, ordinal)) for t in templates]
    own = {t.name for t in templates}
    return replace(
        spec,
        hostname=f"{owner.name}-{ordinal}",
        subdomain=owner.spec.service_name,
        volumes=(*volumes, *(v for v in spec.volumes if v.name not in own)),
    )


def _volume(name: str, claim: str) -> Volume:
    return Volume(name=name, persistent_volume_claim=PersistentVolumeClaimVolumeSource(claim_name=claim))


def claim_name(owner: StatefulSet, template: PersistentVolumeClaim, ordinal: int) -> str:
    """Name of the claim that one pod gets from one template."""
    return f"{template.name}-{owner.name}-{ordinal}"


def _claim(owner: StatefulSet, template: PersistentVolumeClaim, ordinal: int) -> PersistentVolumeClaim:
    selector = owner.spec.selector.match_labels if owner.spec.selector else {}
    metadata = ObjectMeta(
        name=claim_name(owner, template, ordinal),
        namespace=owner.namespace,
        labels={**template.metadata.labels, **selector},
        annotations=template.metadata.annotations,
    )
    return replace(template, api_version="v1", kind="PersistentVolumeClaim", metadata=metadata)
