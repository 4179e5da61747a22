"""Defaults that decoding adds to pods, nodes and namespaces (spec 02 E.5).

All of them are idempotent: an object that an API server gave back is not changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from msgspec.structs import replace

from kschedctl.objects.containers import Container, ContainerPort, ResourceRequirements
from kschedctl.objects.core import Namespace
from kschedctl.objects.meta import RawQuantity, ResourceList
from kschedctl.objects.node import Node
from kschedctl.objects.pod import PodSpec
from kschedctl.objects.pod_requests import (
    CPU,
    HUGEPAGES_PREFIX,
    MEMORY,
    container_totals,
    is_pod_level_resource,
    quantities,
)

DEFAULT_SCHEDULER = "default-scheduler"
NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name"

T = TypeVar("T")


def default_pod_spec(
    spec: PodSpec, *, pod_level_resources: bool = True, pod_level_limits: bool = False
) -> PodSpec:
    """The spec with the defaults of the API filled in.

    Args:
        spec: the spec as written.
        pod_level_resources: gate PodLevelResources; without it the API server drops `spec.resources`.
        pod_level_limits: gate PodLevelResourcesFixDefaulting (spec 06 §6.1).
    """
    containers = tuple(_default_container(c, spec.host_network) for c in spec.containers)
    init_containers = tuple(_default_container(c, spec.host_network) for c in spec.init_containers)
    spec = replace(
        spec,
        scheduler_name=spec.scheduler_name or DEFAULT_SCHEDULER,
        restart_policy=spec.restart_policy or "Always",
        containers=containers,
        init_containers=init_containers,
    )
    if spec.resources is None:
        return spec
    own = _default_pod_resources(spec, spec.resources, pod_level_limits) if pod_level_resources else None
    return replace(spec, resources=own)


def default_node(node: Node) -> Node:
    """The node with what can be allocated: its capacity, where nothing else is said."""
    if node.status.allocatable or not node.status.capacity:
        return node
    return replace(node, status=replace(node.status, allocatable=node.status.capacity))


def default_namespace(namespace: Namespace) -> Namespace:
    """The namespace with the label that carries its name."""
    labels = namespace.metadata.labels
    if NAMESPACE_NAME_LABEL in labels:
        return namespace
    metadata = replace(namespace.metadata, labels={**labels, NAMESPACE_NAME_LABEL: namespace.name})
    return replace(namespace, metadata=metadata)


def with_defaults(entries: Mapping[str, T], defaults: Mapping[str, T]) -> dict[str, T]:
    """The entries, and the defaults for the keys that are missing."""
    return {**entries, **{key: value for key, value in defaults.items() if key not in entries}}


def _default_container(container: Container, host_network: bool) -> Container:
    resources = container.resources
    if not resources.limits and not container.ports:
        return container
    requests = with_defaults(resources.requests, resources.limits)
    ports = tuple(_default_port(port, host_network) for port in container.ports)
    return replace(container, resources=replace(resources, requests=requests), ports=ports)


def _default_port(port: ContainerPort, host_network: bool) -> ContainerPort:
    host_port = port.host_port
    if host_network and not host_port:
        host_port = port.container_port
    return replace(port, protocol=port.protocol or "TCP", host_port=host_port)


def _default_pod_resources(
    spec: PodSpec, own: ResourceRequirements, with_limits: bool
) -> ResourceRequirements:
    """Requests and limits of the pod, completed from those of its containers."""
    requests, limits = own.requests, own.limits
    if requests or limits:
        totals = container_totals(spec, lambda container: quantities(container.resources.limits))
        pages = {
            name: str(quantity)
            for name, quantity in totals.items()
            if name.startswith(HUGEPAGES_PREFIX) and name not in requests
        }
        limits = with_defaults(limits, pages)
    if limits or (with_limits and requests):
        requests = with_defaults(requests, _aggregated_requests(spec))
        supported: ResourceList = {k: v for k, v in limits.items() if is_pod_level_resource(k)}
        requests = with_defaults(requests, supported)
    if with_limits:
        limits = with_defaults(limits, _aggregated_limits(spec, requests))
    return replace(own, requests=requests, limits=limits)


def _aggregated_limits(spec: PodSpec, requests: ResourceList) -> dict[str, RawQuantity]:
    """Limits of the pod for what it requests and all containers limit: at least what it requests."""
    containers = (*spec.containers, *spec.init_containers)
    totals = container_totals(spec, lambda container: quantities(container.resources.limits))
    wanted = quantities(requests)
    return {
        name: str(max(wanted[name], totals[name]))
        for name in requests
        if name in totals
        and is_pod_level_resource(name)
        and all(name in c.resources.limits for c in containers)
    }


def _aggregated_requests(spec: PodSpec) -> dict[str, RawQuantity]:
    """CPU and memory that the containers request together."""
    totals = container_totals(spec, lambda container: quantities(container.resources.requests))
    return {name: str(totals[name]) for name in (CPU, MEMORY) if name in totals}
