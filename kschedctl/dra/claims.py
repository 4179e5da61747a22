"""From the entries of a pod to its claims (spec 05 §2.1)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Literal

from msgspec import Struct

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.dra.rules import DeviceRules
from kschedctl.objects.fault import Fault
from kschedctl.objects.pod import PodResourceClaim
from kschedctl.objects.resource import ResourceClaim

ClaimLookup = Callable[[str, str], ResourceClaim | None]
"""`(namespace, name)` -> claim."""


class DeviceClaimProblem(Struct, frozen=True):
    """Why a pod cannot be placed, on one node or at all."""

    code: Literal["unschedulable", "unresolvable", "error"]
    text: str
    fault: Fault | None = None
    """The fault of kube-scheduler that makes it one."""


def unresolvable(text: str) -> DeviceClaimProblem:
    """A problem that removing pods does not solve."""
    return DeviceClaimProblem("unresolvable", text)


def resolve(
    pod: AdmittedPod, find: ClaimLookup, rules: DeviceRules, owners: Collection[str] = ()
) -> tuple[ResourceClaim, ...] | DeviceClaimProblem:
    """The claims of a pod in the order of its entries, or the problem of the first entry that has one.

    Args:
        pod: the pod.
        find: the claims of the cluster.
        rules: the rules of the version.
        owners: uids of those for whom claims may have been made that the pod uses, beside itself.
    """
    owners = (pod.uid, *owners)
    claims: list[ResourceClaim] = []
    for entry in pod.spec.resource_claims:
        found = _resolve_entry(pod, entry, find, rules, owners)
        if isinstance(found, DeviceClaimProblem):
            return found
        if found is not None:
            claims.append(found)
    return tuple(claims)


def _resolve_entry(
    pod: AdmittedPod,
    entry: PodResourceClaim,
    find: ClaimLookup,
    rules: DeviceRules,
    owners: Collection[str],
) -> ResourceClaim | DeviceClaimProblem | None:
    """The claim of one entry, None where no claim is needed for it."""
    name = entry.resource_claim_name
    owned = name is None
    if name is None:
        if entry.resource_claim_template_name is None:
            where = f'pod "{pod.full_name}", spec.resourceClaim "{entry.name}"'
            return unresolvable(f"{where}: none of the supported fields are set")
        status = next((s for s in pod.status.resource_claim_statuses if s.name == entry.name), None)
        if status is None:
            return unresolvable(f'pod "{pod.full_name}": ResourceClaim not created yet')
        if status.resource_claim_name is None:
            return None
        name = status.resource_claim_name
    claim = find(pod.namespace, name)
    if claim is None:
        return unresolvable(f'could not find ResourceClaim "{pod.namespace}/{name}"')
    if claim.metadata.deletion_timestamp is not None:
        return unresolvable(f'resourceclaim "{claim.name}" is being deleted')
    controller = claim.metadata.controller
    if owned and (controller is None or controller.uid not in owners):
        kind = "Pod" if rules.owner_is_capitalised else "pod"
        owner = f"{kind} {pod.full_name} ({kind} is not owner)"
        return unresolvable(f"ResourceClaim {claim.full_name} was not created for {owner}")
    return claim
