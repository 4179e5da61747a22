"""Extended resources that device classes back: which names are left to DynamicResources (spec 02 D.8)."""

from __future__ import annotations

from dataclasses import dataclass

from kschedctl.cluster.state import ClusterState
from kschedctl.objects.resource import DeviceClass

IMPLICIT_PREFIX = "deviceclass.resource.kubernetes.io/"


@dataclass(frozen=True, slots=True)
class DelegatedResources:
    """Resource name -> the device class behind it."""

    explicit: dict[str, str]
    classes: frozenset[str]

    @classmethod
    def of(cls, cluster: ClusterState) -> DelegatedResources:
        """Read the device classes: of two with one name the newer wins, then the lexically smaller."""
        found = cluster.objects.all(DeviceClass).values()
        named = sorted((c for c in found if c.spec.extended_resource_name), key=lambda c: c.name)
        named.sort(key=lambda c: c.metadata.creation_timestamp or "", reverse=True)
        explicit: dict[str, str] = {}
        for device_class in named:
            explicit.setdefault(device_class.spec.extended_resource_name or "", device_class.name)
        return cls(explicit, frozenset(c.name for c in found))

    def backs(self, resource: str) -> bool:
        """Whether some device class stands behind the name."""
        return self.class_of(resource) is not None

    def class_of(self, resource: str) -> str | None:
        """The device class behind a resource name, or None."""
        if resource in self.explicit:
            return self.explicit[resource]
        implicit = resource.removeprefix(IMPLICIT_PREFIX)
        return implicit if implicit != resource and implicit in self.classes else None
