"""Claims for devices: fewer of them, or without a condition; and pods without a claim that cannot be met."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kschedctl.advice.json_patch import add, document_of, remove
from kschedctl.advice.measure import Measure, ObjectPatch, PodPatch, Reference
from kschedctl.advice.situation import Ints, Situation
from kschedctl.objects.resource import ResourceClaim


def devices(situation: Situation, rows: Ints) -> Iterator[Measure]:
    """Every claim of the pod that is not allocated, smaller or less choosy; then the pod without it."""
    names = {s.name: s.resource_claim_name for s in situation.record.pod.status.resource_claim_statuses}
    for entry in situation.spec.resource_claims:
        name = entry.resource_claim_name or names.get(entry.name)
        found = situation.cluster.objects.find(ResourceClaim, name or "", situation.record.namespace)
        if found is not None and found.status.allocation is None:
            yield from _smaller(found)
    if len(situation.spec.resource_claims) == 1:
        yield from _without(situation)


def _smaller(claim: ResourceClaim) -> Iterator[Measure]:
    target = Reference("ResourceClaim", claim.namespace, claim.name)
    for at, request in enumerate(claim.spec.devices.requests):
        where = ("spec", "devices", "requests", at, "exactly")
        exact = request.exactly
        if exact is None:
            continue
        told = f"request {request.name} of claim {claim.name}"
        for count in dict.fromkeys((exact.count - 1, exact.count // 2, 1)):
            if 0 < count < exact.count:
                operation = add(count, *where, "count")
                size = round(0.5 + (exact.count - count) / exact.count, 2)
                yield Measure(
                    "devices",
                    f"{told} for {count} of {exact.count}",
                    (ObjectPatch(target, (operation,)),),
                    size=size,
                )
        if exact.allocation_mode == "All":
            edits = (
                ObjectPatch(target, (add("ExactCount", *where, "allocationMode"), add(1, *where, "count"))),
            )
            yield Measure("devices", f"{told} for one device, not all", edits)
        if exact.selectors:
            edit = ObjectPatch(target, (remove(*where, "selectors"),))
            yield Measure("devices", f"{told} without its selectors", (edit,))
        if exact.capacity is not None:
            edit = ObjectPatch(target, (remove(*where, "capacity"),))
            yield Measure("devices", f"{told} without its capacity", (edit,))
    if claim.spec.devices.constraints:
        edit = ObjectPatch(target, (remove("spec", "devices", "constraints"),))
        yield Measure("devices", f"claim {claim.name} without its constraints", (edit,))


def _without(situation: Situation) -> Iterator[Measure]:
    entry = situation.spec.resource_claims[0]
    document: Any = document_of(situation.pod)
    operations = [remove("spec", "resourceClaims")]
    for key in ("containers", "initContainers"):
        for at, container in enumerate(document["spec"].get(key, ())):
            if container.get("resources", {}).get("claims"):
                operations.append(remove("spec", key, at, "resources", "claims"))
    yield Measure("devices", f"without the device claim {entry.name}", (PodPatch(tuple(operations)),), size=2)
