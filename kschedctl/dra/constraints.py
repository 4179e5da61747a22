"""Constraints between the devices of a claim (spec 05 §4.8).

The state is that of one search; what it remembers of distinct values is a rule of the version.
"""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.objects.resource import DeviceAttribute, DeviceConstraint

from .devices import DeviceEntry, DeviceFacts
from .rules import AllocatorRules, DistinctValues

Value = tuple[str, object]
"""Type and value of an attribute."""

UNKNOWN = "unsupported"


class Constraint:
    """A constraint of one claim and the devices placed under it so far."""

    def __init__(self, spec: DeviceConstraint, attribute: str) -> None:
        self.attribute = attribute
        self._requests = frozenset(spec.requests)
        self._count = 0

    def add(self, request: str, subrequest: str, device: DeviceEntry) -> bool:
        """Place a device; False and no change where the constraint would not hold.

        Args:
            request: name of the request.
            subrequest: name of the chosen alternative, empty where there are none.
            device: the device.
        """
        if not self._applies(request, subrequest):
            return True
        value = self._value(device)
        if value is None or (self._count and not self._agrees(request, value)):
            return False
        self._remember(request, value)
        self._count += 1
        return True

    def remove(self, request: str, subrequest: str) -> None:
        """Take a placed device back."""
        if self._applies(request, subrequest):
            self._count -= 1
            self._forget(request)

    def refusal(self, request: str, device: DeviceEntry) -> str:
        """Why `add` said no, for people."""
        value = self._value(device)
        return f"no attribute {self.attribute}" if value is None else self._clash(request, value)

    def _applies(self, request: str, subrequest: str) -> bool:
        if not self._requests or request in self._requests:
            return True
        return bool(subrequest) and f"{request}/{subrequest}" in self._requests

    def _value(self, device: DeviceEntry) -> Value | None:
        return attribute_value(device.facts, self.attribute)

    def _agrees(self, request: str, value: Value) -> bool:
        raise NotImplementedError

    def _remember(self, request: str, value: Value) -> None:
        raise NotImplementedError

    def _forget(self, request: str) -> None:
        raise NotImplementedError

    def _clash(self, request: str, value: Value) -> str:
        raise NotImplementedError


class MatchAttribute(Constraint):
    """All devices have the value that the first of them has."""

    _first: Value = (UNKNOWN, None)

    def _agrees(self, request: str, value: Value) -> bool:
        return value[0] != UNKNOWN and value == self._first

    def _remember(self, request: str, value: Value) -> None:
        if not self._count:
            self._first = value

    def _forget(self, request: str) -> None:
        return

    def _clash(self, request: str, value: Value) -> str:
        return f"{self.attribute} is {value[1]}, the devices before have {self._first[1]}"


class DistinctAttribute(Constraint):
    """No device has a value that is remembered; one is for each request, whatever number of devices that has."""

    def __init__(self, spec: DeviceConstraint, attribute: str) -> None:
        super().__init__(spec, attribute)
        self._values: dict[str, Value] = {}

    def _agrees(self, request: str, value: Value) -> bool:
        if not self._values:
            return True
        return value[0] != UNKNOWN and value not in self._values.values()

    def _remember(self, request: str, value: Value) -> None:
        self._values[request] = value

    def _forget(self, request: str) -> None:
        self._values.pop(request, None)

    def _clash(self, request: str, value: Value) -> str:
        return f"{self.attribute} is {value[1]}, and a device before has the same"


class EachDistinct(DistinctAttribute):
    """No two devices have the same value."""

    def __init__(self, spec: DeviceConstraint, attribute: str) -> None:
        super().__init__(spec, attribute)
        self._placed: list[Value] = []

    def _agrees(self, request: str, value: Value) -> bool:
        return value[0] != UNKNOWN and value not in self._placed

    def _remember(self, request: str, value: Value) -> None:
        self._placed.append(value)

    def _forget(self, request: str) -> None:
        self._placed.pop()


class AttributeExists(DistinctAttribute):
    """Values never clash, but there must be one."""

    def _agrees(self, request: str, value: Value) -> bool:
        return value[0] != UNKNOWN or not self._values


_DISTINCT = {
    DistinctValues.NOTHING: AttributeExists,
    DistinctValues.LAST_OF_EACH_REQUEST: DistinctAttribute,
    DistinctValues.EVERY_DEVICE: EachDistinct,
}


def constraint(spec: DeviceConstraint, rules: AllocatorRules) -> Constraint | None:
    """The constraint for one search, None where its type is unknown."""
    if spec.match_attribute is not None:
        return MatchAttribute(spec, spec.match_attribute)
    kind = _DISTINCT.get(rules.distinct_values)
    if spec.distinct_attribute is None or kind is None:
        return None
    return kind(spec, spec.distinct_attribute)


def constraints(specs: Sequence[DeviceConstraint], rules: AllocatorRules) -> list[Constraint | None]:
    """The constraints of a claim, for one search."""
    return [constraint(spec, rules) for spec in specs]


def attribute_value(device: DeviceFacts, name: str) -> Value | None:
    """The attribute of a fully qualified name; the driver's own may be stored without their domain."""
    found = device.attributes.get(name)
    if found is None:
        domain, _, short = name.partition("/")
        found = device.attributes.get(short) if domain == device.driver else None
    return None if found is None else _typed(found)


def _typed(attribute: DeviceAttribute) -> Value:
    if attribute.string_value is not None:
        return ("string", attribute.string_value)
    if attribute.int_value is not None:
        return ("int", attribute.int_value)
    if attribute.bool_value is not None:
        return ("bool", attribute.bool_value)
    if attribute.version_value is not None:
        return ("version", attribute.version_value)
    return (UNKNOWN, None)
