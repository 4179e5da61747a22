"""Claims for devices: fewer of them, or without a condition; and pods without a claim that cannot be met."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from kschedctl.advice.json_patch import add, remove
from kschedctl.advice.measure import Measure, PodPatch
from kschedctl.advice.obstacles.written_claims import WrittenClaim, written_device_claim
from kschedctl.advice.situation import Ints, Situation
from kschedctl.dra.requests import MAX_DEVICES
from kschedctl.objects.resource import ResourceClaim

_MOST_COUNTS: Final = 6


def devices(situation: Situation, rows: Ints) -> Iterator[Measure]:
    """Every claim of the pod that is not allocated, smaller or less choosy; then the pod without it."""
    names = {s.name: s.resource_claim_name for s in situation.record.pod.status.resource_claim_statuses}
    for entry in situation.spec.resource_claims:
        name = entry.resource_claim_name or names.get(entry.name)
        found = situation.cluster.objects.find(ResourceClaim, name or "", situation.record.namespace)
        if found is not None and found.status.allocation is None:
            yield from _smaller(found, written_device_claim(situation, entry, found))
    for at, entry in enumerate(situation.spec.resource_claims):
        yield _without(situation, at, entry.name)


def _smaller(claim: ResourceClaim, written: WrittenClaim) -> Iterator[Measure]:
    for at, request in enumerate(claim.spec.devices.requests):
        where = ("spec", "devices", "requests", at, "exactly")
        exact = request.exactly
        if exact is None:
            continue
        told = f"request {request.name} of {written.told}"
        for count in _counts(exact.count):
            size = round(0.5 + (exact.count - count) / exact.count, 2)
            text = f"{told} for {count} of {exact.count}"
            edits = written.edits(add(count, *where, "count"))
            yield Measure("devices", text, edits, size=size, topic=f"count of {told}")
        if exact.allocation_mode == "All":
            edits = written.edits(add("ExactCount", *where, "allocationMode"), add(1, *where, "count"))
            yield Measure("devices", f"{told} for one device, not all", edits)
        if exact.selectors:
            edits = written.edits(remove(*where, "selectors"))
            yield Measure("devices", f"{told} without its selectors", edits)
        if exact.capacity is not None:
            edits = written.edits(remove(*where, "capacity"))
            yield Measure("devices", f"{told} without its capacity", edits)
    if claim.spec.devices.constraints:
        edits = written.edits(remove("spec", "devices", "constraints"))
        yield Measure("devices", f"{written.told} without its constraints", edits)


def _counts(count: int) -> list[int]:
    """Smaller numbers of devices that are tried, the larger ones first; none that no claim gets."""
    above = min(count, MAX_DEVICES + 1)
    return [n for n in range(above - 1, 0, -1) if n >= above - _MOST_COUNTS or n in (above // 2, 1)]


def _without(situation: Situation, at: int, name: str) -> Measure:
    """The pod without a claim, and its containers without the devices of it."""
    spec: Any = situation.document["spec"]
    alone = len(spec["resourceClaims"]) == 1
    operations = [remove("spec", "resourceClaims") if alone else remove("spec", "resourceClaims", at)]
    for key in ("containers", "initContainers"):
        for c, container in enumerate(spec.get(key, ())):
            used = container.get("resources", {}).get("claims", [])
            places = [i for i, claim in enumerate(used) if claim["name"] == name]
            if places and len(places) == len(used):
                operations.append(remove("spec", key, c, "resources", "claims"))
            else:
                operations += [remove("spec", key, c, "resources", "claims", i) for i in reversed(places)]
    return Measure("devices", f"without the device claim {name}", (PodPatch(tuple(operations)),), size=2)
