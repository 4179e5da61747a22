"""The depth-first search for devices on one node (spec 05 §4.2 to §4.4).

The order in which devices are tried decides which ones are taken, and which errors are met.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import partial

from msgspec import Struct, field

from kschedctl.dra.attempt import Attempt, DevicePlacement, DevicePosition, positions
from kschedctl.dra.cel import attribute_text
from kschedctl.dra.cel_text import with_advice
from kschedctl.dra.counters import AvailableCounters
from kschedctl.dra.devices import DeviceEntry
from kschedctl.dra.errors import AllocationError
from kschedctl.dra.features import Features
from kschedctl.dra.node_match import NodeSelectionError
from kschedctl.dra.node_operations import declares_optional_operations
from kschedctl.dra.pools import PoolView
from kschedctl.dra.problem import CelProblem
from kschedctl.dra.requests import MAX_DEVICES, Ask, AskedSelector, ClaimAsk
from kschedctl.dra.selection import Selection
from kschedctl.dra.symmetry import likeness, order_is_indifferent
from kschedctl.dra.trace import SearchTrace
from kschedctl.dra.usage import PoolUsage
from kschedctl.errors import UnsupportedError
from kschedctl.objects.node import Node

MAX_STEPS = 2_000_000
"""Placements after which the search is given up; the scheduler gives up after ten seconds."""


class Cycle(Struct):
    """What the searches of all nodes share while one pod is looked at."""

    features: Features
    claims: Sequence[ClaimAsk]
    selection: Selection
    counters: AvailableCounters = field(default_factory=AvailableCounters)


class DeviceSearch:
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
        self._rules = cycle.features.allocator
        self._node = node
        self._pools = pools
        self._trace = trace
        self._positions = list(positions(pools, usages))
        self._lists: dict[Ask, list[DevicePosition]] = {}
        self._attempt = Attempt(cycle.claims, cycle.features, cycle.counters, cycle.selection, trace)
        by_number = self._rules.capacity_is_of_the_nth_device and self._features.consumable_capacity
        self._skips_equals = not by_number and order_is_indifferent(
            cycle.claims, self._positions, self._rules
        )
        self._steps = 0

    def run(self) -> tuple[tuple[DevicePlacement, ...], ...] | None:
        """The devices of each claim, None where there is no solution.

        Raises:
            AllocationError: the pod cannot be scheduled at all.
            UnsupportedError: the search does not end in reasonable time.
        """
        for claim in self._cycle.claims:
            self._prepare(claim)
        try:
            return self._attempt.placements if self._request(0, 0) else None
        except RecursionError as error:
            raise UnsupportedError(
                f"the claims on node {self._node.name} ask for too many devices"
            ) from error

    def _prepare(self, claim: ClaimAsk) -> None:
        """Check the requests of a claim and fix the lists of those that want all devices (spec 05 §4.2)."""
        total = 0
        for request in claim.requests:
            if request.problem:
                raise AllocationError(request.problem)
            wanted = min(self._number(ask) for ask in request.asks)
            if self._rules.limit_names_the_request and total + wanted > MAX_DEVICES:
                text = f"adding {wanted} devices exceeds the claim limit of {MAX_DEVICES}"
                name = f"claim {claim.claim.full_name}, request {request.asks[0].request}"
                raise AllocationError(f"{name}: {text}, with {total} already accounted for")
            total += wanted
        if total > MAX_DEVICES:
            text = f"number of requested devices {total} exceeds the claim limit of {MAX_DEVICES}"
            raise AllocationError(f"claim {claim.claim.full_name}: {text}")
        if claim.problem:
            raise AllocationError(claim.problem)

    def _number(self, ask: Ask) -> int:
        """How many devices a request wants."""
        if ask.problem:
            raise AllocationError(ask.problem)
        if not ask.all_devices:
            return ask.count
        known = self._lists.get(ask)
        if known is None:
            known = self._lists[ask] = list(self._all_devices(ask))
        return len(known)

    def _all_devices(self, ask: Ask) -> Iterator[DevicePosition]:
        at = 0
        chooser = self._chooser(ask)
        for view in self._pools:
            problem = (view.incomplete and "currently being updated") or (
                view.invalid and "currently invalid"
            )
            if problem:
                text = f"asks for all devices, but resource pool {view.id} is {problem}"
                raise AllocationError(f"{ask.label}: {text}")
            for position in self._positions[at : at + len(view.devices)]:
                if self._selectable(chooser, position) and self._attempt.roomy(
                    ask, position, unused=self._rules.all_counts_used_up_devices
                ):
                    yield position
            at += len(view.devices)

    def _chooser(self, ask: Ask) -> Ask:
        """Whose selectors choose the devices: those of the first alternative where it is taken for the second."""
        if not self._rules.alternatives_are_mixed_up or ask.index != 1:
            return ask
        request = next(r for r in self._cycle.claims[ask.claim].requests if ask in r.asks)
        return request.asks[0] if request.asks[0].all_devices else ask

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
        if self._attempt.count(ask.claim) + number - placed > MAX_DEVICES:
            return False
        if ask.all_devices:
            return self._next_of_all(request, ask, placed)
        return self._next_of_some(request, ask, placed, start)

    def _next_of_all(self, request: int, ask: Ask, placed: int) -> bool:
        position = self._lists[ask][placed]
        if not self._place(ask, position, must=True):
            return False
        follower = ask
        if self._rules.alternatives_are_mixed_up and ask.index:
            follower = self._cycle.claims[ask.claim].requests[request].asks[0]
        if self._devices(request, follower, placed + 1, 0):
            return True
        self._attempt.take_back(ask, position)
        return False

    def _next_of_some(self, request: int, ask: Ask, placed: int, start: int) -> bool:
        failed: set[Hashable] = set()
        for position in self._positions[start:]:
            if not self._usable(ask, position) or not self._attempt.free(ask, position):
                continue
            like = self._likeness(position)
            if like in failed:
                self._attempt.note(
                    ask, position, "equal to a device before, with which no solution was found"
                )
                continue
            if not self._selectable(ask, position):
                continue
            if not self._attempt.roomy(ask, position):
                continue
            if not self._place(ask, position, must=False):
                continue
            following = position.index + 1 if self._rules.search_goes_on else 0
            if self._devices(request, ask, placed + 1, following):
                return True
            self._attempt.take_back(ask, position)
            if like is not None:
                failed.add(like)
        return False

    def _likeness(self, position: DevicePosition) -> Hashable | None:
        if not self._skips_equals:
            return None
        return likeness(self._cycle.selection, position, self._attempt.holders(position))

    def _usable(self, ask: Ask, position: DevicePosition) -> bool:
        view = position.view
        if view.invalid and self._rules.invalid_pools_are_fatal:
            raise AllocationError(f"pool {view.id.name} is invalid: {view.invalid}")
        if view.invalid or (view.incomplete and not self._rules.uses_incomplete_pools):
            self._attempt.note(ask, position, _pool_problem)
            return False
        return True

    def _selectable(self, ask: Ask, position: DevicePosition) -> bool:
        device = position.device
        if device.spec.binding_conditions and not self._features.binding_conditions:
            self._attempt.note(ask, position, "has binding conditions, which are switched off")
            return False
        verdict = self._cycle.selection.verdict(ask, device.facts)
        if verdict.selector >= 0:
            selector = ask.selectors[verdict.selector]
            if verdict.problem is not None:
                raise AllocationError(self._selector_error(selector, verdict.problem, position))
            if self._trace is not None:
                self._attempt.note(ask, position, partial(_not_selected, selector))
            return False
        return not position.slice.per_device or self._serves(ask, position)

    def _selector_error(self, selector: AskedSelector, problem: CelProblem, position: DevicePosition) -> str:
        source, text = selector.source, problem.text
        if self._rules.selector_errors_name_the_device and problem.kind == "runtime":
            source, text = f"{source} on device {position.id}", with_advice(text)
        return f"{source}: CEL {problem.kind} error: {text}"

    def _serves(self, ask: Ask, position: DevicePosition) -> bool:
        try:
            serves = position.device.matcher.matches(self._node)
        except NodeSelectionError as error:
            raise AllocationError(str(error)) from error
        if not serves:
            self._attempt.note(ask, position, "is for other nodes")
        return serves

    def _place(self, ask: Ask, position: DevicePosition, *, must: bool) -> bool:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise UnsupportedError(
                f"the search for devices on node {self._node.name} does not end",
                hint="kube-scheduler gives up after the filterTimeout of DynamicResources",
            )
        if position.slice.skips_node_operations and self._acts_on_node():
            self._attempt.note(ask, position, "is for nodes that declare DRAOptionalNodeOperations")
            return False
        return self._attempt.place(ask, position, must=must)

    def _acts_on_node(self) -> bool:
        """Whether drivers cannot leave out what they do on the node."""
        if not self._rules.looks_at_node_operations:
            return False
        return not (self._features.optional_node_operations and declares_optional_operations(self._node))


def _pool_problem(view: PoolView, device: DeviceEntry) -> str:
    return f"pool {view.id}: {view.incomplete or view.invalid}"


def _not_selected(selector: AskedSelector, view: PoolView, device: DeviceEntry) -> str:
    values = attribute_text(device.facts, selector.expression)
    return f"{selector.name} is false for {values} ({selector.expression})"
