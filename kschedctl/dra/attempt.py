"""What one search has taken so far, and how it takes and gives back (spec 05 §4.5 to §4.9).

What is not given back decides what is found later: these quirks are those of the scheduler.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .capacity import Consumption, shortage
from .constraints import Constraint, constraints
from .counters import AvailableCounters, TakenCounters
from .devices import DeviceEntry, DeviceId, SliceEntry
from .errors import AllocationError
from .features import Features
from .pools import PoolView
from .requests import Ask, ClaimAsk
from .taints import untolerated
from .trace import IN_USE, Place, Reason, SearchTrace
from .usage import PoolUsage

_UNUSED: Consumption = {}


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """One device that can be tried on the node."""

    index: int
    place: Place
    view: PoolView
    usage: PoolUsage
    slice: SliceEntry
    device: DeviceEntry

    @property
    def id(self) -> DeviceId:
        """The names of the device."""
        return DeviceId(self.view.id.driver, self.view.id.name, self.device.name)


@dataclass(frozen=True, slots=True)
class Placement:
    """A device for a request."""

    ask: Ask
    place: Place
    consumed: Consumption | None
    """What is consumed of a shared device, None for one held exclusively."""


def positions(pools: Sequence[PoolView], usages: Sequence[PoolUsage]) -> Iterator[Position]:
    """The devices of a node in the order in which they are tried."""
    index = 0
    for number, (view, usage) in enumerate(zip(pools, usages, strict=True)):
        for place, (entry, device) in enumerate(view.devices):
            yield Position(index, (number, place), view, usage, entry, device)
            index += 1


class Attempt:
    """Devices placed for the claims of a pod on one node.

    Args:
        claims: what is asked for.
        features: what is switched on.
        counters: what is left of shared counters at the beginning of the cycle.
        trace: where refusals are noted, if anybody wants to know.
    """

    def __init__(
        self,
        claims: Sequence[ClaimAsk],
        features: Features,
        counters: AvailableCounters,
        trace: SearchTrace | None,
    ) -> None:
        self._features = features
        self._counters = counters
        self._trace = trace
        self._placed: list[list[Placement]] = [[] for _ in claims]
        self._constraints: list[list[Constraint]] = [_constraints(claim, features) for claim in claims]
        self._held: dict[int, set[int]] = {}
        self._consumed: dict[int, Consumption] = {}
        self._taken = TakenCounters()

    @property
    def placements(self) -> tuple[tuple[Placement, ...], ...]:
        """The devices of each claim."""
        return tuple(tuple(placed) for placed in self._placed)

    def count(self, claim: int) -> int:
        """How many devices a claim has so far."""
        return len(self._placed[claim])

    def holders(self, position: Position) -> frozenset[int]:
        """The claims that hold a device for themselves so far, by position."""
        return frozenset(self._held.get(position.index, ()))

    def free(self, ask: Ask, position: Position) -> bool:
        """Whether nobody has the device who keeps a request from having it."""
        holders = self._held.get(position.index, ())
        if ask.admin:
            return ask.claim not in holders
        if position.device.name in position.usage.exclusive:
            self.note(ask, position, IN_USE)
            return False
        if holders:
            self.note(ask, position, "taken by an earlier request of the pod")
        return not holders

    def roomy(self, ask: Ask, position: Position) -> bool:
        """Whether the device has the capacity that a request wants."""
        if not self._features.consumable_capacity:
            return True
        attempted = self._consumed.get(position.index, _UNUSED)
        committed = position.usage.consumed.get(position.device.name, _UNUSED)
        _, problem = shortage(position.device, ask.capacity, committed, attempted)
        if problem:
            self.note(ask, position, problem)
        return not problem

    def place(self, ask: Ask, position: Position, *, must: bool) -> bool:
        """Take a device; what a failure half-way leaves behind is what it leaves behind in the scheduler.

        Raises:
            AllocationError: the device must be taken and a constraint forbids it.
        """
        device = position.device
        if not (self.free(ask, position) and self._take_counters(ask, position)):
            return False
        if not (self._tolerated(ask, position) and self._constrain(ask, position, must)):
            return False
        consumed: Consumption | None = None
        if device.multi:
            consumed = self._consume(ask, position)
            if consumed is None:
                return False
        else:
            self._held.setdefault(position.index, set()).add(ask.claim)
        self._placed[ask.claim].append(Placement(ask, position.place, consumed))
        if self._trace is not None:
            self._trace.take(ask, position.place)
        return True

    def _take_counters(self, ask: Ask, position: Position) -> bool:
        device = position.device
        if not device.counters:
            return True
        if not self._features.partitionable_devices:
            self.note(ask, position, "takes from shared counters, which are switched off")
            return False
        shared = device.name in position.usage.consumed or position.index in self._consumed
        if device.multi and shared:
            return True
        left = self._counters.of(position.view, position.usage)
        problem = self._taken.take(position.view.id.name, device, left)
        if problem:
            self.note(ask, position, problem)
        return not problem

    def _tolerated(self, ask: Ask, position: Position) -> bool:
        if not self._features.device_taints:
            return True
        taint = untolerated(position.device.taints, ask.tolerations, self._features)
        if taint is not None:
            self.note(ask, position, f"untolerated taint {taint}")
        return taint is None

    def _consume(self, ask: Ask, position: Position) -> Consumption | None:
        """Take a share of a device, None where too little is left."""
        committed = position.usage.consumed.get(position.device.name, _UNUSED)
        attempted = self._consumed.get(position.index, _UNUSED)
        consumed, problem = shortage(position.device, ask.capacity, committed, attempted)
        if problem:
            self.note(ask, position, problem)
            return None
        self._consumed[position.index] = {k: attempted.get(k, 0) + v for k, v in consumed.items()}
        return consumed

    def _constrain(self, ask: Ask, position: Position, must: bool) -> bool:
        states = self._constraints[ask.claim]
        for i, state in enumerate(states):
            if state.add(ask.request, ask.subrequest, position.device):
                continue
            if must:
                text = f"cannot add device {position.id} because a claim constraint would not be satisfied"
                raise AllocationError(f"{ask.label}: {text}")
            self.note(ask, position, state.refusal(ask.request, position.device))
            for earlier in states[:i]:
                earlier.remove(ask.request, ask.subrequest)
            return False
        return True

    def take_back(self, ask: Ask, position: Position) -> None:
        """Undo the last placement of a claim, as far as the scheduler does."""
        placement = self._placed[ask.claim].pop()
        for state in self._constraints[ask.claim]:
            state.remove(ask.request, ask.subrequest)
        if placement.consumed is None:
            self._held[position.index].discard(ask.claim)
            if position.device.counters:
                self._taken.give_back(position.view.id.name, position.device)
            return
        left = self._consumed.get(position.index)
        # Where others consume as little as nothing, the first who goes takes the note of all away.
        if placement.consumed and left is not None:
            for name, amount in placement.consumed.items():
                left[name] -= amount
            if not any(left.values()):
                del self._consumed[position.index]

    def note(self, ask: Ask, position: Position, reason: Reason) -> None:
        """Keep the reason of a refusal."""
        if self._trace is not None:
            self._trace.refuse(ask, position.place, reason)


def _constraints(claim: ClaimAsk, features: Features) -> list[Constraint]:
    return [c for c in constraints(claim.constraints, features) if c is not None]
