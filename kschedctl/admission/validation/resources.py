"""Rules for requests and limits, of containers and of the pod."""

from __future__ import annotations

from collections.abc import Callable, Collection

from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.invalid import FieldProblem
from kschedctl.admission.validation.field import Field, Problems
from kschedctl.admission.validation.labels import label_key
from kschedctl.admission.validation.syntax import dns_label
from kschedctl.objects.names import label_key_problems
from kschedctl.objects.pod import PodSpec
from kschedctl.objects.pod_requests import (
    CPU,
    EPHEMERAL_STORAGE,
    HUGEPAGES_PREFIX,
    MEMORY,
    container_totals,
    is_extended_resource,
    is_pod_level_resource,
    quantities,
)
from kschedctl.objects.quantity import ZERO, Quantity, QuantityError, parse

_POD_LEVEL_NAMES = (CPU, HUGEPAGES_PREFIX, MEMORY)
_COUNTED = frozenset(
    (
        "pods",
        "services",
        "secrets",
        "configmaps",
        "resourcequotas",
        "persistentvolumeclaims",
        "replicationcontrollers",
        "services.nodeports",
        "services.loadbalancers",
    )
)
"""Names of quotas that count whole objects."""
_QUOTA_NAMES = _COUNTED | {
    "storage",
    *(f"requests.{name}" for name in (CPU, MEMORY, EPHEMERAL_STORAGE, "storage")),
    *(f"limits.{name}" for name in (CPU, MEMORY, EPHEMERAL_STORAGE)),
}
"""Names that are known, but not as something that a container can ask for."""

_NOT_NEGATIVE = "must be greater than or equal to 0"

NameRule = Callable[[Field, AdmissionGates], Problems]


def validate_container_resources(
    resources: Field, pod_claims: Collection[str], gates: AdmissionGates
) -> Problems:
    """Requests, limits and claims of a container; `pod_claims` are the names in `spec.resourceClaims`."""
    yield from _validate_requirements(resources, _validate_container_name, gates)
    yield from _validate_claims(resources["claims"], pod_claims)


def validate_overhead(overhead: Field, gates: AdmissionGates) -> Problems:
    """The overhead of a pod, which the API server checks, and names, as limits."""
    limits = Field(overhead.path, {"limits": overhead.value})
    yield from _validate_requirements(limits, _validate_container_name, gates)


def validate_pod_resources(
    resources: Field, spec: PodSpec, pod_claims: Collection[str], gates: AdmissionGates
) -> Problems:
    """Requests and limits of a whole pod, also against those of its containers."""
    if resources["claims"].items:
        yield resources["claims"].forbidden("claims may not be set for Resources at pod-level")
    yield from _validate_requirements(resources, _validate_pod_level_name, gates)
    yield from _validate_claims(resources["claims"], pod_claims)
    yield from _validate_aggregates(resources, spec)


def _validate_aggregates(resources: Field, spec: PodSpec) -> Problems:
    requests, limits = resources["requests"].entries, resources["limits"].entries
    together = container_totals(spec, lambda container: quantities(container.resources.requests))
    for name, total in sorted(together.items()):
        if name in requests and requests[name].quantity < total:
            detail = f"must be greater than or equal to aggregate container requests of {total}"
            yield _invalid(requests[name], detail)
    together = container_totals(spec, lambda container: quantities(container.resources.limits))
    for name, total in sorted(together.items()):
        if name in limits and _is_hugepages(name) and limits[name].quantity < total:
            detail = f"must be greater than or equal to aggregate container limits of {total}"
            yield _invalid(limits[name], detail)
    for i, container in enumerate(spec.containers):
        for name, limit in sorted(quantities(container.resources.limits).items()):
            if name in limits and limit > limits[name].quantity:
                # The API server tells this place of the pod's resources, which is none of the API's.
                at = resources["containers"].at(i).key(name)["limits"]
                detail = f"must be less than or equal to pod limits of {limits[name].quantity}"
                yield at.invalid_as(str(limit), detail)


def _validate_requirements(resources: Field, name_rule: NameRule, gates: AdmissionGates) -> Problems:
    limits, requests = resources["limits"].entries, resources["requests"].entries
    for name, limit in limits.items():
        yield from _validate_entry(name, limit, name_rule, gates)
    for name, request in requests.items():
        yield from _validate_entry(name, request, name_rule, gates)
        yield from _validate_request(resources, name, request.quantity, limits.get(name))
    names = limits.keys() | requests.keys()
    if any(map(_is_hugepages, names)) and not names & {CPU, MEMORY}:
        yield resources.forbidden("HugePages require cpu or memory")


