"""Counters that the devices of a pool share (spec 05 §4.6)."""

from __future__ import annotations

from collections.abc import Hashable

from kschedctl.dra.capacity import nano_text
from kschedctl.dra.compatibility import GroupsInUse, in_use
from kschedctl.dra.devices import DeviceEntry
from kschedctl.dra.pools import CounterBook
from kschedctl.dra.rules import AllocatorRules
from kschedctl.dra.usage import PoolUsage

Counters = dict[str, dict[str, int]]
"""Counter set -> counter -> nano units."""


def available(book: CounterBook, usage: PoolUsage, rules: AllocatorRules) -> Counters:
    """What the devices in use leave of the counters of a book; it may be negative."""
    left = {name: dict(values) for name, values in book.sets.items()}
    for device in book.devices:
        if not device.counters or not _holds_counters(device.name, usage, rules):
            continue
        for set_name, values in device.counters:
            for counter, amount in values:
                if counter in left.get(set_name, {}):
                    left[set_name][counter] -= amount
    return left


def _holds_counters(device: str, usage: PoolUsage, rules: AllocatorRules) -> bool:
    return usage.is_used(device) if rules.shared_devices_hold_counters else device in usage.exclusive


class AvailableCounters:
    """What is left at the beginning of a cycle, found out once per key of a book."""

    def __init__(self) -> None:
        self._by_key: dict[Hashable, Counters] = {}
        self._groups: dict[Hashable, GroupsInUse] = {}

    def of(self, book: CounterBook, usage: PoolUsage, rules: AllocatorRules) -> Counters:
        """The counters known under the key of a book."""
        known = self._by_key.get(book.key)
        if known is None:
            known = self._by_key[book.key] = available(book, usage, rules)
        return known

    def groups_of(self, book: CounterBook, usage: PoolUsage) -> GroupsInUse:
        """The compatibility groups known under the key of a book."""
        known = self._groups.get(book.key)
        if known is None:
            known = self._groups[book.key] = in_use(book, usage)
        return known


class TakenCounters:
    """What one search has taken so far; by some rules not all of it is ever given back."""

    def __init__(self) -> None:
        self._by_key: dict[Hashable, Counters] = {}

    def take(self, book: CounterBook, device: DeviceEntry, left: Counters) -> str:
        """Add what a device takes; where that is too much, add nothing and say what is short."""
        self._add(book, device, 1)
        totals = self._by_key[book.key]
        for set_name, counters in left.items():
            for counter, amount in counters.items():
                missing = totals.get(set_name, {}).get(counter, 0) - amount
                if missing > 0:
                    self._add(book, device, -1)
                    return f"counter {counter} of {set_name} is short by {nano_text(missing)}"
        return ""

    def give_back(self, book: CounterBook, device: DeviceEntry) -> None:
        """Take away what a device took."""
        self._add(book, device, -1)

    def _add(self, book: CounterBook, device: DeviceEntry, sign: int) -> None:
        totals = self._by_key.setdefault(book.key, {})
        for set_name, counters in device.counters:
            values = totals.setdefault(set_name, {})
            for counter, amount in counters:
                values[counter] = values.get(counter, 0) + sign * amount
