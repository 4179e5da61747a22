"""What all nodes offer and all pods on them request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
from msgspec.structs import replace

from kschedctl.objects.meta import ResourceList, TopLevel
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.objects.pod_requests import ResizeRules, Resources, add_to, pod_requests_with_status
from kschedctl.objects.quantity import ZERO, Quantity, parse

_encode = msgspec.json.encode


def allocatable_total(objects: Iterable[TopLevel]) -> Resources:
    """The sum of what the nodes offer, by resource."""
    total: Resources = {}
    for obj in objects:
        if isinstance(obj, Node):
            add_to(total, _quantities(obj.status.allocatable or obj.status.capacity))
    return total


def requested_total(objects: Iterable[TopLevel]) -> Resources:
    """The sum of what the pods on nodes request, by resource; finished pods request nothing."""
    known: dict[bytes, Mapping[str, Quantity]] = {}
    total: Resources = {"pods": ZERO}
    one = parse(1)
    for obj in objects:
        if isinstance(obj, Pod) and obj.spec.node_name and not obj.is_terminal:
            add_to(total, _once(known, obj))
            total["pods"] += one
    return total


def _once(known: dict[bytes, Mapping[str, Quantity]], pod: Pod) -> Mapping[str, Quantity]:
    """The requests of a pod, computed once for pods that are equal."""
    key = _encode((replace(pod.spec, node_name=""), replace(pod.status, start_time=None)))
    if key not in known:
        known[key] = pod_requests_with_status(pod.spec, pod.status, ResizeRules())
    return known[key]


def _quantities(resources: ResourceList) -> Resources:
    return {name: parse(raw) for name, raw in resources.items()}
