"""Constraints between the devices of a claim (spec 05 §4.8).

The state is that of one search; what it remembers of distinct values is a rule of the version.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from kschedctl.dra.devices import DeviceFacts
from kschedctl.dra.features import Features
from kschedctl.dra.rules import DistinctValues
from kschedctl.objects.resource import DeviceAttribute, DeviceConstraint

Value = tuple[str, object]
"""Type and value of an attribute."""

Values = frozenset[Value]

UNKNOWN = "unsupported"
"""The type of attributes that have no single value: all their lists are the value then."""


class Constraint:
    """A constraint of one claim and the devices placed under it so far."""

    def __init__(self, spec: DeviceConstraint, attribute: str) -> None:
        self.attribute = attribute
        self._requests = frozenset(spec.requests)
        self._count = 0

    def add(self, request: str, subrequest: str, value: Value | None) -> bool:
        """Place a device; False and no change where the constraint would not hold.

        Args:
            request: name of the request.
            subrequest: name of the chosen alternative, empty where there are none.
            value: what the device has of the attribute, None where it has nothing.
        """
        if not self.applies(request, subrequest):
            return True
        if value is None or not self._is_known(value) or (self._count and not self._agrees(request, value)):
            return False
        self._remember(request, value)
        self._count += 1
        return True

    def remove(self, request: str, subrequest: str) -> None:
        """Take a placed device back."""
        if self.applies(request, subrequest):
            self._count -= 1
            self._forget(request)

    def refusal(self, request: str, value: Value | None) -> str:
        """Why `add` said no, for people."""
        return f"no attribute {self.attribute}" if value is None else self._clash(request, value)

    def applies(self, request: str, subrequest: str) -> bool:
        """Whether the constraint is about the devices of a request."""
        if not self._requests or request in self._requests:
            return True
        return bool(subrequest) and f"{request}/{subrequest}" in self._requests

    def _is_known(self, value: Value) -> bool:
        """Whether a value is of a kind that can be compared."""
        return True

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


class CommonValue(Constraint):
    """All devices have a value in common; one value is a list of one."""

    def __init__(self, spec: DeviceConstraint, attribute: str) -> None:
        super().__init__(spec, attribute)
        self._common: list[Values] = []
        """What the devices so far have in common, with the first one alone, with the second one, ..."""

    def _is_known(self, value: Value) -> bool:
        return bool(_values(value))

    def _agrees(self, request: str, value: Value) -> bool:
        return bool(self._narrowed(value))

    def _remember(self, request: str, value: Value) -> None:
        self._common.append(self._narrowed(value))

    def _forget(self, request: str) -> None:
        self._common.pop()

    def _narrowed(self, value: Value) -> Values:
        return self._common[-1] & _values(value) if self._common else _values(value)

    def _clash(self, request: str, value: Value) -> str:
        return f"{self.attribute} is {value[1]}, of which the devices before have nothing in common"


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


class NothingInCommon(EachDistinct):
    """No two devices have a value in common; one value is a list of one."""

    def _is_known(self, value: Value) -> bool:
        return bool(_values(value))

    def _agrees(self, request: str, value: Value) -> bool:
        return all(_values(value).isdisjoint(_values(old)) for old in self._placed)


class AttributeExists(DistinctAttribute):
    """Values never clash, but there must be one."""

    def _agrees(self, request: str, value: Value) -> bool:
        return value[0] != UNKNOWN or not self._values


_DISTINCT = {
    DistinctValues.NOTHING: AttributeExists,
    DistinctValues.LAST_OF_EACH_REQUEST: DistinctAttribute,
    DistinctValues.EVERY_DEVICE: EachDistinct,
}


def constraint(spec: DeviceConstraint, features: Features) -> Constraint | None:
    """The constraint for one search, None where its type is unknown."""
    lists = features.list_attributes and features.allocator.lists_are_sets
    if spec.match_attribute is not None:
        return (CommonValue if lists else MatchAttribute)(spec, spec.match_attribute)
    kind = NothingInCommon if lists else _DISTINCT.get(features.allocator.distinct_values)
    if spec.distinct_attribute is None or kind is None:
        return None
    return kind(spec, spec.distinct_attribute)


def constraints(specs: Sequence[DeviceConstraint], features: Features) -> list[Constraint | None]:
    """The constraints of a claim, for one search."""
    return [constraint(spec, features) for spec in specs]


def attribute_value(device: DeviceFacts, name: str) -> Value | None:
    """The attribute of a fully qualified name; the driver's own may be stored without their domain."""
    found = device.attributes.get(name)
    if found is None:
        domain, _, short = name.partition("/")
        found = device.attributes.get(short) if domain == device.driver else None
    return None if found is None else typed(found)


def typed(attribute: DeviceAttribute) -> Value:
    """The value of an attribute with the name of its type."""
    if attribute.string_value is not None:
        return ("string", attribute.string_value)
    if attribute.int_value is not None:
        return ("int", attribute.int_value)
    if attribute.bool_value is not None:
        return ("bool", attribute.bool_value)
    if attribute.version_value is not None:
        return ("version", attribute.version_value)
    lists = (attribute.int_values, attribute.bool_values, attribute.string_values, attribute.version_values)
    return (UNKNOWN, lists)


def _values(value: Value) -> Values:
    """The values of an attribute with the name of their type; nothing where there are none."""
    kind, found = value
    if kind != UNKNOWN:
        return frozenset({value})
    lists = zip(("int", "bool", "string", "version"), cast("tuple[Any, ...]", found), strict=True)
    return next((frozenset((name, item) for item in items) for name, items in lists if items), frozenset())
