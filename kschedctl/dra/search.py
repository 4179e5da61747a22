"""The depth-first search for devices on one node (spec 05 §4.3 to §4.9).

The order in which devices are tried decides which ones are taken, and what is not given back when the search
goes back decides what is found later: both are those of the scheduler, quirks included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kschedctl.errors import UnsupportedError
from kschedctl.objects.node import Node

from .capacity import Consumption, shortage
from .cel import attribute_text
from .constraints import Constraint, DistinctAttribute, constraints
from .counters import AvailableCounters, TakenCounters
from .devices import DeviceEntry, DeviceId, SliceEntry
from .errors import AllocationError
from .features import Features
from .node_match import NodeSelectionError
from .pools import PoolView
from .requests import MAX_DEVICES, Ask, ClaimAsk
from .selection import Selection
from .taints import untolerated
from .trace import SearchTrace
from .usage import PoolUsage

MAX_STEPS = 2_000_000
"""Placements after which the search is given up; the scheduler gives up after ten seconds."""

_UNUSED: Consumption = {}


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """One device that can be tried on the node."""

    index: int
    pool: int
    place: int
    """Position in the devices of the pool."""
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
    pool: int
    place: int
    consumed: Consumption | None
    """What is consumed of a shared device, None for one held exclusively."""


@dataclass(slots=True)
class Cycle:
    """What the searches of all nodes share while one pod is looked at."""

    features: Features
    claims: Sequence[ClaimAsk]
    selection: Selection
    counters: AvailableCounters = field(default_factory=AvailableCounters)


class Search:
    """One attempt to find devices for all claims on one node."""

    def __init__(
        self,
        cycle: Cycle,
        node: Node,
        pools: Sequence[PoolView],
        usages: Sequence[PoolUsage],
        trace: SearchTrace | None = None,
    ) -> None:
        self._cycle = cycle
        self._features = cycle.features
        self._node = node
        self._pools = pools
        self._trace = trace
        self._positions = list(_positions(pools, usages))
        self._lists: dict[Ask, list[Position]] = {}
        self._constraints: list[list[Constraint]] = []
        self._twins_matter = False
        self._placed: list[list[Placement]] = [[] for _ in cycle.claims]
        self._held: dict[int, set[int]] = {}
        self._consumed: dict[int, Consumption] = {}
        self._taken = TakenCounters()
        self._steps = 0

    def run(self) -> tuple[tuple[Placement, ...], ...] | None:
        """The devices of each claim, None where there is no solution.

        Raises:
            AllocationError: the pod cannot be scheduled at all.
            UnsupportedError: the search does not end in reasonable time.
        """
        for claim in self._cycle.claims:
            self._prepare(claim)
        if not self._request(0, 0):
            return None
        return tuple(tuple(placed) for placed in self._placed)

    def _prepare(self, claim: ClaimAsk) -> None:
        """Check the requests of a claim and fix the lists of those that want all devices (spec 05 §4.2)."""
        total = 0
        for request in claim.requests:
            if request.problem:
                raise AllocationError(request.problem)
            total += min(self._number(ask) for ask in request.asks)
        if total > MAX_DEVICES:
            text = f"number of requested devices {total} exceeds the claim limit of {MAX_DEVICES}"
            raise AllocationError(f"claim {claim.claim.full_name}: {text}")
        if claim.problem:
            raise AllocationError(claim.problem)
        states = [c for c in constraints(claim.constraints, self._features) if c is not None]
        self._twins_matter |= any(isinstance(c, DistinctAttribute) for c in states)
        self._constraints.append(states)

    def _number(self, ask: Ask) -> int:
        """How many devices a request wants."""
        if ask.problem:
            raise AllocationError(ask.problem)
        if not ask.all_devices:
            return ask.count
        known = self._lists.get(ask)
        if known is None:
            known = self._listed_like_first(ask)
            if known is None:
                known = list(self._all_devices(ask))
            self._lists[ask] = known
        return len(known)

    def _listed_like_first(self, ask: Ask) -> list[Position] | None:
        """In 1.34, the second alternative takes over what the first one found out about the devices."""
        if not self._features.legacy or ask.index != 1:
            return None
        request = next(r for r in self._cycle.claims[ask.claim].requests if ask in r.asks)
        return self._lists.get(request.asks[0])

    def _all_devices(self, ask: Ask) -> Iterator[Position]:
        at = 0
        for view in self._pools:
            problem = (view.incomplete and "currently being updated") or (
                view.invalid and "currently invalid"
            )
            if problem:
                text = f"asks for all devices, but resource pool {view.id} is {problem}"
                raise AllocationError(f"{ask.label}: {text}")
            for position in self._positions[at : at + len(view.devices)]:
                if self._selectable(ask, position) and self._roomy(ask, position, _UNUSED):
                    yield position
            at += len(view.devices)

    def _request(self, claim: int, request: int) -> bool:
        """Place everything from this request on."""
        if claim >= len(self._cycle.claims):
            return True
        requests = self._cycle.claims[claim].requests
        if request >= len(requests):
            return self._request(claim + 1, 0)
        return any(self._devices(request, ask, 0, 0) for ask in requests[request].asks)

    def _devices(self, request: int, ask: Ask, placed: int, start: int) -> bool:
        """Place the devices of a request from number `placed` on, and then everything after it."""
        number = len(self._lists[ask]) if ask.all_devices else ask.count
        if ask.all_devices and not number:
            return False
        if placed >= number:
            return self._request(ask.claim, request + 1)
        if len(self._placed[ask.claim]) + number - placed > MAX_DEVICES:
            return False
        if ask.all_devices:
            return self._next_of_all(request, ask, placed)
        return self._next_of_some(request, ask, placed, start)

    def _next_of_all(self, request: int, ask: Ask, placed: int) -> bool:
        position = self._lists[ask][placed]
        if not self._place(ask, position, must=True):
            return False
        follower = ask
        if self._features.legacy and ask.index:
            follower = self._cycle.claims[ask.claim].requests[request].asks[0]
        if self._devices(request, follower, placed + 1, 0):
            return True
        self._take_back(ask, position)
        return False

    def _next_of_some(self, request: int, ask: Ask, placed: int, start: int) -> bool:
        failed: set[int] = set()
        for position in self._positions[start:]:
            if not self._usable(ask, position) or not self._free(ask, position):
                continue
            aspect = self._cycle.selection.aspect(position.device)
            if aspect in failed:
                self._note(ask, position, "equal to a device before, with which no solution was found")
                continue
            if not self._selectable(ask, position):
                continue
            if not self._roomy(ask, position, self._consumed.get(position.index, _UNUSED)):
                continue
            if not self._place(ask, position, must=False):
                continue
            following = 0 if self._features.legacy else position.index + 1
            if self._devices(request, ask, placed + 1, following):
                return True
            self._take_back(ask, position)
            if self._interchangeable(position):
                failed.add(aspect)
        return False

    def _interchangeable(self, position: Position) -> bool:
        """Whether an equal device cannot succeed where this one failed: nothing is left of the attempt."""
        device = position.device
        unshared = not device.multi and device.name not in position.usage.consumed
        return unshared and not device.counters and not self._twins_matter

    def _usable(self, ask: Ask, position: Position) -> bool:
        view = position.view
        if view.usable:
            return True
        if self._features.legacy:
            if view.invalid:
                raise AllocationError(f"pool {view.id} is invalid: {view.invalid}")
            return True
        self._note(ask, position, f"pool {view.id}: {view.incomplete or view.invalid}")
        return False

    def _free(self, ask: Ask, position: Position) -> bool:
        holders = self._held.get(position.index, ())
        if ask.admin:
            return ask.claim not in holders
        if position.device.name in position.usage.exclusive:
            self._note(ask, position, "in use by another claim")
            return False
        if holders:
            self._note(ask, position, "taken by an earlier request of the pod")
        return not holders

    def _selectable(self, ask: Ask, position: Position) -> bool:
        device = position.device
        if device.spec.binding_conditions and not self._features.binding_conditions:
            self._note(ask, position, "has binding conditions, which are switched off")
            return False
        verdict = self._cycle.selection.verdict(ask, device.facts)
        if verdict.selector >= 0:
            selector = ask.selectors[verdict.selector]
            if verdict.problem is not None:
                text = f"{selector.source}: CEL {verdict.problem.kind} error: {verdict.problem.text}"
                raise AllocationError(text)
            if self._trace is not None:
                values = attribute_text(device.facts, selector.expression)
                self._note(ask, position, f"{selector.name} is false for {values} ({selector.expression})")
            return False
        return not position.slice.per_device or self._serves(ask, position)

    def _serves(self, ask: Ask, position: Position) -> bool:
        try:
            serves = position.device.matcher.matches(self._node)
        except NodeSelectionError as error:
            raise AllocationError(str(error)) from error
        if not serves:
            self._note(ask, position, "is for other nodes")
        return serves

    def _roomy(self, ask: Ask, position: Position, attempted: Consumption) -> bool:
        """Whether the device has the capacity that a request wants."""
        if not self._features.consumable_capacity:
            return True
        committed = position.usage.consumed.get(position.device.name, _UNUSED)
        _, problem = shortage(position.device, ask.capacity, committed, attempted)
        if problem:
            self._note(ask, position, problem)
        return not problem

    def _place(self, ask: Ask, position: Position, *, must: bool) -> bool:
        """Take a device; what a failure half-way leaves behind is what it leaves behind in the scheduler."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise UnsupportedError(
                f"the search for devices on node {self._node.name} does not end",
                hint="kube-scheduler gives up after the filterTimeout of DynamicResources",
            )
        device = position.device
        if not self._free(ask, position) or not self._take_counters(ask, position):
            return False
        taint = (
            untolerated(device.taints, ask.tolerations, self._features)
            if self._features.device_taints
            else None
        )
        if taint is not None:
            self._note(ask, position, f"untolerated taint {taint}")
            return False
        if not self._constrain(ask, position, must):
            return False
        consumed: Consumption | None = None
        if device.multi:
            committed = position.usage.consumed.get(device.name, _UNUSED)
            attempted = self._consumed.get(position.index, _UNUSED)
            consumed, problem = shortage(device, ask.capacity, committed, attempted)
            if problem:
                self._note(ask, position, problem)
                return False
            self._consumed[position.index] = {k: attempted.get(k, 0) + v for k, v in consumed.items()}
        else:
            self._held.setdefault(position.index, set()).add(ask.claim)
        self._placed[ask.claim].append(Placement(ask, position.pool, position.place, consumed))
        if self._trace is not None:
            self._trace.take(ask, position.id)
        return True

    def _take_counters(self, ask: Ask, position: Position) -> bool:
        device = position.device
        if not device.counters:
            return True
        if not self._features.partitionable_devices:
            self._note(ask, position, "takes from shared counters, which are switched off")
            return False
        shared = device.name in position.usage.consumed or position.index in self._consumed
        if device.multi and shared:
            return True
        left = self._cycle.counters.of(position.view, position.usage)
        problem = self._taken.take(position.view.id.name, device, left)
        if problem:
            self._note(ask, position, problem)
        return not problem

    def _constrain(self, ask: Ask, position: Position, must: bool) -> bool:
        states = self._constraints[ask.claim]
        for i, state in enumerate(states):
            if state.add(ask.request, ask.subrequest, position.device):
                continue
            if must:
                text = f"cannot add device {position.id} because a claim constraint would not be satisfied"
                raise AllocationError(f"{ask.label}: {text}")
            self._note(ask, position, state.refusal(ask.request, position.device))
            for earlier in states[:i]:
                earlier.remove(ask.request, ask.subrequest)
            return False
        return True

    def _take_back(self, ask: Ask, position: Position) -> None:
        placement = self._placed[ask.claim].pop()
        for state in self._constraints[ask.claim]:
            state.remove(ask.request, ask.subrequest)
        if placement.consumed is None:
            self._held[position.index].discard(ask.claim)
            if position.device.counters:
                self._taken.give_back(position.view.id.name, position.device)
        elif placement.consumed:
            left = self._consumed[position.index]
            for name, amount in placement.consumed.items():
                left[name] -= amount
            if not any(left.values()):
                del self._consumed[position.index]

    def _note(self, ask: Ask, position: Position, reason: str) -> None:
        if self._trace is not None:
            self._trace.refuse(ask, position.id, reason)


def _positions(pools: Sequence[PoolView], usages: Sequence[PoolUsage]) -> Iterator[Position]:
    index = 0
    for number, (view, usage) in enumerate(zip(pools, usages, strict=True)):
        for place, (entry, device) in enumerate(view.devices):
            yield Position(index, number, place, view, usage, entry, device)
            index += 1
