"""What a pod asks for: requests and host ports, as pure functions of `spec` and `status` (spec 02 C.3-C.6).

Sums are of exact quantities; a figure becomes an integer once, at the end (`to_resource_units`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from msgspec import Struct

from kschedctl.objects.containers import Container
from kschedctl.objects.meta import ResourceList
from kschedctl.objects.names import label_key_problems
from kschedctl.objects.pod import PodSpec, PodStatus
from kschedctl.objects.quantity import ZERO, Quantity, parse

Resources = dict[str, Quantity]

CPU: Final = "cpu"
MEMORY: Final = "memory"
EPHEMERAL_STORAGE: Final = "ephemeral-storage"
PODS: Final = "pods"
HUGEPAGES_PREFIX: Final = "hugepages-"

DEFAULT_REQUESTS: Final[Mapping[str, Quantity]] = {CPU: parse("100m"), MEMORY: parse("200Mi")}
"""What a container without the request counts as where every pod must weigh something (spec 02 C.6)."""

RESIZE_PENDING: Final = "PodResizePending"


def quantities(resources: ResourceList) -> Resources:
    """The entries of a resource list as the API server stores them: rounded up to a whole milli.

    Raises:
        QuantityError: an entry is no quantity.
    """
    return {name: parse(raw).rounded_up_to_milli() for name, raw in resources.items()}


def pod_requests(spec: PodSpec) -> Resources:
    """The requests of a pod by its spec alone (spec 02 C.4); admission drops `spec.resources` without its gate."""
    return _total(spec, _spec_requests, _pod_level_requests(spec))


class ResizeRules(Struct, frozen=True):
    """How the status of a pod that is on a node counts.

    Attributes:
        pod_level: gate InPlacePodLevelResourcesVerticalScaling: pod-level resources are resized too.
        by_whole_pod: what is wanted, allocated and actuated is each summed over the pod before the largest is
            taken (spec 06 §4.1); else the largest is taken for each container (spec 02 C.5).
        devices: gate DRANodeAllocatableResources: what the pod takes of its node by its devices counts, too.
    """

    pod_level: bool = True
    by_whole_pod: bool = False
    devices: bool = False


def pod_requests_with_status(spec: PodSpec, status: PodStatus, rules: ResizeRules) -> Resources:
    """The requests of a pod with what its containers really hold while they are resized."""
    return _in_use(spec, status, rules, {})


def pod_non_zero_requests(spec: PodSpec, status: PodStatus, rules: ResizeRules) -> tuple[int, int]:
    """Milli-CPU and bytes of memory that a pod weighs, with defaults for missing requests (spec 02 C.6)."""
    total = _in_use(spec, status, rules, {})
    missing: Mapping[str, Quantity] = DEFAULT_REQUESTS
    if _resized_pod_level(spec, status, rules):
        missing = {name: default for name, default in DEFAULT_REQUESTS.items() if name not in total}
    if missing:
        total = _in_use(spec, status, rules, missing)
    return total.get(CPU, ZERO).milli_value(), total.get(MEMORY, ZERO).value()


def _in_use(
    spec: PodSpec, status: PodStatus, rules: ResizeRules, missing: Mapping[str, Quantity]
) -> Resources:
    """What a pod counts for on its node; each container is given the entries of `missing` that it lacks."""
    if rules.by_whole_pod:
        total = _largest_of_whole_pod(spec, status, rules, missing)
    else:
        total = container_totals(spec, _filled(_resized_requests(spec, status), missing))
        if rules.devices:
            add_to(total, taken_by_devices(status))
    total.update(_resized_pod_level(spec, status, rules))
    add_to(total, quantities(spec.overhead))
    return total


def fit_score_requests(spec: PodSpec) -> Resources:
    """What NodeResourcesFit scores with: defaults filled in, pod-level resources unseen (spec 02 D.8)."""
    return _total(spec, _filled(_spec_requests, DEFAULT_REQUESTS), {})


def taken_by_devices(status: PodStatus) -> Resources:
    """What a pod takes of its node by the devices of its claims, by the account of its status (spec 05 §6)."""
    total: Resources = {}
    for claim in status.node_allocatable_resource_claim_statuses:
        add_to(total, {name: parse(amount) for name, amount in claim.resources.items()})
        for mapped in claim.mapping:
            if mapped.quantity is not None:
                add_to(total, {mapped.name: parse(mapped.quantity)})
        for extra in claim.overhead:
            amounts = [extra.per_pod, *[extra.per_container] * len(claim.containers)]
            for amount in amounts:
                add_to(total, {extra.name: ZERO if amount is None else parse(amount)})
    return total


def requests_with_devices(spec: PodSpec, status: PodStatus) -> Resources:
    """What a pod would ask for by its spec and the devices in its status."""
    total = container_totals(spec, _spec_requests)
    add_to(total, taken_by_devices(status))
    total.update(_pod_level_requests(spec))
    add_to(total, quantities(spec.overhead))
    return total


def add_to(total: Resources, entries: Mapping[str, Quantity]) -> None:
    """Add quantities to a total, in place."""
    for name, quantity in entries.items():
        total[name] = total[name] + quantity if name in total else quantity


def container_totals(spec: PodSpec, entries: Callable[[Container], Resources]) -> Resources:
    """The figures of all containers together, by the rules for init containers and sidecars (spec 02 C.4)."""
    total: Resources = {}
    for container in spec.containers:
        add_to(total, entries(container))
    sidecars: Resources = {}
    init: Resources = {}
    for container in spec.init_containers:
        use = dict(entries(container))
        if container.is_sidecar:
            add_to(total, use)
            add_to(sidecars, use)
            use = sidecars
        else:
            add_to(use, sidecars)
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
    add_to(total, quantities(spec.overhead))
    return total


def _spec_requests(container: Container) -> Resources:
    return quantities(container.resources.requests)


def _largest_of_whole_pod(
    spec: PodSpec, status: PodStatus, rules: ResizeRules, missing: Mapping[str, Quantity]
) -> Resources:
    """Per resource the largest of three sums over the pod: wanted, allocated, actuated."""
    statuses = (*status.init_container_statuses, *status.container_statuses)
    # The first of a name counts, those of ordinary containers before those of init containers.
    held = {
        known.name: known for known in reversed((*status.container_statuses, *status.init_container_statuses))
    }
    infeasible = _is_resize_infeasible(status)

    def wanted(container: Container) -> Resources:
        return {} if infeasible else _spec_requests(container)

    def allocated(container: Container) -> Resources:
        known = held.get(container.name)
        if known is None or not known.allocated_resources:
            return wanted(container)
        return quantities(known.allocated_resources)

    def actuated(container: Container) -> Resources:
        known = held.get(container.name)
        if known is None or known.resources is None or not known.resources.requests:
            return allocated(container)
        return quantities(known.resources.requests)

    by_devices = taken_by_devices(status) if rules.devices else {}
    sums = [] if infeasible else [container_totals(spec, _filled(_spec_requests, missing))]
    if not infeasible:
        add_to(sums[0], by_devices)
    level = status.resources
    if rules.pod_level and status.allocated_resources and level is not None and level.requests:
        sums += [quantities(status.allocated_resources), quantities(level.requests)]
    elif statuses or infeasible:
        sums += [container_totals(spec, _filled(entries, missing)) for entries in (allocated, actuated)]
        add_to(sums[-2], by_devices)
    return _maximum(sums, ())


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


def _resized_pod_level(spec: PodSpec, status: PodStatus, rules: ResizeRules) -> Resources:
    """The pod-level figures, which take the place of those of the containers."""
    own = _pod_level_requests(spec)
    if not rules.pod_level or status.resources is None:
        return own
    wanted = [] if _is_resize_infeasible(status) else [own]
    held = _maximum(wanted, (status.resources.requests, status.allocated_resources))
    if rules.by_whole_pod:
        return {name: held[name] for name in held if own and is_pod_level_resource(name)}
    return {name: held.get(name, ZERO) for name in own}


def _is_resize_infeasible(status: PodStatus) -> bool:
    pending = next((c for c in status.conditions if c.type == RESIZE_PENDING), None)
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


def _raise_to(total: Resources, entries: Resources) -> None:
    for name, quantity in entries.items():
        if name not in total or quantity > total[name]:
            total[name] = quantity
