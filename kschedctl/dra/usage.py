"""Which devices are taken, and how much of the shared ones (spec 05 §3.9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct, field

from kschedctl.cluster.change_log import ChangeLog
from kschedctl.dra.devices import PoolId
from kschedctl.dra.features import Features
from kschedctl.errors import InputError
from kschedctl.objects.quantity import QuantityError, parse
from kschedctl.objects.resource import DeviceAllocationResult, ResourceClaim

_MOST_CHANGES: Final = 1024


class PoolUsage(Struct, frozen=True, eq=False):
    """What claims hold of one pool; immutable, so that an old value is all that undo needs."""

    exclusive: frozenset[str] = frozenset()
    """Devices that a claim holds for itself. Of two that hold the same one, the first to let go frees it."""
    shared: Mapping[str, int] = field(default_factory=dict)
    """Device -> how many claims have a share of it."""
    consumed: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Device -> capacity -> consumed nano units."""

    def is_used(self, device: str) -> bool:
        """Whether a claim has the device or a share of it."""
        return device in self.exclusive or device in self.shared or device in self.consumed

    def changed(self, result: DeviceAllocationResult, sign: int, features: Features) -> PoolUsage:
        """The usage with one result added (+1) or taken away (-1)."""
        name = result.device
        if not (features.consumable_capacity and result.share_id is not None):
            exclusive = self.exclusive | {name} if sign > 0 else self.exclusive - {name}
            return PoolUsage(exclusive, self.shared, self.consumed)
        shared = _counted(self.shared, name, sign)
        if result.consumed_capacity is None:
            return PoolUsage(self.exclusive, shared, self.consumed)
        totals = dict(self.consumed.get(name, {}))
        for capacity, amount in result.consumed_capacity.items():
            totals[capacity] = totals.get(capacity, 0) + sign * parse(amount).nano
        consumed = {**self.consumed, name: totals}
        if name not in shared and not any(totals.values()):
            del consumed[name]
        return PoolUsage(self.exclusive, shared, consumed)


UNUSED = PoolUsage()


class UsageMark(Struct, frozen=True):
    """How the pools that a change touched were before it."""

    before: tuple[tuple[PoolId, PoolUsage], ...]


class DeviceUsage(Struct):
    """The devices that all allocated claims of a cluster hold."""

    features: Features
    changes: ChangeLog[PoolId] = field(default_factory=lambda: ChangeLog(_MOST_CHANGES))
    """The pools of changes, undone ones and their undoing too: what a cache has to look at again."""
    _pools: dict[PoolId, PoolUsage] = field(default_factory=dict)

    @classmethod
    def of_claims(cls, features: Features, claims: Iterable[ResourceClaim]) -> DeviceUsage:
        """What the allocations of these claims hold, reserved or not.

        Raises:
            InputError: an amount is no quantity.
        """
        usage = cls(features)
        for claim in claims:
            if claim.status.allocation is None:
                continue
            try:
                usage.change(claim.status.allocation.devices.results, 1)
            except QuantityError as error:
                raise InputError(f"ResourceClaim {claim.full_name}: {error}") from error
        return usage

    def pool(self, pool: PoolId) -> PoolUsage:
        """The usage of one pool."""
        return self._pools.get(pool, UNUSED)

    def change(self, results: Iterable[DeviceAllocationResult], sign: int) -> UsageMark:
        """Add (+1) or take away (-1) results; the mark undoes it, last in first out."""
        before: dict[PoolId, PoolUsage] = {}
        for result in results:
            if result.admin_access:
                continue
            pool = PoolId(result.driver, result.pool)
            old = self.pool(pool)
            before.setdefault(pool, old)
            self._pools[pool] = old.changed(result, sign, self.features)
        self.changes.extend(before)
        return UsageMark(tuple(before.items()))

    def undo(self, mark: UsageMark) -> None:
        """Take back the change that gave the mark."""
        for pool, usage in mark.before:
            self._pools[pool] = usage
            self.changes.append(pool)


def _counted(counts: Mapping[str, int], name: str, sign: int) -> Mapping[str, int]:
    new = dict(counts)
    new[name] = new.get(name, 0) + sign
    if not new[name]:
        del new[name]
    return new
