"""The claims of a member of a StatefulSet: the set says what they are called, and makes those anew that are gone."""

from __future__ import annotations

from msgspec.structs import replace

from kschedctl.advice.measure import Measure, Replacement
from kschedctl.advice.situation import Situation
from kschedctl.objects.apps import StatefulSet
from kschedctl.objects.meta import ObjectMeta
from kschedctl.objects.storage import PersistentVolumeClaim, PersistentVolumeClaimStatus
from kschedctl.workloads.stateful_set import expand_stateful_set, ordinal_of


def is_named_by_set(situation: Situation, claim: str) -> bool:
    """Whether the StatefulSet of the pod names a claim, so that nothing can take the place of that one."""
    owner = situation.pod.metadata.controller
    return owner is not None and owner.kind == "StatefulSet" and claim.endswith(f"-{situation.pod.name}")


def stateful_set_of(situation: Situation) -> StatefulSet | None:
    """The StatefulSet of the pod, where the input has it."""
    owner = situation.pod.metadata.controller
    if owner is None or owner.kind != "StatefulSet":
        return None
    return situation.cluster.objects.find(StatefulSet, owner.name, situation.record.namespace)


def given_up(situation: Situation, claim: PersistentVolumeClaim) -> Measure:
    """A claim with a volume deleted, with the pod: the set makes both anew, and the data is lost."""
    pod, within = situation.pod.name, f"-n {claim.namespace}"
    return Measure(
        "data-loss",
        f"claim {claim.name} deleted with its data, and made anew by the set",
        (Replacement(_anew(situation, claim)),),
        command=f"kubectl delete pvc {claim.name} {within} --wait=false && kubectl delete pod {pod} {within}",
        note=f"{claim.spec.volume_name} goes with its claim unless its reclaim policy is Retain",
        topic=f"claim {claim.name}",
    )


def claim_of_set(situation: Situation, claim: str) -> PersistentVolumeClaim | None:
    """The claim as its template in the set has it; None where the input has no such template."""
    found = stateful_set_of(situation)
    made = expand_stateful_set(found, [ordinal_of(situation.pod.name)]).others if found is not None else ()
    return next(
        (other for other in made if isinstance(other, PersistentVolumeClaim) and other.name == claim), None
    )


def _anew(situation: Situation, claim: PersistentVolumeClaim) -> PersistentVolumeClaim:
    """As the template of the set has it; as it was written, where the input has no such template."""
    made = claim_of_set(situation, claim.name)
    if made is not None:
        return made
    return PersistentVolumeClaim(
        api_version="v1",
        kind="PersistentVolumeClaim",
        metadata=ObjectMeta(name=claim.name, namespace=claim.namespace, labels=claim.metadata.labels),
        spec=replace(claim.spec, volume_name=""),
        status=PersistentVolumeClaimStatus(phase="Pending"),
    )
