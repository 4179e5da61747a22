"""Counters that the devices of a pool share (spec 05 §4.6).

Both tables are keyed by the name of the pool alone, as in the scheduler: pools of two drivers with one name
are confused with each other.
"""

from __future__ import annotations

from .capacity import nano_text
from .devices import DeviceEntry
from .pools import PoolView
from .usage import PoolUsage

Counters = dict[str, dict[str, int]]
"""Counter set -> counter -> nano units."""


def available(view: PoolView, usage: PoolUsage) -> Counters:
    """What the devices in use leave of the counters of a pool; it may be negative."""
    left = {name: dict(values) for name, values in view.counters.items()}
    listed = {device.name: device for _, device in view.devices}
    listed |= {device.name: device for device in view.elsewhere if device.name not in listed}
    for name, device in listed.items():
        if not device.counters or not usage.takes_counters(name):
            continue
        for set_name, values in device.counters:
            for counter, amount in values:
                if counter in left.get(set_name, {}):
                    left[set_name][counter] -= amount
    return left


class AvailableCounters:
    """What is left at the beginning of a cycle, found out once per name of a pool."""

    def __init__(self) -> None:
        self._by_name: dict[str, Counters] = {}

    def of(self, view: PoolView, usage: PoolUsage) -> Counters:
        """The counters known under the name of a pool."""
        known = self._by_name.get(view.id.name)
        if known is None:
            known = self._by_name[view.id.name] = available(view, usage)
        return known


class TakenCounters:
    """What one search has taken so far; some of it is never given back, as in the scheduler."""

    def __init__(self) -> None:
        self._by_name: dict[str, Counters] = {}

    def take(self, pool: str, device: DeviceEntry, left: Counters) -> str:
        """Add what a device takes; where that is too much, add nothing and say what is short."""
        self._add(pool, device, 1)
        totals = self._by_name[pool]
        for set_name, counters in left.items():
            for counter, amount in counters.items():
                missing = totals.get(set_name, {}).get(counter, 0) - amount
                if missing > 0:
                    self._add(pool, device, -1)
                    return f"counter {counter} of {set_name} is short by {nano_text(missing)}"
        return ""

    def give_back(self, pool: str, device: DeviceEntry) -> None:
        """Take away what a device took."""
        self._add(pool, device, -1)

    def _add(self, pool: str, device: DeviceEntry, sign: int) -> None:
        totals = self._by_name.setdefault(pool, {})
        for set_name, counters in device.counters:
            values = totals.setdefault(set_name, {})
            for counter, amount in counters:
                values[counter] = values.get(counter, 0) + sign * amount
