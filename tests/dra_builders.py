"""Small builders of dynamic resources."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.dra.allocator import Allocator, AllocatorFailure, NoSolution, Outcome, Solution
from kschedctl.dra.claims import DeviceClaimProblem
from kschedctl.dra.classes import ClassIndex
from kschedctl.dra.features import Features, from_gates
from kschedctl.dra.ledger import ClaimLedger, Devices
from kschedctl.dra.pod_claims import NodeAnswer, NodeFit, PodClaims, filter_node, pre_filter
from kschedctl.framework.versions import Version, feature_gates
from kschedctl.framework.versions.v1_34 import VERSION as V1_34
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.objects.resource import AllocationResult, DeviceClass, ResourceClaim, ResourceSlice

T = TypeVar("T", bound=TopLevel)
Raw = dict[str, Any]

DRIVER = "drv"


def features_of(version: Version = V1_36, **gates: bool) -> Features:
    """What a version does with its default gates, or with others."""
    return from_gates(feature_gates(version, gates).enabled, version.facts.devices)


IN_1_36, IN_1_34 = features_of(), features_of(V1_34)
IN_1_36_2 = features_of(V1_36.at_patch(2))
"""Before counters were given back for devices that are refused in the end."""


def make(kind: type[T], name: str, namespace: str = "", **fields: Any) -> T:
    """Any object; `meta` adds to its metadata."""
    metadata = {"name": name, "namespace": namespace, **fields.pop("meta", {})}
    return msgspec.convert({"metadata": metadata, **fields}, kind)


def node(
    name: str, labels: dict[str, str] | None = None, allocatable: Raw | None = None, **spec: Any
) -> Node:
    status = {"allocatable": allocatable or {}}
    return make(Node, name, meta={"labels": labels or {}}, spec=spec, status=status)


def device(name: str, **fields: Any) -> Raw:
    """A device; `attributes` and `capacity` may be given as plain values."""
    attributes = {k: _attribute(v) for k, v in fields.pop("attributes", {}).items()}
    capacity = {k: v if isinstance(v, dict) else {"value": v} for k, v in fields.pop("capacity", {}).items()}
    return {"name": name, "attributes": attributes, "capacity": capacity, **fields}


def _attribute(value: Any) -> Raw:
    if isinstance(value, dict):
        return value
    kind = {bool: "bool", int: "int", str: "string"}[type(value)]
    return {kind: value}


def devices(*names: str) -> list[Raw]:
    return [device(name) for name in names]


def resource_slice(
    name: str,
    offered: list[Raw],
    *,
    pool: str = "p1",
    driver: str = DRIVER,
    generation: int = 1,
    count: int = 1,
    on: str | None = "n1",
    **spec: Any,
) -> ResourceSlice:
    where = {} if on is None else {"nodeName": on}
    rank = {"name": pool, "generation": generation, "resourceSliceCount": count}
    return make(
        ResourceSlice, name, spec={"driver": driver, "pool": rank, "devices": offered, **where, **spec}
    )


def device_class(name: str = "any", *expressions: str, **spec: Any) -> DeviceClass:
    return make(DeviceClass, name, spec={"selectors": selectors(*expressions), **spec})


def selectors(*expressions: str) -> list[Raw]:
    return [{"cel": {"expression": expression}} for expression in expressions]


def exactly(name: str = "r", count: int = 1, *expressions: str, **fields: Any) -> Raw:
    """A request for a number of devices of class `any`."""
    exact = {"deviceClassName": "any", "count": count, "selectors": selectors(*expressions), **fields}
    return {"name": name, "exactly": exact}


def every(name: str = "r", *expressions: str, **fields: Any) -> Raw:
    """A request for all devices."""
    return exactly(name, 0, *expressions, allocationMode="All", **fields)


def first_available(name: str, *alternatives: Raw) -> Raw:
    """A request with alternatives, each made like an exact request."""
    subs = [{"name": alternative["name"], **alternative["exactly"]} for alternative in alternatives]
    return {"name": name, "firstAvailable": subs}


def claim(name: str, *requests: Raw, constraints: list[Raw] | None = None, **fields: Any) -> ResourceClaim:
    spec = {"devices": {"requests": list(requests), "constraints": constraints or []}}
    meta = {"uid": f"uid-{name}", **fields.pop("meta", {})}
    return make(ResourceClaim, name, "d", meta=meta, spec=spec, **fields)


def allocated(
    name: str,
    *results: tuple[str, str] | Raw,
    on: str | None = None,
    node_selector: Raw | None = None,
    reserved_for: tuple[str, ...] = (),
    **fields: Any,
) -> ResourceClaim:
    """A claim that holds devices, given as `(pool, device)` or as whole results."""
    full = [
        {"request": "r", "driver": DRIVER, "pool": r[0], "device": r[1]} if isinstance(r, tuple) else r
        for r in results
    ]
    allocation: Raw = {"devices": {"results": full}}
    if on is not None:
        field = {"key": "metadata.name", "operator": "In", "values": [on]}
        node_selector = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    if node_selector is not None:
        allocation["nodeSelector"] = node_selector
    consumers = [{"resource": "pods", "name": uid, "uid": uid} for uid in reserved_for]
    status = {"allocation": allocation, "reservedFor": consumers, **fields.pop("status", {})}
    return claim(name, exactly(), status=status, **fields)


def pod(name: str, *claims: str, containers: list[Raw] | None = None, **fields: Any) -> AdmittedPod:
    """A pod that names claims."""
    entries = [{"name": f"e{i}", "resourceClaimName": c} for i, c in enumerate(claims)]
    spec = {"resourceClaims": entries, "containers": containers or [{"name": "c"}], **fields.pop("spec", {})}
    made = make(Pod, name, "d", meta={"uid": name}, spec=spec, **fields)
    return AdmittedPod(made.metadata, made.spec, made.status, "", made)


def ledger(
    *objects: ResourceSlice | ResourceClaim | DeviceClass, features: Features = IN_1_36
) -> ClaimLedger:
    """A ledger over these objects; class `any` is always there."""
    classes = [o for o in objects if isinstance(o, DeviceClass)]
    offered = Devices(
        [o for o in objects if isinstance(o, ResourceSlice)],
        ClassIndex([device_class(), *classes], features.extended),
    )
    return ClaimLedger(offered, [o for o in objects if isinstance(o, ResourceClaim)], features=features)


def allocate(book: ClaimLedger, *claims: ResourceClaim, on: Node | str = "n1") -> str | list[str]:
    """The devices of all claims as `request=pool/device`, or the reason why there are none."""
    where = on if isinstance(on, Node) else node(on)
    return shown(book.allocator, where, *claims)


def shown(allocator: Allocator, where: Node, *claims: ResourceClaim) -> str | list[str]:
    cycle = allocator.cycle(claims)
    outcome: Outcome = cycle.allocate(where)
    match outcome:
        case AllocatorFailure(text):
            return text
        case NoSolution(invalid):
            return "invalid pools" if invalid else "none"
        case Solution():
            return [taken for result in cycle.results(outcome, where) for taken in devices_of(result)]


def devices_of(result: AllocationResult) -> list[str]:
    return [f"{r.request}={r.pool}/{r.device}" for r in result.devices.results]


def judge(book: ClaimLedger, who: AdmittedPod, where: Node) -> NodeAnswer | DeviceClaimProblem | None:
    """PreFilter and Filter of a pod on one node."""
    claims = pre_filter(who, {}, book)
    if not isinstance(claims, PodClaims):
        return claims
    return filter_node(claims, where, {}, book)


def reason(answer: NodeAnswer | DeviceClaimProblem | None) -> str:
    """The text of a refusal, `fits` where there is none."""
    if answer is None or isinstance(answer, NodeFit):
        return "fits"
    return answer.text if isinstance(answer, DeviceClaimProblem) else answer.problem.text


def taking(name: str, amount: str, **fields: Any) -> dict[str, Any]:
    """A device that takes an amount of the counter `mem` of the counter set `set`."""
    uses = [{"counterSet": "set", "counters": {"mem": {"value": amount}}}]
    return device(name, consumesCounters=uses, **fields)
