"""How much of a device a request consumes (spec 05 §4.7)."""

from __future__ import annotations

from collections.abc import Mapping

from kschedctl.objects.go import div
from kschedctl.objects.quantity import parse
from kschedctl.objects.resource import CapacityRequestPolicy, CapacityRequestPolicyRange

from .devices import CapacityOffer, DeviceEntry

Consumption = dict[str, int]
"""Capacity -> nano units."""

_ONE = 10**9
_NONE: Mapping[str, int] = {}


def shortage(
    device: DeviceEntry, requested: Mapping[str, int], *used: Mapping[str, int]
) -> tuple[Consumption, str]:
    """What a request consumes of a device, and why it cannot have that.

    Args:
        device: the device.
        requested: capacity -> nano units that the request asks for.
        used: what others consume of the device, by capacity; everything counts.

    Returns:
        The consumption of every capacity, and the reason of the refusal, empty where there is none.
    """
    consumed: Consumption = {}
    offered = {offer.name for offer in device.capacity}
    for name in requested:
        if name not in offered:
            return consumed, f"no capacity {name}"
    for offer in device.capacity:
        amount = _rounded(offer, requested.get(offer.name))
        if _violates(offer.policy, amount):
            return consumed, f"capacity {offer.name}: {nano_text(amount)} is no valid amount"
        consumed[offer.name] = amount
    for offer in device.capacity:
        total = sum(use.get(offer.name, 0) for use in used) + consumed[offer.name]
        if total > offer.value.nano:
            short = nano_text(total - offer.value.nano)
            return consumed, f"capacity {offer.name}: {offer.value} is short by {short}"
    return consumed, ""


def nano_text(nano: int) -> str:
    """Nano units as a quantity."""
    whole, rest = divmod(nano, _ONE)
    if rest:
        return f"{nano}n"
    for suffix, power in (("Gi", 30), ("Mi", 20), ("Ki", 10)):
        if whole and whole % (1 << power) == 0:
            return f"{whole >> power}{suffix}"
    return str(whole)


def _rounded(offer: CapacityOffer, requested: int | None) -> int:
    policy = offer.policy
    if requested is None:
        if policy is not None and policy.default is not None:
            return parse(policy.default).nano
        return offer.value.nano
    if policy is None:
        return requested
    if policy.valid_range is not None and policy.valid_range.min is not None:
        return _in_steps(policy.valid_range, requested)
    return next((v for raw in policy.valid_values if (v := parse(raw).nano) >= requested), requested)


def _in_steps(valid: CapacityRequestPolicyRange, requested: int) -> int:
    minimum = parse(valid.min or 0)
    if requested < minimum.nano:
        return minimum.nano
    low, step = minimum.value(), parse(valid.step or 0).value()
    if not step:
        return requested
    above = _whole(requested) - low
    steps = div(above, step) + (1 if above % step else 0)
    return (low + step * steps) * _ONE


def _violates(policy: CapacityRequestPolicy | None, amount: int) -> bool:
    if policy is None or (policy.default is not None and parse(policy.default).nano == amount):
        return False
    if policy.valid_range is not None:
        return _outside(policy.valid_range, amount)
    values = [parse(value).nano for value in policy.valid_values]
    return bool(values) and amount not in values


def _outside(valid: CapacityRequestPolicyRange, amount: int) -> bool:
    if valid.max is not None and amount > parse(valid.max).nano:
        return True
    step = parse(valid.step or 0).value()
    if not step or valid.min is None:
        return False
    return (_whole(amount) - parse(valid.min).value()) % step != 0


def _whole(nano: int) -> int:
    """Nano units as a whole number, rounded up."""
    return -(-nano // _ONE)