def _validate_entry(name: str, entry: Field, name_rule: NameRule, gates: AdmissionGates) -> Problems:
    yield from name_rule(Field(entry.path, name), gates)
    quantity = entry.quantity
    if quantity < ZERO:
        yield _invalid(entry, _NOT_NEGATIVE)
    if (name in _COUNTED or is_extended_resource(name)) and quantity.milli_value() % 1000:
        yield _invalid(entry, "must be an integer")
    if _is_hugepages(name) and not _is_whole_pages(name, quantity):
        yield _invalid(entry, f"{quantity} is not positive integer multiple of {name}")


def _validate_request(resources: Field, name: str, request: Quantity, limit: Field | None) -> Problems:
    """A request against its limit; what cannot be overcommitted needs a limit, and one that is equal."""
    overcommit = _is_native(name) and not _is_hugepages(name)
    if limit is None:
        if not overcommit:
            yield resources["limits"].required("Limit must be set for non overcommitable resources")
    elif request != limit.quantity and not overcommit:
        detail = f"must be equal to {name} limit of {limit.quantity}"
        yield resources["requests"].invalid_as(str(request), detail)
    elif request > limit.quantity:
        detail = f"must be less than or equal to {name} limit of {limit.quantity}"
        yield resources["requests"].invalid_as(str(request), detail)


def _validate_container_name(entry: Field, gates: AdmissionGates) -> Problems:
    name = entry.text
    problems = list(_validate_resource_name(entry, gates))
    yield from problems
    if "/" not in name:
        if name not in (CPU, MEMORY, EPHEMERAL_STORAGE) and not _is_hugepages(name):
            yield entry.invalid("must be a standard resource for containers")
    elif not _is_native(name) and not is_extended_resource(name):
        yield entry.invalid("doesn't follow extended resource name standard")


def _validate_pod_level_name(entry: Field, gates: AdmissionGates) -> Problems:
    problems = list(_validate_resource_name(entry, gates))
    yield from problems
    if not problems and not is_pod_level_resource(entry.text):
        yield entry.unsupported(_POD_LEVEL_NAMES)


def _validate_resource_name(entry: Field, gates: AdmissionGates) -> Problems:
    name = entry.text
    yield from label_key(entry, gates)
    if label_key_problems(name) or "/" in name:
        return
    if name in (CPU, MEMORY, EPHEMERAL_STORAGE) or name in _QUOTA_NAMES:
        return
    if not _is_hugepages(name.removeprefix("requests.")):
        yield entry.invalid("must be a standard resource type or fully qualified")


def _validate_claims(claims: Field, pod_claims: Collection[str]) -> Problems:
    """Claims of a container: each request of a claim once, or the claim as a whole."""
    seen: set[str] = set()
    for claim in claims.items:
        name, request = claim["name"].text, claim["request"]
        if not name:
            yield claim.required()
            continue
        if name in seen:
            yield claim.duplicate(name)
        elif request.text:
            yield from dns_label(request)
            key = f"{name}/{request.text}"
            if key in seen:
                yield claim.duplicate(key)
            seen.add(key)
        else:
            yield from (claim.duplicate(name) for other in seen if other.startswith(f"{name}/"))
            seen.add(name)
        if name not in pod_claims:
            listed = f": {', '.join(sorted(pod_claims))}" if pod_claims else " which is empty"
            detail = f"must be one of the names in pod.spec.resourceClaims{listed}"
            yield Field(claim.path, name).not_found(detail)


def _invalid(entry: Field, detail: str) -> FieldProblem:
    """A quantity is shown in its canonical form."""
    return entry.invalid_as(str(entry.quantity), detail)


def _is_native(name: str) -> bool:
    return "/" not in name or "kubernetes.io/" in name


def _is_hugepages(name: str) -> bool:
    return name.startswith(HUGEPAGES_PREFIX)


def _is_whole_pages(name: str, quantity: Quantity) -> bool:
    try:
        page = parse(name.removeprefix(HUGEPAGES_PREFIX))
    except QuantityError:
        return False
    return page.value() > 0 and page.milli_value() % 1000 == 0 and quantity.value() % page.value() == 0
