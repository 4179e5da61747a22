"""Why devices were not taken: what a search tells those who ask for an explanation."""

from __future__ import annotations

from dataclasses import dataclass, field

from .devices import DeviceId
from .requests import Ask


@dataclass(frozen=True, slots=True)
class Refusal:
    """One device that a request could not have."""

    device: DeviceId
    reason: str


@dataclass(slots=True)
class RequestTrace:
    """What one request met."""

    ask: Ask
    taken: dict[DeviceId, None] = field(default_factory=dict)
    """Devices that were placed at least once, even if taken back later."""
    refused: dict[DeviceId, str] = field(default_factory=dict)
    """First reason per device."""

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """Devices that never were an option, in the order in which they were tried."""
        return tuple(Refusal(d, reason) for d, reason in self.refused.items() if d not in self.taken)


@dataclass(slots=True)
class SearchTrace:
    """What all requests of a search met, in the order in which they were reached."""

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
