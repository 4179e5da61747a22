"""Why devices were not taken: what a search tells those who ask for an explanation."""

from __future__ import annotations

from dataclasses import dataclass, field

from .devices import DeviceId
from .requests import Ask

IN_USE = "in use by another claim"
"""The reason for devices that claims of other pods have; who they are is known where claims are."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Devices that a request could not have, all for one reason."""

    reason: str
    devices: tuple[DeviceId, ...]


@dataclass(slots=True)
class RequestTrace:
    """What one request, or one alternative of it, met."""

    ask: Ask
    taken: dict[DeviceId, None] = field(default_factory=dict)
    """Devices that were placed at least once, even if taken back later."""
    refused: dict[DeviceId, str] = field(default_factory=dict)
    """First reason per device."""

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """The devices that never were an option, by reason, in the order in which they were tried."""
        return self._by_reason(taken=False)

    @property
    def conflicts(self) -> tuple[Refusal, ...]:
        """The devices that were an option, but not with what else was placed."""
        return self._by_reason(taken=True)

    def _by_reason(self, *, taken: bool) -> tuple[Refusal, ...]:
        by_reason: dict[str, list[DeviceId]] = {}
        for device, reason in self.refused.items():
            if (device in self.taken) is taken:
                by_reason.setdefault(reason, []).append(device)
        return tuple(Refusal(reason, tuple(devices)) for reason, devices in by_reason.items())


@dataclass(slots=True)
class SearchTrace:
    """What the requests of a search met, in the order in which they were reached."""

    requests: dict[Ask, RequestTrace] = field(default_factory=dict)

    def of(self, ask: Ask) -> RequestTrace:
        """The trace of one request."""
        return self.requests.setdefault(ask, RequestTrace(ask))

    def refuse(self, ask: Ask, device: DeviceId, reason: str) -> None:
        """Note why a device was refused."""
        self.of(ask).refused.setdefault(device, reason)

    def take(self, ask: Ask, device: DeviceId) -> None:
        """Note that a device was placed."""
        self.of(ask).taken[device] = None
