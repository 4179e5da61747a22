"""How much of a device a request consumes (spec 05 §4.7)."""

from __future__ import annotations

from collections.abc import Mapping

from kschedctl.dra.devices import CapacityOffer, CapacityPolicy, CapacityRange, DeviceEntry
from kschedctl.objects.go import div, wrap_int64

Consumption = dict[str, int]
"""Capacity -> nano units."""

_ONE = 10**9
_MILLI = 10**6
_MAX_INT64 = (1 << 63) - 1


def consumption(
    device: DeviceEntry, requested: Mapping[str, int], *, fractional: bool = False
) -> Consumption:
    """What a request consumes of every capacity of a device.

    Args:
        device: the device.
        requested: capacity -> nano units that the request asks for.
        fractional: whether steps may be smaller than 1.
    """
    return {
        offer.name: _rounded(offer, requested.get(offer.name), fractional=fractional)
        for offer in device.capacity
    }


def shortage(
    device: DeviceEntry, requested: Mapping[str, int], *used: Mapping[str, int], fractional: bool = False
) -> str:
    """Why a request cannot have what it wants of a device, empty where it can.

    Args:
        device: the device.
        requested: capacity -> nano units that the request asks for.
        used: what others consume of the device, by capacity; everything counts.
        fractional: whether steps may be smaller than 1.
    """
    unknown = next((name for name in requested if not _offers(device, name)), None)
    if unknown is not None:
        return f"no capacity {unknown}"
    consumed = consumption(device, requested, fractional=fractional)
    for offer in device.capacity:
        if _violates(offer.policy, consumed[offer.name], fractional=fractional):
            return f"capacity {offer.name}: {nano_text(consumed[offer.name])} is no valid amount"
    for offer in device.capacity:
        total = sum(use.get(offer.name, 0) for use in used) + consumed[offer.name]
        if total > offer.value.nano:
            return f"capacity {offer.name}: {offer.value} is short by {nano_text(total - offer.value.nano)}"
    return ""


def arithmetic_problem(device: DeviceEntry, requested: Mapping[str, int], *, fractional: bool = False) -> str:
    """Why the amounts of a request cannot be calculated with, empty where they can (spec 06 §5.4)."""
    if not all(_offers(device, name) for name in requested):
        return ""
    for offer in device.capacity:
        amount = requested.get(offer.name)
        problem = (
            "" if amount is None else _unrepresentable(offer.policy.range, amount, fractional=fractional)
        )
        if not problem and _rounded(offer, amount, fractional=fractional) < 0:
            problem = "capacity value is negative"
        if problem:
            return f'capacity "{offer.name}": {problem}'
    return ""


def _offers(device: DeviceEntry, name: str) -> bool:
    return any(offer.name == name for offer in device.capacity)


def _unrepresentable(valid: CapacityRange | None, requested: int, *, fractional: bool) -> str:
    """Why rounding a request up to a step leaves the numbers of 64 bits."""
    if valid is None or valid.min is None or not valid.step or requested < valid.min:
        return ""
    unit, text = _unit(valid, fractional=fractional), nano_text(requested)
    what = ""
    if unit == _MILLI and requested % _MILLI:
        what = f"request {text} is not a representable milli value"
    elif unit == _ONE and requested > _MAX_INT64 * _ONE:
        what = f"request {text} exceeds MaxInt64"
    elif _in_steps(valid, requested, unit) > _MAX_INT64 * unit:
        limit = "MaxInt64" if unit == _ONE else "the milli-value range"
        what = f"rounding request {text} up to the next step passes {limit}"
    return what and f"capacity request cannot be represented in the device's range arithmetic: {what}"


def nano_text(nano: int) -> str:
    """Nano units as a quantity."""
    whole, rest = divmod(nano, _ONE)
    if rest:
        return f"{nano}n"
    for suffix, power in (("Gi", 30), ("Mi", 20), ("Ki", 10)):
        if whole and whole % (1 << power) == 0:
            return f"{whole >> power}{suffix}"
    return str(whole)


def _rounded(offer: CapacityOffer, requested: int | None, *, fractional: bool) -> int:
    policy = offer.policy
    if requested is None:
        return offer.value.nano if policy.default is None else policy.default
    valid = policy.range
    if valid is not None and valid.min is not None:
        unit = _unit(valid, fractional=fractional)
        rounded = _in_steps(valid, requested, unit)
        # Where nobody checks it first, the last step may leave the numbers of 64 bits, and comes out negative.
        return wrap_int64(rounded // unit) * unit if valid.step and requested >= valid.min else rounded
    return next((value for value in policy.values if value >= requested), requested)


def _unit(valid: CapacityRange, *, fractional: bool) -> int:
    """The nano units in which the steps of a range are counted: those of 1, or of a thousandth of it."""
    given = [amount for amount in (valid.min, valid.max, valid.step) if amount is not None]
    if not fractional or any(amount % _MILLI or amount > _MAX_INT64 * _MILLI for amount in given):
        return _ONE
    return _MILLI if valid.step is None or valid.step >= _MILLI else _ONE


def _in_steps(valid: CapacityRange, requested: int, unit: int) -> int:
    """The least amount of whole steps above the minimum that is enough; fractions are rounded up first."""
    minimum = valid.min or 0
    if requested < minimum:
        return minimum
    if not valid.step:
        return requested
    low, width = _whole(minimum, unit), _whole(valid.step, unit)
    above = _whole(requested, unit) - low
    steps = div(above, width) + (1 if above % width else 0)
    return (low + width * steps) * unit


def _violates(policy: CapacityPolicy, amount: int, *, fractional: bool) -> bool:
    if policy.default == amount:
        return False
    if policy.range is not None:
        return _outside(policy.range, amount, _unit(policy.range, fractional=fractional))
    return bool(policy.values) and amount not in policy.values


def _outside(valid: CapacityRange, amount: int, unit: int) -> bool:
    if valid.max is not None and amount > valid.max:
        return True
    if not valid.step or valid.min is None:
        return False
    return wrap_int64(_whole(amount, unit) - _whole(valid.min, unit)) % _whole(valid.step, unit) != 0


def _whole(nano: int, unit: int) -> int:
    """Nano units as a whole number of units, rounded up."""
    return -(-nano // unit)
