"""Why devices were not taken: what a search tells those who ask for an explanation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct, field

from kschedctl.dra.devices import DeviceEntry, DeviceId
from kschedctl.dra.pools import PoolView
from kschedctl.dra.requests import Ask

IN_USE = "in use by another claim"
"""The reason for devices that claims of other pods have; who they are is known where claims are."""

Place = tuple[int, int]
"""A device by the positions of its pool on the node and of itself in the pool: the same on every equal node."""

Reason = str | Callable[[PoolView, DeviceEntry], str]
"""Why a device was refused; made for the device where equal nodes have different texts."""


class RefusedDevices(Struct, frozen=True):
    """Devices that a request could not have, all for one reason."""

    reason: str
    devices: tuple[DeviceId, ...]


class RequestTrace(Struct, frozen=True):
    """What one request, or one alternative of it, met on a node."""

    ask: Ask
    taken: tuple[DeviceId, ...]
    """Devices that were placed at least once, even if taken back later."""
    refused: tuple[tuple[DeviceId, str], ...]
    """First reason per device."""

    @property
    def refusals(self) -> tuple[RefusedDevices, ...]:
        """The devices that never were an option, by reason, in the order in which they were tried."""
        return self._by_reason(taken=False)

    @property
    def conflicts(self) -> tuple[RefusedDevices, ...]:
        """The devices that were an option, but not with what else was placed."""
        return self._by_reason(taken=True)

    def _by_reason(self, *, taken: bool) -> tuple[RefusedDevices, ...]:
        by_reason: dict[str, list[DeviceId]] = {}
        for device, reason in self.refused:
            if (device in self.taken) is taken:
                by_reason.setdefault(reason, []).append(device)
        return tuple(RefusedDevices(reason, tuple(devices)) for reason, devices in by_reason.items())


class _Met(Struct):
    taken: dict[Place, None] = field(default_factory=dict)
    refused: dict[Place, Reason] = field(default_factory=dict)


class SearchTrace(Struct):
    """What the requests of a search met, in the order in which they were reached; good for all equal nodes."""

    _met: dict[Ask, _Met] = field(default_factory=dict)

    def refuse(self, ask: Ask, place: Place, reason: Reason) -> None:
        """Note why a device was refused."""
        self._met.setdefault(ask, _Met()).refused.setdefault(place, reason)

    def take(self, ask: Ask, place: Place) -> None:
        """Note that a device was placed."""
        self._met.setdefault(ask, _Met()).taken[place] = None

    def on(self, pools: Sequence[PoolView]) -> Iterator[RequestTrace]:
        """What they met on a node with these pools."""
        for ask, met in self._met.items():
            taken = tuple(device_at(pools, place) for place in met.taken)
            refused = tuple(
                (device_at(pools, place), _text(pools, place, reason))
                for place, reason in met.refused.items()
            )
            yield RequestTrace(ask, taken, refused)


def device_at(pools: Sequence[PoolView], place: Place) -> DeviceId:
    """The names of a device on a node with these pools."""
    view = pools[place[0]]
    return DeviceId(view.id.driver, view.id.name, view.devices[place[1]][1].name)


def _text(pools: Sequence[PoolView], place: Place, reason: Reason) -> str:
    if isinstance(reason, str):
        return reason
    view = pools[place[0]]
    return reason(view, view.devices[place[1]][1])
