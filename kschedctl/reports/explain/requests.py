"""Where a request comes from, when it is not what the containers ask for together (spec 02 C.4, E.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.objects.containers import Container
from kschedctl.objects.pod import PodSpec
from kschedctl.objects.pod_requests import container_totals, pod_requests, quantities, to_resource_units
from kschedctl.objects.quantity import ZERO, Quantity
from kschedctl.objects.units import amount_text
from kschedctl.plugins.node_resources_fit import NodeResourcesFit
from kschedctl.reports.explain.model import NodeReport

_FIT: Final = NodeResourcesFit.spec.name

_Parts = list[tuple[str, Quantity]]


def request_origins(pod: AdmittedPod, nodes: Sequence[NodeReport]) -> list[str]:
    """A sentence for each resource that some node is short of, and whose request no container states as it is.

    Such as `cpu 1.2: containers 0.7, sidecars 0.5`, `memory 2.3Gi: containers 2Gi, overhead 264Mi`.
    """
    short = sorted(_short_of(nodes).items())
    return [text for name, needs in short if (text := _origin(name, needs, pod)) is not None]


def parts_text(name: str, spec: PodSpec) -> str:
    """What adds up to a request that is more than the containers ask for; empty where it is that."""
    parts = list(_parts(name, spec))
    if [label for label, _ in parts] in ([], ["containers"]):
        return ""
    return ", ".join(f"{label} {_amount(name, quantity)}" for label, quantity in parts)


def _short_of(nodes: Sequence[NodeReport]) -> dict[str, int]:
    """The resources that some node has too little of, with what the pod needs."""
    failures = {id(node.all_failures): node.all_failures for node in nodes}.values()
    fits = (failure for found in failures for failure in found if failure.plugin == _FIT)
    return {d.subject: d.needs for fit in fits for d in fit.details if d.needs is not None}


def _origin(name: str, needs: int, pod: AdmittedPod) -> str | None:
    total = pod_requests(pod.spec).get(name)
    if total is None or to_resource_units(name, total) != needs:
        return None  # the status of a pod that is being resized tells what it needs
    parts = list(_parts(name, pod.spec))
    notes = list(_defaulted(name, pod))
    if not notes and [label for label, _ in parts] in ([], ["containers"]):
        return None
    told = [f"{label} {_amount(name, quantity)}" for label, quantity in parts]
    return f"{name} {_amount(name, total)}: {', '.join([*told, *notes])}"


def _parts(name: str, spec: PodSpec) -> Iterator[tuple[str, Quantity]]:
    """What adds up to the request."""
    yield from _of_pod(name, spec)
    if overhead := quantities(spec.overhead).get(name):
        yield f"overhead of runtime class {spec.runtime_class_name}", overhead


def _of_pod(name: str, spec: PodSpec) -> _Parts:
    """What containers, or the pod as a whole, ask for."""
    whole = quantities(spec.resources.requests).get(name) if spec.resources else None
    if whole is not None:
        return [("spec.resources of the pod", whole)]
    init = {container.name for container in spec.init_containers}
    parts: dict[str, Quantity] = {}
    for container in _counted(name, spec):
        label = _label(container) if container.name in init else "containers"
        parts[label] = parts.get(label, ZERO) + _sum(name, [container])
    return [(label, amount) for label, amount in parts.items() if amount != ZERO]


def _label(container: Container) -> str:
    return "sidecars" if container.is_sidecar else f"init container {container.name}"


def _counted(name: str, spec: PodSpec) -> list[Container]:
    """The containers whose requests add up to that of the pod: what runs in the end, or beside an init container."""
    if spec.resources and name in spec.resources.requests:
        return []
    total = container_totals(spec, _requests).get(name, ZERO)
    steady = [*spec.containers, *(c for c in spec.init_containers if c.is_sidecar)]
    if _sum(name, steady) == total:
        return steady
    beside: list[Container] = []
    for container in spec.init_containers:
        if container.is_sidecar:
            beside.append(container)
        elif _sum(name, [container, *beside]) == total:
            return [container, *beside]
    return []


def _defaulted(name: str, pod: AdmittedPod) -> Iterator[str]:
    """Containers that state no request, and what stands in for it."""
    if pod.source is None:
        return
    written = pod.source.spec
    counted = {container.name for container in _counted(name, pod.spec)}
    for container in _all(written):
        if name in container.resources.requests or container.name not in counted:
            continue
        if name in container.resources.limits:
            yield f"{container.name} requests its limit, as it states no request"
        elif _sum(name, [c for c in _all(pod.spec) if c.name == container.name]) != ZERO:
            yield f"{container.name} requests the default of a LimitRange, as it states none"


def _all(spec: PodSpec) -> tuple[Container, ...]:
    return (*spec.init_containers, *spec.containers)


def _requests(container: Container) -> dict[str, Quantity]:
    return quantities(container.resources.requests)


def _sum(name: str, containers: Sequence[Container]) -> Quantity:
    total = ZERO
    for container in containers:
        total += _requests(container).get(name, ZERO)
    return total


def _amount(name: str, quantity: Quantity) -> str:
    return amount_text(name, to_resource_units(name, quantity))
