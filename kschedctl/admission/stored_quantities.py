"""The check that every quantity of a pod or node is one: decoding by the API server would refuse it."""

from __future__ import annotations

from collections.abc import Iterator

from kschedctl.errors import InputError, Place
from kschedctl.objects.meta import ResourceList
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod, PodSpec, PodStatus, ResourceRequirements
from kschedctl.objects.quantity import QuantityError, parse

_HINT = "quantities look like 500m, 2, 1.5Gi or 1e3"

Lists = Iterator[tuple[str, ResourceList]]


def check_pod_spec(spec: PodSpec, pod: Pod) -> None:
    """Parse every quantity of a spec.

    Raises:
        InputError: one of them is no quantity; names the field.
    """
    _check(_spec_lists(spec), f"pod {pod.full_name}")


def check_pod_status(status: PodStatus, pod: Pod) -> None:
    """Parse every quantity of a status.

    Raises:
        InputError: one of them is no quantity; names the field.
    """
    if status.container_statuses or status.init_container_statuses or status.resources:
        _check(_status_lists(status), f"pod {pod.full_name}")


def check_node(node: Node) -> None:
    """Parse every quantity of a node.

    Raises:
        InputError: one of them is no quantity; names the field.
    """
    lists = (("status.allocatable", node.status.allocatable), ("status.capacity", node.status.capacity))
    _check(iter(lists), f"node {node.name}")


def _check(lists: Lists, owner: str) -> None:
    for path, resources in lists:
        for name, raw in resources.items():
            try:
                parse(raw)
            except QuantityError as error:
                place = Place(field=f"{path}[{name}]")
                raise InputError(f"{owner}: {raw!r}: {error}", place=place, hint=_HINT) from error


def _spec_lists(spec: PodSpec) -> Lists:
    for field, containers in (("containers", spec.containers), ("initContainers", spec.init_containers)):
        for i, container in enumerate(containers):
            yield from _requirements(f"spec.{field}[{i}].resources", container.resources)
    yield from _requirements("spec.resources", spec.resources)
    yield "spec.overhead", spec.overhead


def _status_lists(status: PodStatus) -> Lists:
    running = (
        ("containerStatuses", status.container_statuses),
        ("initContainerStatuses", status.init_container_statuses),
    )
    for field, containers in running:
        for i, container in enumerate(containers):
            yield from _requirements(f"status.{field}[{i}].resources", container.resources)
            yield f"status.{field}[{i}].allocatedResources", container.allocated_resources
    yield from _requirements("status.resources", status.resources)
    yield "status.allocatedResources", status.allocated_resources


def _requirements(path: str, resources: ResourceRequirements | None) -> Lists:
    if resources is not None:
        yield f"{path}.requests", resources.requests
        yield f"{path}.limits", resources.limits
