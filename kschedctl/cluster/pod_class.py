"""Equivalence classes of pods: everything a plugin can read of a pod except its name and uid."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.affinity_terms import AffinityTerms, affinity_terms
from kschedctl.cluster.demand import Demand
from kschedctl.cluster.ports import HostPort
from kschedctl.objects.meta import OwnerReference
from kschedctl.objects.pod import PodSpec
from kschedctl.objects.quantity import Quantity


class PodClass(Struct, frozen=True, dict=True):
    """Pods that the scheduler cannot tell apart.

    Attributes:
        index: row of the class in the class columns.
        unlabelled: index of the pods that are equal to its own up to labels.
        group: index of its distinct `(namespace, labels)`.
        pod: the first pod of the class.
        demand: what its pods ask of their node.
    """

    index: int
    template: int
    group: int
    pod: AdmittedPod
    demand: Demand

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
    def has_own_claims(self) -> bool:
        """Whether claims are made for each of its pods alone, which tells them apart after all."""
        spec = self.spec
        return bool(spec.resource_claims) or any(volume.ephemeral is not None for volume in spec.volumes)

    @property
    def priority(self) -> int:
        """Priority of its pods."""
        return self.pod.priority

    @property
    def quantities(self) -> dict[str, Quantity]:
        """What a pod counts for on its node, exact."""
        return self.demand.quantities

    @property
    def requests(self) -> dict[str, int]:
        """`quantities` in resource units: cpu in milli, the rest whole."""
        return self.demand.requests

    @property
    def ports(self) -> tuple[HostPort, ...]:
        """Host ports that a pod holds."""
        return self.demand.ports

    @cached_property
    def terms(self) -> AffinityTerms:
        """Its inter-pod affinity terms."""
        return affinity_terms(self.spec, self.namespace)
