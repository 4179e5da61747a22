"""Where devices that nobody can tell apart fare alike, so that a search tries one of them (spec 05 §4.3, §4.5).

A branch of the search that failed with one device fails with an equal one. That holds where a branch leaves nothing
behind, and where the order in which devices are tried decides nothing but which solution is found first.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from kschedctl.dra.attempt import DevicePosition
from kschedctl.dra.requests import Ask, ClaimAsk
from kschedctl.dra.rules import AllocatorRules, DistinctValues
from kschedctl.dra.selection import Selection


def order_is_indifferent(
    claims: Sequence[ClaimAsk], devices: Iterable[DevicePosition], rules: AllocatorRules
) -> bool:
    """Whether a failed branch of a search is the same whichever of equal devices it began with."""
    constrained = False
    forgets = rules.distinct_values is DistinctValues.LAST_OF_EACH_REQUEST
    for claim in claims:
        wants_all = [ask for ask in _asks(claim) if ask.all_devices]
        if forgets and any(spec.distinct_attribute is not None for spec in claim.constraints):
            return False  # forgets the values of devices that are still placed
        if wants_all and claim.constraints:
            return False  # an error or a mere failure, by which device is met first
        if rules.alternatives_are_mixed_up and any(ask.index for ask in wants_all):
            return False  # goes on with the first alternative after the first device
        constrained |= bool(claim.constraints)
    if rules.refusals_leave_no_trace:
        return True
    return not any(_leaves_counters_taken(position, constrained=constrained) for position in devices)


def likeness(selection: Selection, position: DevicePosition, holders: frozenset[int]) -> Hashable | None:
    """Equal for devices with which a request fares alike, None for a device that is like no other.

    Args:
        selection: tells devices apart by what the claims ask for.
        position: the device.
        holders: the claims that hold it in this search.

    Raises:
        UnsupportedError: a selector needs something that is not there.
    """
    device, usage = position.device, position.usage
    if device.multi or device.name in usage.consumed:
        return None
    counters = position.view.books.get(position.slice.name) if device.counters else None
    return (selection.aspect(device), counters, device.name in usage.exclusive, holders)


def _asks(claim: ClaimAsk) -> Iterable[Ask]:
    return (ask for request in claim.requests for ask in request.asks)


def _leaves_counters_taken(position: DevicePosition, *, constrained: bool) -> bool:
    """Whether a try with the device may end without giving back what it took."""
    device = position.device
    return bool(device.counters) and (constrained or device.multi or bool(device.taints))
