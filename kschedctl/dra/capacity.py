"""How much of a device a request consumes (spec 05 §4.7)."""

from __future__ import annotations

from collections.abc import Mapping

from kschedctl.objects.go import div

from .devices import CapacityOffer, CapacityPolicy, CapacityRange, DeviceEntry

Consumption = dict[str, int]
"""Capacity -> nano units."""

_ONE = 10**9


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
        return offer.value.nano if policy.default is None else policy.default
    if policy.range is not None and policy.range.min is not None:
        return _in_steps(policy.range.min, policy.range.step, requested)
    return next((value for value in policy.values if value >= requested), requested)


def _in_steps(minimum: int, step: int | None, requested: int) -> int:
    """The least amount of whole steps above the minimum that is enough; fractions are rounded up first."""
    if requested < minimum:
        return minimum
    if not step:
        return requested
    low, width = _whole(minimum), _whole(step)
    above = _whole(requested) - low
    steps = div(above, width) + (1 if above % width else 0)
    return (low + width * steps) * _ONE


def _violates(policy: CapacityPolicy, amount: int) -> bool:
    if policy.default == amount:
        return False
    if policy.range is not None:
        return _outside(policy.range, amount)
    return bool(policy.values) and amount not in policy.values


def _outside(valid: CapacityRange, amount: int) -> bool:
    if valid.max is not None and amount > valid.max:
        return True
    if not valid.step or valid.min is None:
        return False
    return (_whole(amount) - _whole(valid.min)) % _whole(valid.step) != 0


def _whole(nano: int) -> int:
    """Nano units as a whole number, rounded up."""
    return -(-nano // _ONE)
