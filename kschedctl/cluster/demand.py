"""What a pod asks of the node it is on, worked out once for all pods with equal containers."""

from __future__ import annotations

from functools import cached_property

import msgspec
from msgspec import Struct

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.ports import HostPort
from kschedctl.objects.pod import ContainerStatus, PodSpec, PodStatus
from kschedctl.objects.pod_requests import (
    ResizeRules,
    host_ports,
    pod_non_zero_requests,
    pod_requests_with_status,
    to_resource_units,
)
from kschedctl.objects.quantity import Quantity

_encode = msgspec.msgpack.Encoder().encode


class Demand(Struct, frozen=True, eq=False, dict=True):
    """Resources and host ports; equal ones of one cluster are one object.

    Attributes:
        spec: the spec of a pod that asks for them.
        status: its status, empty where no pod can be resized.
        rules: how the status counts.
    """

    spec: PodSpec
    status: PodStatus
    rules: ResizeRules

    @cached_property
    def quantities(self) -> dict[str, Quantity]:
        """What the pod counts for on its node (spec 02 C.4 and C.5), exact."""
        return pod_requests_with_status(self.spec, self.status, self.rules)

    @cached_property
    def requests(self) -> dict[str, int]:
        """`quantities` in resource units: cpu in milli, the rest whole."""
        return {name: to_resource_units(name, q) for name, q in self.quantities.items()}

    @cached_property
    def non_zero(self) -> tuple[int, int]:
        """Milli cpu and bytes of memory with the defaults for containers that ask for none (spec 02 C.6)."""
        return pod_non_zero_requests(self.spec, self.status, self.rules)

    @cached_property
    def ports(self) -> tuple[HostPort, ...]:
        """Host ports that the pod holds."""
        return host_ports(self.spec)


class Demands:
    """The demand of each pod; pods of one DaemonSet differ in their node only and share one."""

    def __init__(self, rules: ResizeRules | None) -> None:
        self._rules = rules
        self._known: dict[tuple[bytes, bytes], Demand] = {}

    def of(self, pod: AdmittedPod) -> Demand:
        """The demand of a pod, the same object for equal ones."""
        spec = pod.spec
        asked = _encode((spec.containers, spec.init_containers, spec.overhead, spec.resources))
        key = asked, resize_key(pod)
        known = self._known.get(key)
        if known is None:
            status = PodStatus() if self._rules is None else pod.status
            known = self._known[key] = Demand(spec, status, self._rules or ResizeRules())
        return known


def resize_key(pod: AdmittedPod) -> bytes:
    """What a resize under way changes in the demand of a pod: nothing, for nearly every pod."""
    status = pod.status
    by_devices = status.node_allocatable_resource_claim_statuses
    if (
        not by_devices
        and status.resources is None
        and all(c.resources is None and not c.allocated_resources for c in _containers(pod))
    ):
        return b""
    return _encode(
        (status.resources, status.allocated_resources, _containers(pod), status.conditions, by_devices)
    )


def _containers(pod: AdmittedPod) -> tuple[ContainerStatus, ...]:
    return (*pod.status.container_statuses, *pod.status.init_container_statuses)
