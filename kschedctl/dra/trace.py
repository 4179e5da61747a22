"""Why devices were not taken: what a search tells those who ask for an explanation."""

from __future__ import annotations

from dataclasses import dataclass, field

from .devices import DeviceId
from .requests import Ask


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
        by_reason: dict[str, list[DeviceId]] = {}
        for device, reason in self.refused.items():
            if device not in self.taken:
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
