"""What all nodes offer and all pods on them request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
from msgspec.structs import replace

from kschedctl.objects.meta import ResourceList, TopLevel
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.objects.pod_requests import ResizeRules, pod_requests_with_status
from kschedctl.objects.quantity import ZERO, Quantity, parse

_encode = msgspec.json.encode
Totals = dict[str, Quantity]


def allocatable_total(objects: Iterable[TopLevel]) -> Totals:
    """The sum of what the nodes offer, by resource."""
    total: Totals = {}
    for obj in objects:
        if isinstance(obj, Node):
            _add(total, _quantities(obj.status.allocatable or obj.status.capacity))
    return total


def requested_total(objects: Iterable[TopLevel]) -> Totals:
    """The sum of what the pods on nodes request, by resource; finished pods request nothing."""
    known: dict[bytes, Mapping[str, Quantity]] = {}
    total: Totals = {"pods": ZERO}
    one = parse(1)
    for obj in objects:
        if isinstance(obj, Pod) and obj.spec.node_name and not obj.is_terminal:
            _add(total, _once(known, obj))
            total["pods"] += one
    return total


def _once(known: dict[bytes, Mapping[str, Quantity]], pod: Pod) -> Mapping[str, Quantity]:
    """The requests of a pod, computed once for pods that are equal."""
    key = _encode((replace(pod.spec, node_name=""), replace(pod.status, start_time=None)))
    if key not in known:
        known[key] = pod_requests_with_status(pod.spec, pod.status, ResizeRules())
    return known[key]


def _quantities(resources: ResourceList) -> Totals:
    return {name: parse(raw) for name, raw in resources.items()}


def _add(total: Totals, more: Mapping[str, Quantity]) -> None:
    for name, quantity in more.items():
        total[name] = total.get(name, ZERO) + quantity
