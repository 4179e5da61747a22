"""Device classes, and the extended resources that they back (spec 05 §5)."""

from __future__ import annotations

from collections.abc import Iterable

from kschedctl.dra.rules import ExtendedResourceRules
from kschedctl.objects.pod_requests import is_extended_resource
from kschedctl.objects.resource import DeviceClass

IMPLICIT_PREFIX = "deviceclass.resource.kubernetes.io/"
"""Every class backs the extended resource of this name."""


class ClassIndex:
    """Classes by name and by the extended resource that they back."""

    def __init__(self, classes: Iterable[DeviceClass], rules: ExtendedResourceRules) -> None:
        self._by_name = {c.name: c for c in classes}
        listed = sorted(self._by_name.values(), key=lambda c: c.name)
        resources = _explicit_or_implicit if rules.explicit_name_is_the_only_one else _explicit_and_implicit
        self._by_resource = resources(listed)

    def find(self, name: str) -> DeviceClass | None:
        """A class by name."""
        return self._by_name.get(name)

    def backing(self, resource: str) -> DeviceClass | None:
        """The class that backs an extended resource, where the gate DRAExtendedResource is on."""
        return self._by_resource.get(resource)


def may_be_backed(name: str, *, implicit: bool = True) -> bool:
    """Whether a resource name is one that devices can back; with `implicit`, also those that every class has."""
    return (implicit and name.startswith(IMPLICIT_PREFIX)) or is_extended_resource(name)


def _explicit_or_implicit(classes: Iterable[DeviceClass]) -> dict[str, DeviceClass]:
    """Resource -> class; of several that name the same one, the last has it."""
    return {c.spec.extended_resource_name or IMPLICIT_PREFIX + c.name: c for c in classes}


def _explicit_and_implicit(classes: Iterable[DeviceClass]) -> dict[str, DeviceClass]:
    """Resource -> class; a class that loses its own name when it comes gets no implicit name either."""
    found: dict[str, DeviceClass] = {}
    for new in classes:
        explicit = new.spec.extended_resource_name
        if explicit is not None:
            old = found.get(explicit)
            if old is not None and not _wins(new, old):
                continue
            found[explicit] = new
        found[IMPLICIT_PREFIX + new.name] = new
    return found


def _wins(new: DeviceClass, old: DeviceClass) -> bool:
    """The younger class wins; equally old ones go by name, and classes come in the order of their names."""
    return (new.metadata.creation_timestamp or "") > (old.metadata.creation_timestamp or "")
