"""Equivalence classes of pods: everything a plugin can read of a pod except its name and uid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.objects.meta import OwnerReference
from kschedctl.objects.pod import PodSpec
from kschedctl.objects.pod_requests import (
    host_ports,
    pod_non_zero_requests,
    pod_requests_with_status,
    to_resource_units,
)
from kschedctl.objects.quantity import Quantity

from .affinity_terms import AffinityTerms, affinity_terms
from .ports import HostPort


@dataclass(frozen=True)
class PodClass:
    """Pods that the scheduler cannot tell apart.

    Attributes:
        index: row of the class in the class columns.
        group: index of its distinct `(namespace, labels)`.
        pod: the first pod of the class.
        in_place_pod_level: whether the gate InPlacePodLevelResourcesVerticalScaling is on.
    """

    index: int
    group: int
    pod: AdmittedPod
    in_place_pod_level: bool

    @property
    def namespace(self) -> str:
        """Namespace of its pods."""
        return self.pod.namespace

    @property
    def labels(self) -> Mapping[str, str]:
        """Labels of its pods."""
        return self.pod.labels

    @property
    def spec(self) -> PodSpec:
        """The admitted spec, without a node name."""
        return self.pod.spec

    @property
    def controller(self) -> OwnerReference | None:
        """The controlling owner."""
        return self.pod.metadata.controller

    @property
    def priority(self) -> int:
        """Priority of its pods."""
        return self.pod.priority

    @cached_property
    def quantities(self) -> dict[str, Quantity]:
        """What a pod counts for on its node (spec 02 C.4 and C.5), exact."""
        return pod_requests_with_status(
            self.pod.spec, self.pod.status, in_place_pod_level=self.in_place_pod_level
        )

    @cached_property
    def requests(self) -> dict[str, int]:
        """`quantities` in resource units: cpu in milli, the rest whole."""
        return {name: to_resource_units(name, q) for name, q in self.quantities.items()}

    @cached_property
    def non_zero(self) -> tuple[int, int]:
        """Milli cpu and bytes of memory with the defaults for containers that ask for none (spec 02 C.6)."""
        return pod_non_zero_requests(
            self.pod.spec, self.pod.status, in_place_pod_level=self.in_place_pod_level
        )

    @cached_property
    def terms(self) -> AffinityTerms:
        """Its inter-pod affinity terms."""
        return affinity_terms(self.spec, self.namespace)

    @cached_property
    def ports(self) -> tuple[HostPort, ...]:
        """Host ports that a pod holds."""
        return host_ports(self.pod.spec)
