"""Whether a node has room for what a pod takes of it by its devices, too (spec 05 §6)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.rows import Rows
from kschedctl.dra.node_allocatable import Statuses
from kschedctl.dra.rules import DeviceRules
from kschedctl.framework.status import Code
from kschedctl.objects.containers import Container
from kschedctl.objects.go import wrap_int64
from kschedctl.objects.pod import NodeAllocatableClaimStatus, PodStatus
from kschedctl.objects.pod_requests import (
    CPU,
    EPHEMERAL_STORAGE,
    HUGEPAGES_PREFIX,
    MEMORY,
    Resources,
    add_to,
    container_totals,
    is_pod_level_resource,
    quantities,
    requests_with_devices,
    taken_by_devices,
    to_resource_units,
)
from kschedctl.objects.quantity import ZERO

Refusal = tuple[Code, tuple[str, ...]]


def with_taken(status: PodStatus, taken: Statuses) -> PodStatus:
    """The status of a pod that takes this of its node by its devices."""
    return replace(status, node_allocatable_resource_claim_statuses=taken)


def taken_text(claim: NodeAllocatableClaimStatus) -> str:
    """What a pod takes by one claim, for people."""
    amounts = taken_by_devices(PodStatus(node_allocatable_resource_claim_statuses=(claim,)))
    listed = ", ".join(f"{name} {amount}" for name, amount in sorted(amounts.items()))
    return f"claim {claim.resource_claim_name} takes {listed} of the node beside what the containers request"


def refusal(pod: AdmittedPod, taken: Statuses, rules: DeviceRules, rows: Rows, row: int) -> Refusal | None:
    """Why a pod cannot take this of the node of a row, None where it can."""
    status = with_taken(pod.status, taken)
    text = next(_uncovered(pod, status, rules), None)
    if text is not None:
        return Code.UNRESOLVABLE, (text,)
    reasons: list[str] = []
    code = Code.UNSCHEDULABLE
    for name, quantity in requests_with_devices(pod.spec, status).items():
        amount = wrap_int64(to_resource_units(name, quantity))
        paged = name.startswith(HUGEPAGES_PREFIX)
        if not paged and (name not in (CPU, MEMORY, EPHEMERAL_STORAGE) or amount <= 0):
            continue
        column = rows.cluster.resources.column(name)
        total, used = _at(rows.allocatable, row, column), _at(rows.requested, row, column)
        if amount > total - used:
            reasons.append(f"Insufficient {name}")
            if amount > total:
                code = Code.UNRESOLVABLE
    return (code, tuple(reasons)) if reasons else None


def _at(table: npt.NDArray[np.int64], row: int, column: int | None) -> int:
    """An amount of a table (rows, resources), 0 of a resource that came to be known after it was made."""
    return int(table[row, column]) if column is not None and column < table.shape[1] else 0


def _uncovered(pod: AdmittedPod, status: PodStatus, rules: DeviceRules) -> Iterator[str]:
    """What figures of the whole pod do not cover, with the devices."""
    level = pod.spec.resources
    if level is None:
        return
    total = container_totals(pod.spec, lambda container: quantities(container.resources.requests))
    add_to(total, taken_by_devices(status))
    given = quantities(level.requests)
    overhead = {} if rules.mapped_claims_have_overhead else quantities(pod.spec.overhead)
    for name in sorted(given):
        covered = given[name] + overhead.get(name, ZERO)
        if is_pod_level_resource(name) and total.get(name, ZERO) + overhead.get(name, ZERO) > covered:
            what = "the aggregated container and node-allocatable DRA requests"
            yield f"pod level request for {name} is insufficient to cover {what}"
    if rules.mapped_claims_have_overhead:
        yield from _uncovered_limits(pod, status, quantities(level.limits))


def _uncovered_limits(pod: AdmittedPod, status: PodStatus, given: Resources) -> Iterator[str]:
    totals = container_totals(pod.spec, lambda container: quantities(container.resources.limits))
    taken = taken_by_devices(status)
    for name in sorted(given):
        if name.startswith(HUGEPAGES_PREFIX) and totals.get(name, ZERO) + taken.get(name, ZERO) > given[name]:
            what = "the aggregated container and node-allocatable DRA limits"
            yield f"pod level limit for {name} is insufficient to cover {what}"
    for container in pod.spec.containers:
        limits, extra = quantities(container.resources.limits), _taken_by(container, status)
        for name in sorted(limits.keys() & given.keys()):
            if not name.startswith(HUGEPAGES_PREFIX) and limits[name] + extra.get(name, ZERO) > given[name]:
                what = f"the limit and DRA overhead for container {container.name}"
                yield f"pod level limit for {name} is insufficient to cover {what}"


def _taken_by(container: Container, status: PodStatus) -> Resources:
    """What the claims take that a container uses, as if it were the only one."""
    own = tuple(
        replace(claim, containers=(container.name,))
        for claim in status.node_allocatable_resource_claim_statuses
        if container.name in claim.containers
    )
    return taken_by_devices(with_taken(status, own))
