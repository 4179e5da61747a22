"""Which devices can take from one counter set together, by their compatibility groups (spec 06 §5.5)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from msgspec import Struct

from kschedctl.dra.devices import DeviceEntry
from kschedctl.dra.pools import CounterBook
from kschedctl.dra.usage import PoolUsage


class Companions(Struct, frozen=True):
    """The devices that take from one counter set, as far as it concerns the next one."""

    grouped: bool
    """Whether they belong to groups; devices with groups and devices without do not go together."""
    common: frozenset[str]
    """The groups that all of them belong to."""

    def admit(self, groups: frozenset[str]) -> bool:
        """Whether a device of these groups can join them."""
        return not self.common.isdisjoint(groups) if self.grouped else not groups

    def joined(self, groups: frozenset[str]) -> Companions:
        """With one more device; one of the other sort, which is there by mistake, changes nothing."""
        return Companions(True, self.common & groups) if self.grouped and groups else self


GroupsInUse = Mapping[str, Companions]
"""Counter set -> the devices that take from it."""


def in_use(book: CounterBook, usage: PoolUsage) -> GroupsInUse:
    """The groups of the devices of a book that claims hold."""
    found: dict[str, Companions] = {}
    for device in book.devices:
        if usage.is_used(device.name):
            for name, groups in device.groups.items():
                found[name] = _with(found.get(name), groups)
    return found


class TakenGroups:
    """The groups of the devices that one search has taken, given back in the reverse order."""

    def __init__(self) -> None:
        self._now: dict[tuple[Hashable, str], Companions] = {}
        self._before: list[dict[tuple[Hashable, str], Companions]] = []

    def take(self, book: CounterBook, device: DeviceEntry, held: GroupsInUse) -> str:
        """Add a device to those that take from its counter sets; where it cannot join them, say why."""
        changed = dict(self._now)
        for name, groups in device.groups.items():
            companions = changed.get((book.key, name), held.get(name))
            if companions is not None and not companions.admit(groups):
                return f"no compatibility group in common with the devices that take from {name}"
            changed[book.key, name] = _with(companions, groups)
        self._before.append(self._now)
        self._now = changed
        return ""

    def give_back(self) -> None:
        """Take away the last device."""
        self._now = self._before.pop()


def _with(companions: Companions | None, groups: frozenset[str]) -> Companions:
    return Companions(bool(groups), groups) if companions is None else companions.joined(groups)
