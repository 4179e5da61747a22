"""Rules for requests and limits, of containers and of the pod."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from kschedctl.objects.meta import ResourceList
from kschedctl.objects.names import label_key_problems
from kschedctl.objects.pod import ContainerResourceClaim, PodSpec, ResourceRequirements
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

from .problems import Problems, duplicate, forbidden, invalid, invalid_each, not_found, required, unsupported

_POD_LEVEL_NAMES = (CPU, HUGEPAGES_PREFIX, MEMORY)
_QUOTA_NAMES = frozenset(
    (
        "pods",
        "storage",
        "services",
        "secrets",
        "configmaps",
        "resourcequotas",
        "persistentvolumeclaims",
        "replicationcontrollers",
        "services.nodeports",
        "services.loadbalancers",
        *(f"requests.{name}" for name in (CPU, MEMORY, EPHEMERAL_STORAGE, "storage")),
        *(f"limits.{name}" for name in (CPU, MEMORY, EPHEMERAL_STORAGE)),
    )
)
"""Names that are known, but not as something that a container can ask for."""

NameRule = Callable[[str, str], Problems]


def validate_container_resources(
    path: str, resources: ResourceRequirements, pod_claims: Collection[str]
) -> Problems:
    """Requests, limits and claims of a container; `pod_claims` are the names in `spec.resourceClaims`."""
    yield from _validate_requirements(path, resources, _validate_container_name)
    yield from _validate_claims(f"{path}.claims", resources.claims, pod_claims)


def validate_overhead(path: str, overhead: ResourceList) -> Problems:
    """The overhead of a pod, which the API server checks, and names, as limits."""
    yield from _validate_requirements(path, ResourceRequirements(limits=overhead), _validate_container_name)


def validate_pod_resources(path: str, spec: PodSpec) -> Problems:
    """Requests and limits of a whole pod, also against those of its containers."""
    resources = spec.resources
    if resources is None:
        return
    if resources.claims:
        yield forbidden(f"{path}.claims", "claims cannot be set for Resources at pod-level")
    yield from _validate_requirements(path, resources, _validate_pod_level_name)
    requests = quantities(resources.requests)
    together = container_totals(spec, lambda container: quantities(container.resources.requests))
    for name, total in sorted(together.items()):
        if is_pod_level_resource(name) and name in requests and requests[name] < total:
            detail = f"must be greater than or equal to aggregate container requests of {total}"
            yield invalid(f"{path}.requests[{name}]", str(requests[name]), detail)
    limits = quantities(resources.limits)
    for i, container in enumerate(spec.containers):
        for name, limit in sorted(quantities(container.resources.limits).items()):
            if name in limits and limit > limits[name]:
                detail = f"must be less than or equal to pod limits of {limits[name]}"
                yield invalid(f"spec.containers[{i}].resources.limits[{name}]", str(limit), detail)


def _validate_requirements(path: str, resources: ResourceRequirements, name_rule: NameRule) -> Problems:
    limits, requests = quantities(resources.limits), quantities(resources.requests)
    for name, limit in sorted(limits.items()):
        yield from _validate_entry(f"{path}.limits[{name}]", name, limit, name_rule)
    for name, request in sorted(requests.items()):
        yield from _validate_entry(f"{path}.requests[{name}]", name, request, name_rule)
        yield from _validate_request(path, name, request, limits.get(name))
    names = limits.keys() | requests.keys()
    if any(map(_is_hugepages, names)) and not names & {CPU, MEMORY}:
        yield forbidden(path, "HugePages require cpu or memory")


def _validate_entry(path: str, name: str, quantity: Quantity, name_rule: NameRule) -> Problems:
    yield from name_rule(path, name)
    if quantity < ZERO:
        yield invalid(path, str(quantity), "must be greater than or equal to 0")
    if is_extended_resource(name) and quantity.milli_value() % 1000:
        yield invalid(path, str(quantity), "must be an integer")
    if _is_hugepages(name) and not _is_whole_pages(name, quantity):
        yield invalid(path, str(quantity), f"{quantity} is not positive integer multiple of {name}")


def _validate_request(path: str, name: str, request: Quantity, limit: Quantity | None) -> Problems:
    """A request against its limit; what cannot be overcommitted needs a limit, and one that is equal."""
    overcommit = _is_native(name) and not _is_hugepages(name)
    if limit is None:
        if not overcommit:
            yield required(f"{path}.limits", "Limit must be set for non overcommitable resources")
    elif request != limit and not overcommit:
        yield invalid(f"{path}.requests", str(request), f"must be equal to {name} limit of {limit}")
    elif request > limit:
        detail = f"must be less than or equal to {name} limit of {limit}"
        yield invalid(f"{path}.requests", str(request), detail)


def _validate_container_name(path: str, name: str) -> Problems:
    problems = label_key_problems(name)
    yield from invalid_each(path, name, problems)
    if "/" not in name:
        if name in (CPU, MEMORY, EPHEMERAL_STORAGE) or _is_hugepages(name):
            return
        if not problems and name not in _QUOTA_NAMES and not name.startswith(f"requests.{HUGEPAGES_PREFIX}"):
            yield invalid(path, name, "must be a standard resource type or fully qualified")
        yield invalid(path, name, "must be a standard resource for containers")
    elif not _is_native(name) and not is_extended_resource(name):
        yield invalid(path, name, "doesn't follow extended resource name standard")


def _validate_pod_level_name(path: str, name: str) -> Problems:
    if problems := label_key_problems(name):
        yield from invalid_each(path, name, problems)
    elif not is_pod_level_resource(name):
        yield unsupported(path, name, _POD_LEVEL_NAMES)


def _validate_claims(
    path: str, claims: Sequence[ContainerResourceClaim], pod_claims: Collection[str]
) -> Problems:
    for i, claim in enumerate(claims):
        at = f"{path}[{i}]"
        if not claim.name:
            yield required(at)
            continue
        if claim in claims[:i]:
            yield duplicate(at, claim.name)
        if claim.name not in pod_claims:
            listed = f": {', '.join(sorted(pod_claims))}" if pod_claims else " which is empty"
            detail = f"must be one of the names in pod.spec.resourceClaims{listed}"
            yield not_found(at, claim.name, detail)


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
