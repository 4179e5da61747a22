"""Extended resources that devices provide: the special claim of a pod (spec 05 §5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.dra.claims import DeviceClaimProblem, unresolvable
from kschedctl.dra.classes import ClassIndex, may_be_backed
from kschedctl.dra.requests import EXACT
from kschedctl.dra.rules import ExtendedResourceRules
from kschedctl.objects.containers import Container
from kschedctl.objects.meta import ObjectMeta, OwnerReference
from kschedctl.objects.quantity import parse
from kschedctl.objects.resource import (
    DeviceClaim,
    DeviceRequest,
    ExactDeviceRequest,
    ResourceClaim,
    ResourceClaimSpec,
)

ANNOTATION = "resource.kubernetes.io/extended-resource-claim"
IN_MEMORY = "<extended-resources>"
"""Name of the special claim until it is created."""


def served_by_devices(
    requests: Mapping[str, int],
    allocatable: Mapping[str, int],
    classes: ClassIndex,
    rules: ExtendedResourceRules,
) -> frozenset[str] | DeviceClaimProblem:
    """The resources of a pod that must come from devices on a node.

    Args:
        requests: extended resources of the pod, resource -> whole units.
        allocatable: what the node offers by itself, resource -> whole units.
        classes: the device classes.
        rules: the rules of the version.
    """
    served: set[str] = set()
    for name in requests:
        offered = name in allocatable and (rules.an_entry_is_an_offer or bool(allocatable[name]))
        if classes.backing(name) is not None and not offered:
            served.add(name)
        elif name not in allocatable:
            return unresolvable("cannot fit resource")
    return frozenset(served)


def extended_resources(requests: Mapping[str, int], rules: ExtendedResourceRules) -> Mapping[str, int]:
    """Those of a pod's requests that devices could serve, resource -> whole units."""
    return {
        name: amount
        for name, amount in requests.items()
        if amount and may_be_backed(name, implicit=rules.implicit_names)
    }


def wants_devices(requests: Mapping[str, int], classes: ClassIndex) -> bool:
    """Whether any of these extended resources is backed by a class."""
    return any(classes.backing(name) for name in requests)


def find_special(pod: AdmittedPod, claims: Iterable[ResourceClaim]) -> ResourceClaim:
    """The special claim of a pod from an earlier cycle, or a new one without requests."""
    for claim in claims:
        if is_special(claim) and _owned(claim, pod):
            return claim
    return ResourceClaim(metadata=_metadata(pod, IN_MEMORY))


def is_special(claim: ResourceClaim) -> bool:
    """Whether the scheduler made the claim for extended resources of a pod."""
    return claim.metadata.annotations.get(ANNOTATION) == "true"


def with_requests(
    special: ResourceClaim,
    pod: AdmittedPod,
    resources: Iterable[str],
    classes: ClassIndex,
    rules: ExtendedResourceRules,
) -> ResourceClaim:
    """The special claim with requests for these resources, as far as classes back them."""
    requests: list[DeviceRequest] = []
    for resource in sorted(resources):
        device_class = classes.backing(resource)
        if device_class is None:
            continue
        needs = [n for i, c, lived in _containers(pod) if (n := _need(i, c, resource, lived)) is not None]
        counts = _shared(needs) if rules.containers_share else [(need.name, need.quantity) for need in needs]
        requests += [_request(name, count, device_class.name) for name, count in counts]
    if rules.containers_share:
        requests.sort(key=lambda request: request.name)
    spec = ResourceClaimSpec(devices=DeviceClaim(requests=tuple(requests)))
    return msgspec.structs.replace(special, spec=spec)


def created(special: ResourceClaim, pod: AdmittedPod, name: str) -> ResourceClaim:
    """The special claim as it is written to the cluster."""
    return msgspec.structs.replace(special, metadata=_metadata(pod, name))


class _Need(Struct, frozen=True):
    """What one container needs of a resource."""

    index: int
    name: str
    quantity: int
    long_lived: bool


def _shared(needs: Sequence[_Need]) -> list[tuple[str, int]]:
    """One request for each container that stays, and one for what the short-lived ones need beyond that."""
    lasting = [need for need in needs if need.long_lived]
    chosen = [(need.name, need.quantity) for need in lasting]
    remainders = [(need.name, rest) for need in needs if (rest := _remainder(need, lasting)) > 0]
    if remainders:
        chosen.append(max(remainders, key=lambda r: r[1]))
    return chosen


def _request(name: str, count: int, class_name: str) -> DeviceRequest:
    exactly = ExactDeviceRequest(device_class_name=class_name, allocation_mode=EXACT, count=count)
    return DeviceRequest(name=name, exactly=exactly)


def _containers(pod: AdmittedPod) -> Iterable[tuple[int, Container, bool]]:
    """Index, container, and whether it stays for the life of the pod."""
    init: Sequence[Container] = pod.spec.init_containers
    for i, container in enumerate(init):
        yield i, container, container.is_sidecar
    for i, container in enumerate(pod.spec.containers, start=len(init)):
        yield i, container, True


def _need(index: int, container: Container, resource: str, long_lived: bool) -> _Need | None:
    requests = container.resources.requests
    if resource not in requests:
        return None
    quantity = parse(requests[resource]).value()
    position = sorted(requests).index(resource)
    return _Need(index, f"container-{index}-request-{position}", quantity, long_lived) if quantity else None


def _remainder(need: _Need, lasting: Sequence[_Need]) -> int:
    """What a short-lived container needs beyond the devices of containers that start after it."""
    if need.long_lived:
        return 0
    return need.quantity - sum(other.quantity for other in lasting if other.index >= need.index)


def _metadata(pod: AdmittedPod, name: str) -> ObjectMeta:
    owner = OwnerReference(api_version="v1", kind="Pod", name=pod.name, uid=pod.uid, controller=True)
    return ObjectMeta(
        name=name,
        namespace=pod.namespace,
        uid=f"{pod.uid}/{name}",
        annotations={ANNOTATION: "true"},
        owner_references=(owner,),
    )


def _owned(claim: ResourceClaim, pod: AdmittedPod) -> bool:
    owner = claim.metadata.controller
    if owner is None or claim.namespace != pod.namespace:
        return False
    return (owner.name, owner.uid) == (pod.name, pod.uid)
