"""Claims that are made for a pod: generic ephemeral volumes, and resource claims from templates."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from kschedctl.errors import InputError
from kschedctl.objects.meta import ObjectMeta, OwnerReference, TopLevel
from kschedctl.objects.pod import Pod, PodResourceClaimStatus
from kschedctl.objects.resource import ResourceClaim, ResourceClaimTemplate
from kschedctl.objects.storage import PersistentVolumeClaim, PersistentVolumeClaimSpec
from kschedctl.workloads.names import generated_names
from kschedctl.workloads.succession import Find

POD_CLAIM_ANNOTATION = "resource.kubernetes.io/pod-claim-name"


def with_generated_claims(pod: Pod, find: Find) -> tuple[Pod, tuple[TopLevel, ...]]:
    """The pod as it is once the controllers have made its claims, and these claims.

    A resource claim whose template is missing is not made: the scheduler says so.

    Raises:
        InputError: the template of an ephemeral volume is no claim.
    """
    if not any(v.ephemeral for v in pod.spec.volumes) and not pod.spec.resource_claims:
        return pod, ()
    claims: list[TopLevel] = [
        ephemeral_claim(pod, volume.name, volume.ephemeral.volume_claim_template)
        for volume in pod.spec.volumes
        if volume.ephemeral is not None
    ]
    statuses = list(pod.status.resource_claim_statuses)
    known = {status.name for status in statuses}
    for entry in pod.spec.resource_claims:
        if entry.resource_claim_template_name is None or entry.name in known:
            continue
        template = find(ResourceClaimTemplate, entry.resource_claim_template_name, pod.namespace)
        if template is not None:
            claim = _resource_claim(pod, entry.name, template)
            claims.append(claim)
            statuses.append(PodResourceClaimStatus(name=entry.name, resource_claim_name=claim.name))
    status = replace(pod.status, resource_claim_statuses=tuple(statuses))
    return replace(pod, status=status), tuple(claims)


def _owner(pod: Pod) -> tuple[OwnerReference, ...]:
    return (OwnerReference(api_version="v1", kind="Pod", name=pod.name, uid=pod.uid, controller=True),)


def ephemeral_claim(pod: Pod, volume: str, template: dict[str, Any]) -> PersistentVolumeClaim:
    """The claim of a generic ephemeral volume, as the controller makes it.

    Raises:
        InputError: the template is no claim.
    """
    try:
        metadata = msgspec.convert(template.get("metadata") or {}, ObjectMeta)
        spec = msgspec.convert(template.get("spec") or {}, PersistentVolumeClaimSpec)
    except msgspec.ValidationError as error:
        where = f"the claim template of volume {volume} of pod {pod.full_name}"
        raise InputError(f"{where} is no claim: {error}") from error
    return PersistentVolumeClaim(
        api_version="v1",
        kind="PersistentVolumeClaim",
        metadata=replace(
            metadata, name=f"{pod.name}-{volume}", namespace=pod.namespace, owner_references=_owner(pod)
        ),
        spec=spec,
    )


def _resource_claim(pod: Pod, entry: str, template: ResourceClaimTemplate) -> ResourceClaim:
    own = template.spec.metadata
    return ResourceClaim(
        api_version="resource.k8s.io/v1",
        kind="ResourceClaim",
        metadata=replace(
            own,
            name=next(generated_names(f"{pod.name}-{entry}-")),
            namespace=pod.namespace,
            annotations={**own.annotations, POD_CLAIM_ANNOTATION: entry},
            owner_references=_owner(pod),
        ),
        spec=template.spec.spec,
    )
