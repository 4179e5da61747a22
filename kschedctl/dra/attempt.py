"""What one search has taken so far, and how it takes and gives back (spec 05 §4.5 to §4.9).

What is not given back decides what is found later: these quirks are those of the scheduler.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.dra.capacity import Consumption, arithmetic_problem, consumption, shortage
from kschedctl.dra.compatibility import TakenGroups
from kschedctl.dra.constraints import Constraint, Value, constraints
from kschedctl.dra.counters import AvailableCounters, TakenCounters
from kschedctl.dra.devices import DeviceEntry, DeviceId, SliceEntry
from kschedctl.dra.errors import AllocationError
from kschedctl.dra.features import Features
from kschedctl.dra.pools import PoolView
from kschedctl.dra.problem import CelProblem
from kschedctl.dra.requests import Ask, ClaimAsk
from kschedctl.dra.rules import SharedUse
from kschedctl.dra.selection import Selection
from kschedctl.dra.taints import untolerated
from kschedctl.dra.trace import IN_USE, Place, Reason, SearchTrace
from kschedctl.dra.usage import PoolUsage
from kschedctl.errors import UnsupportedError

_UNUSED: Consumption = {}


class DevicePosition(Struct, frozen=True, eq=False):
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


class DevicePlacement(Struct, frozen=True):
    """A device for a request."""

    ask: Ask
    place: Place
    consumed: Consumption | None
    """What is consumed of a shared device, None for one held exclusively."""
    counted: bool = False
    """Whether the device has taken from shared counters here."""
    first_share: bool = False
    """Whether nothing had been taken of a shared device before."""


def positions(pools: Sequence[PoolView], usages: Sequence[PoolUsage]) -> Iterator[DevicePosition]:
    """The devices of a node in the order in which they are tried."""
    index = 0
    for number, (view, usage) in enumerate(zip(pools, usages, strict=True)):
        for place, (entry, device) in enumerate(view.devices):
            yield DevicePosition(index, (number, place), view, usage, entry, device)
            index += 1


class Attempt:
    """Devices placed for the claims of a pod on one node.

    Args:
        claims: what is asked for.
        features: what is switched on.
        counters: what is left of shared counters at the beginning of the cycle.
        selection: what the claims can tell of devices.
        trace: where refusals are noted, if anybody wants to know.
    """

    def __init__(
        self,
        claims: Sequence[ClaimAsk],
        features: Features,
        counters: AvailableCounters,
        selection: Selection,
        trace: SearchTrace | None,
    ) -> None:
        self._features = features
        self._rules = features.allocator
        self._counters = counters
        self._selection = selection
        self._trace = trace
        self._placed: list[list[DevicePlacement]] = [[] for _ in claims]
        self._constraints: list[list[Constraint]] = [_constraints(claim, features) for claim in claims]
        self._held: dict[int, set[int]] = {}
        self._consumed: dict[int, Consumption] = {}
        self._taken = TakenCounters()
        self._groups = TakenGroups()

    @property
    def placements(self) -> tuple[tuple[DevicePlacement, ...], ...]:
        """The devices of each claim."""
        return tuple(tuple(placed) for placed in self._placed)

    def count(self, claim: int) -> int:
        """How many devices a claim has so far."""
        return len(self._placed[claim])

    def holders(self, position: DevicePosition) -> frozenset[int]:
        """The claims that hold a device for themselves so far, by position."""
        return frozenset(self._held.get(position.index, ()))

    def free(self, ask: Ask, position: DevicePosition) -> bool:
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

    def roomy(self, ask: Ask, position: DevicePosition, *, unused: bool = False) -> bool:
        """Whether the device has the capacity that a request wants; with `unused`, if nobody else had any.

        Raises:
            AllocationError: the amounts cannot be calculated with, and the rules look at that.
        """
        if not self._features.consumable_capacity:
            return True
        fractional = self._features.fractional_capacity
        if self._rules.capacity_is_checked:
            problem = arithmetic_problem(position.device, ask.capacity, fractional=fractional)
            if problem:
                device = position.device.name if unused else position.id
                raise AllocationError(f"{ask.label}: checking capacity for device {device}: {problem}")
        committed = position.usage.consumed.get(position.device.name, _UNUSED)
        attempted = self._consumed.get(position.index, _UNUSED)
        used = () if unused else (committed, attempted)
        problem = shortage(position.device, ask.capacity, *used, fractional=fractional)
        if problem:
            self.note(ask, position, problem)
        return not problem

    def place(self, ask: Ask, position: DevicePosition, *, must: bool) -> bool:
        """Take a device; what a failure half-way leaves behind is what it leaves behind in the scheduler.

        Raises:
            AllocationError: the device must be taken and a constraint forbids it.
        """
        if not self.free(ask, position):
            return False
        if position.device.counters and not self._features.partitionable_devices:
            self.note(ask, position, "takes from shared counters, which are switched off")
            return False
        counted = self._needs_counters(position)
        if counted and not self._take_counters(ask, position):
            return False
        agreed = self._tolerated(ask, position) and self._constrain(ask, position, must)
        if not agreed or not self.roomy(ask, self._measured(ask, position)):
            self._refuse(ask, position, counted=counted, constrained=agreed)
            return False
        self._keep(ask, position, counted=counted)
        if self._trace is not None:
            self._trace.take(ask, position.place)
        return True

    def _measured(self, ask: Ask, position: DevicePosition) -> DevicePosition:
        """The device whose capacity decides on taking another one."""
        if not (self._rules.capacity_is_of_the_nth_device and self._features.consumable_capacity):
            return position
        number = sum(placed.ask.request == ask.request for placed in self._placed[ask.claim])
        devices = position.slice.devices
        if number >= len(devices):
            raise UnsupportedError(
                f"kube-scheduler of this version ends in a panic here: device {number + 1} of {ask.label} "
                f"comes from slice {position.slice.name}, which has {len(devices)}",
                hint="switch the feature gate DRAConsumableCapacity off, or ask about a later version",
            )
        index = position.index + number - devices.index(position.device)
        return replace(position, index=index, device=devices[number])

    def _needs_counters(self, position: DevicePosition) -> bool:
        """Whether the device is still to take from shared counters."""
        device, usage = position.device, position.usage
        if not device.counters:
            return False
        use = self._rules.shared_use
        if not device.multi or use is SharedUse.NEVER:
            return True
        if device.name in usage.consumed or position.index in self._consumed:
            return False
        return use is SharedUse.BY_CAPACITY or device.name not in usage.shared

    def _take_counters(self, ask: Ask, position: DevicePosition) -> bool:
        book = position.view.books.get(position.slice.name)
        if book is None:
            return True
        left = self._counters.of(book, position.usage, self._rules)
        problem = ""
        if self._features.compatibility_groups:
            held = self._counters.groups_of(book, position.usage)
            problem = self._groups.take(book, position.device, held)
        if not problem:
            problem = self._taken.take(book, position.device, left)
            if problem and self._features.compatibility_groups:
                self._groups.give_back()
        if problem:
            self.note(ask, position, problem)
        return not problem

    def _refuse(self, ask: Ask, position: DevicePosition, *, counted: bool, constrained: bool) -> None:
        """Give back what was taken of a device that is refused after all, unless the rules forget to."""
        if not self._rules.refusals_leave_no_trace:
            return
        if constrained:
            self._unconstrain(ask)
        if counted:
            self._give_back(position)

    def _keep(self, ask: Ask, position: DevicePosition, *, counted: bool) -> None:
        """Note that a device is taken."""
        consumed: Consumption | None = None
        before = self._consumed.get(position.index)
        if position.device.multi:
            fractional = self._features.fractional_capacity
            consumed = consumption(position.device, ask.capacity, fractional=fractional)
            totals = before or _UNUSED
            self._consumed[position.index] = {k: totals.get(k, 0) + v for k, v in consumed.items()}
        else:
            self._held.setdefault(position.index, set()).add(ask.claim)
        placement = DevicePlacement(ask, position.place, consumed, counted, first_share=before is None)
        self._placed[ask.claim].append(placement)

    def _tolerated(self, ask: Ask, position: DevicePosition) -> bool:
        if not self._features.device_taints:
            return True
        taint = untolerated(position.device.taints, ask.tolerations, self._rules)
        if taint is not None:
            self.note(ask, position, f"untolerated taint {taint}")
        return taint is None

    def _constrain(self, ask: Ask, position: DevicePosition, must: bool) -> bool:
        states = self._constraints[ask.claim]
        for i, state in enumerate(states):
            value = self._value(ask, position, state)
            if state.add(ask.request, ask.subrequest, value):
                continue
            if must:
                text = f"cannot add device {position.id} because a claim constraint would not be satisfied"
                raise AllocationError(f"{ask.label}: {text}")
            self.note(ask, position, state.refusal(ask.request, value))
            for earlier in states[:i]:
                earlier.remove(ask.request, ask.subrequest)
            return False
        return True

    def _value(self, ask: Ask, position: DevicePosition, state: Constraint) -> Value | None:
        """What a constraint compares of a device, None where there is nothing or the constraint does not apply."""
        if not state.applies(ask.request, ask.subrequest):
            return None
        found = self._selection.attribute(ask, position.device.facts, state.attribute)
        if not isinstance(found, CelProblem):
            return found
        derivation = f"derived attribute {state.attribute}"
        if found.kind == "compile":
            raise AllocationError(f"compile {derivation} failed: {found.text}")
        raise AllocationError(f"evaluate {derivation} on device {position.id} failed: {found.text}")

    def take_back(self, ask: Ask, position: DevicePosition) -> None:
        """Undo the last placement of a claim, as far as the scheduler does."""
        placement = self._placed[ask.claim].pop()
        self._unconstrain(ask)
        tidy = self._rules.refusals_leave_no_trace
        if placement.counted and (tidy or placement.consumed is None):
            self._give_back(position)
        if placement.consumed is None:
            self._held[position.index].discard(ask.claim)
        elif placement.consumed or tidy:
            self._return_share(position, placement, forget=placement.first_share or not tidy)

    def _unconstrain(self, ask: Ask) -> None:
        for state in self._constraints[ask.claim]:
            state.remove(ask.request, ask.subrequest)

    def _give_back(self, position: DevicePosition) -> None:
        book = position.view.books.get(position.slice.name)
        if book is not None:
            self._taken.give_back(book, position.device)
            if self._features.compatibility_groups:
                self._groups.give_back()

    def _return_share(self, position: DevicePosition, placement: DevicePlacement, *, forget: bool) -> None:
        """Take away what a share consumed, and the note that there are shares where nothing is consumed any more.

        Where others consume as little as nothing, that note is theirs too; `forget` takes it away nevertheless.
        """
        left = self._consumed.get(position.index)
        if left is None:
            return
        for name, amount in (placement.consumed or _UNUSED).items():
            left[name] -= amount
        if forget and not any(left.values()):
            del self._consumed[position.index]

    def note(self, ask: Ask, position: DevicePosition, reason: Reason) -> None:
        """Keep the reason of a refusal."""
        if self._trace is not None:
            self._trace.refuse(ask, position.place, reason)


def _constraints(claim: ClaimAsk, features: Features) -> list[Constraint]:
    return [c for c in constraints(claim.constraints, features) if c is not None]
