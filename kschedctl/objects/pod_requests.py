"""What a pod asks for: requests and host ports, as pure functions of `spec` and `status` (spec 02 C.3-C.6).

Sums are of exact quantities; a figure becomes an integer once, at the end (`to_resource_units`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from .meta import ResourceList
from .names import label_key_problems
from .pod import Container, PodSpec, PodStatus
from .quantity import ZERO, Quantity, parse

Resources = dict[str, Quantity]

CPU: Final = "cpu"
MEMORY: Final = "memory"
EPHEMERAL_STORAGE: Final = "ephemeral-storage"
PODS: Final = "pods"
HUGEPAGES_PREFIX: Final = "hugepages-"

DEFAULT_REQUESTS: Final[Mapping[str, Quantity]] = {CPU: parse("100m"), MEMORY: parse("200Mi")}
"""What a container without the request counts as where every pod must weigh something (spec 02 C.6)."""

_RESIZE_PENDING = "PodResizePending"


def quantities(resources: ResourceList) -> Resources:
    """The entries of a resource list as the API server stores them: rounded up to a whole milli.

    Raises:
        QuantityError: an entry is no quantity.
    """
    return {name: parse(raw).rounded_up_to_milli() for name, raw in resources.items()}


def pod_requests(spec: PodSpec) -> Resources:
    """The requests of a pod by its spec alone (spec 02 C.4); admission drops `spec.resources` without its gate."""
    return _total(spec, _spec_requests, _pod_level_requests(spec))


def pod_requests_with_status(spec: PodSpec, status: PodStatus, *, in_place_pod_level: bool) -> Resources:
    """The requests of a pod with what its containers really hold while they are resized (spec 02 C.5).

    Args:
        spec: the pod's spec.
        status: its status.
        in_place_pod_level: gate InPlacePodLevelResourcesVerticalScaling, on in 1.36, absent in 1.34.
    """
    overrides = _resized_pod_level(spec, status, in_place_pod_level)
    return _total(spec, _resized_requests(spec, status), overrides)


def pod_non_zero_requests(spec: PodSpec, status: PodStatus, *, in_place_pod_level: bool) -> tuple[int, int]:
    """Milli-CPU and bytes of memory that a pod weighs, with defaults for missing requests (spec 02 C.6)."""
    overrides = _resized_pod_level(spec, status, in_place_pod_level)
    requests = _resized_requests(spec, status)
    total = _total(spec, requests, overrides)
    missing: Mapping[str, Quantity] = DEFAULT_REQUESTS
    if overrides:
        missing = {name: default for name, default in DEFAULT_REQUESTS.items() if name not in total}
    if missing:
        total = _total(spec, _filled(requests, missing), overrides)
    return total.get(CPU, ZERO).milli_value(), total.get(MEMORY, ZERO).value()


def fit_score_requests(spec: PodSpec) -> Resources:
    """What NodeResourcesFit scores with: defaults filled in, pod-level resources unseen (spec 02 D.8)."""
    return _total(spec, _filled(_spec_requests, DEFAULT_REQUESTS), {})


def container_totals(spec: PodSpec, entries: Callable[[Container], Resources]) -> Resources:
    """The figures of all containers together, by the rules for init containers and sidecars (spec 02 C.4)."""
    total: Resources = {}
    for container in spec.containers:
        _add(total, entries(container))
    sidecars: Resources = {}
    init: Resources = {}
    for container in spec.init_containers:
        use = dict(entries(container))
        if container.is_sidecar:
            _add(total, use)
            _add(sidecars, use)
            use = sidecars
        else:
            _add(use, sidecars)
        _raise_to(init, use)
    _raise_to(total, init)
    return total


def to_resource_units(name: str, quantity: Quantity) -> int:
    """A quantity in the unit the scheduler counts the resource in: milli-CPU for cpu, else whole units."""
    return quantity.milli_value() if name == CPU else quantity.value()


def is_extended_resource(name: str) -> bool:
    """Whether a resource is one that some vendor defines (spec 02 C.3)."""
    if "/" not in name or "kubernetes.io/" in name or name.startswith("requests."):
        return False
    return not label_key_problems(f"requests.{name}")


def is_scalar_resource(name: str) -> bool:
    """Whether a resource that the scheduler has no field for counts at all (spec 02 C.3)."""
    return (
        name.startswith((HUGEPAGES_PREFIX, "attachable-volumes-"))
        or "kubernetes.io/" in name
        or is_extended_resource(name)
    )


def is_pod_level_resource(name: str) -> bool:
    """Whether a resource may stand in `spec.resources` of a pod."""
    return name in (CPU, MEMORY) or name.startswith(HUGEPAGES_PREFIX)


def host_ports(spec: PodSpec) -> tuple[tuple[str, str, int], ...]:
    """IP, protocol and port of every host port, first those of sidecars; plain init containers have none."""
    sidecars = (container for container in spec.init_containers if container.is_sidecar)
    return tuple(
        (port.host_ip or "0.0.0.0", port.protocol or "TCP", port.host_port)
        for container in (*sidecars, *spec.containers)
        for port in container.ports
        if port.host_port > 0
    )


def _total(spec: PodSpec, requests: Callable[[Container], Resources], pod_level: Resources) -> Resources:
    total = container_totals(spec, requests)
    total.update(pod_level)
    _add(total, quantities(spec.overhead))
    return total


def _spec_requests(container: Container) -> Resources:
    return quantities(container.resources.requests)


def _resized_requests(spec: PodSpec, status: PodStatus) -> Callable[[Container], Resources]:
    """The requests of a container, raised to what its status says it has; plain init containers stay."""
    finished = {container.name for container in spec.init_containers if not container.is_sidecar}
    held = {
        container.name: (container.resources.requests, container.allocated_resources)
        for container in (*status.container_statuses, *status.init_container_statuses)
        if container.resources is not None and container.name not in finished
    }
    infeasible = _is_resize_infeasible(status)

    def requests(container: Container) -> Resources:
        own = _spec_requests(container)
        if container.name not in held:
            return own
        return _maximum([] if infeasible else [own], held[container.name])

    return requests


def _pod_level_requests(spec: PodSpec) -> Resources:
    if spec.resources is None:
        return {}
    requests = quantities(spec.resources.requests)
    return {name: quantity for name, quantity in requests.items() if is_pod_level_resource(name)}


def _resized_pod_level(spec: PodSpec, status: PodStatus, in_place: bool) -> Resources:
    own = _pod_level_requests(spec)
    if not in_place or status.resources is None:
        return own
    wanted = [] if _is_resize_infeasible(status) else [own]
    held = _maximum(wanted, (status.resources.requests, status.allocated_resources))
    return {name: held.get(name, ZERO) for name in own}


def _is_resize_infeasible(status: PodStatus) -> bool:
    pending = next((c for c in status.conditions if c.type == _RESIZE_PENDING), None)
    return pending is not None and pending.reason == "Infeasible"


def _filled(
    requests: Callable[[Container], Resources], missing: Mapping[str, Quantity]
) -> Callable[[Container], Resources]:
    return lambda container: {**missing, **requests(container)}


def _maximum(parsed: Iterable[Resources], raw: Iterable[ResourceList]) -> Resources:
    result: Resources = {}
    for entries in (*parsed, *map(quantities, raw)):
        _raise_to(result, entries)
    return result


def _add(total: Resources, entries: Resources) -> None:
    for name, quantity in entries.items():
        total[name] = total[name] + quantity if name in total else quantity


def _raise_to(total: Resources, entries: Resources) -> None:
    for name, quantity in entries.items():
        if name not in total or quantity > total[name]:
            total[name] = quantity
