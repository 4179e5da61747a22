"""What claims ask for, checked and parsed once per pod (spec 05 §4.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count

from msgspec import Struct

from kschedctl.dra.constraints import constraint
from kschedctl.dra.features import Features
from kschedctl.dra.rules import CapacityRefusal
from kschedctl.errors import InputError
from kschedctl.objects.constraints import Toleration
from kschedctl.objects.meta import RawQuantity
from kschedctl.objects.quantity import QuantityError, parse
from kschedctl.objects.resource import (
    DeviceClass,
    DeviceConstraint,
    DeviceRequest,
    DeviceSelector,
    DeviceSubRequest,
    ExactDeviceRequest,
    ResourceClaim,
)

MAX_DEVICES = 32
"""Devices that one claim can get."""
EXACT, ALL = "ExactCount", "All"

ClassLookup = Callable[[str], DeviceClass | None]


class AskedSelector(Struct, frozen=True):
    """One selector of a class or of a request."""

    owner: str
    """`class NAME` or `claim NS/NAME`."""
    index: int
    expression: str

    @property
    def source(self) -> str:
        """The beginning of error texts."""
        return f"{self.owner}: selector #{self.index}"

    @property
    def name(self) -> str:
        """The selector, for people."""
        return f"selector #{self.index} of {self.owner}"


class Ask(Struct, frozen=True, eq=False):
    """An exact request, or one alternative of a request."""

    number: int
    """Position among all requests and alternatives of the pod."""
    claim: int
    claim_name: str
    request: str
    """Name of the request."""
    subrequest: str
    """Name of the alternative, empty for an exact request."""
    index: int
    """Position among the alternatives, 0 for an exact request."""
    class_name: str
    all_devices: bool
    count: int
    """Devices wanted; meaningless with `all_devices`."""
    admin: bool
    tolerations: tuple[Toleration, ...]
    capacity: Mapping[str, int]
    """Capacity -> nano units asked for."""
    selectors: tuple[AskedSelector, ...]
    derived: Mapping[str, str]
    """Attribute -> the expression with which the request computes it for constraints."""
    problem: str
    """Why the request cannot be handled, empty where it can."""

    @property
    def result_name(self) -> str:
        """The name that results carry: `request` or `request/subrequest`."""
        return f"{self.request}/{self.subrequest}" if self.subrequest else self.request

    @property
    def label(self) -> str:
        """The beginning of error texts about the request; alternatives go by their bare name."""
        return f"claim {self.claim_name}, request {self.subrequest or self.request}"


class RequestAsk(Struct, frozen=True, eq=False):
    """A request with its alternatives; an exact one has just itself."""

    asks: tuple[Ask, ...]
    problem: str
    """Why the request as a whole cannot be handled, empty where it can."""


class ClaimAsk(Struct, frozen=True, eq=False):
    """A claim to be allocated."""

    claim: ResourceClaim
    requests: tuple[RequestAsk, ...]
    constraints: tuple[DeviceConstraint, ...]
    problem: str
    """Why a constraint cannot be handled, empty where all can."""


def compile_claims(
    claims: Sequence[ResourceClaim], find_class: ClassLookup, features: Features
) -> tuple[ClaimAsk, ...]:
    """What the claims of a pod ask for that have no devices yet.

    Raises:
        InputError: an amount is no quantity.
    """
    numbers = count()
    return tuple(
        _compile(claim, _Compiler(claim.full_name, i, find_class, features, numbers))
        for i, claim in enumerate(claims)
    )


def _compile(claim: ResourceClaim, compiler: _Compiler) -> ClaimAsk:
    specs = claim.spec.devices.constraints
    unknown = next((i for i, spec in enumerate(specs) if constraint(spec, compiler.features) is None), None)
    problem = ""
    if unknown is not None:
        problem = (
            f"claim {claim.full_name}, constraint #{unknown}: empty constraint (unsupported constraint type?)"
        )
    requests = tuple(compiler.request(request) for request in claim.spec.devices.requests)
    return ClaimAsk(claim, requests, specs, problem)


class _Compiler(Struct, frozen=True):
    claim_name: str
    index: int
    find_class: ClassLookup
    features: Features
    numbers: Iterator[int]

    def request(self, request: DeviceRequest) -> RequestAsk:
        if request.first_available:
            asks = tuple(self._ask(request.name, sub, i) for i, sub in enumerate(request.first_available))
        else:
            asks = (self._ask(request.name, request.exactly or ExactDeviceRequest(), 0),)
        return RequestAsk(asks, self._request_problem(request))

    def _request_problem(self, request: DeviceRequest) -> str:
        off = "but the {} feature is disabled"
        label = f"claim {self.claim_name}, request {request.name}"
        if request.first_available and not self.features.prioritized_list:
            return f"{label}: has subrequests, {off.format('DRAPrioritizedList')}"
        refusal = self.features.allocator.capacity_refusal
        if self.features.consumable_capacity or refusal is CapacityRefusal.IGNORED:
            return ""
        text = f"has capacity requests, {off.format('DRAConsumableCapacity')}"
        if request.exactly is not None and request.exactly.capacity is not None:
            return f"{label}: {text}"
        named = next((sub.name for sub in request.first_available if sub.capacity is not None), None)
        if named is None or refusal is CapacityRefusal.BY_REQUEST:
            return f"{label}: {text}" if named is not None else ""
        return f"claim {self.claim_name}, subrequest {named}: {text}"

    def _ask(self, request: str, spec: ExactDeviceRequest | DeviceSubRequest, index: int) -> Ask:
        subrequest = spec.name if isinstance(spec, DeviceSubRequest) else ""
        admin = spec.admin_access if isinstance(spec, ExactDeviceRequest) else None
        device_class = self.find_class(spec.device_class_name)
        capacity = spec.capacity.requests if spec.capacity is not None else {}
        label = f"claim {self.claim_name}, request {subrequest or request}"
        problem = self._problem(spec, admin, device_class)
        return Ask(
            number=next(self.numbers),
            claim=self.index,
            claim_name=self.claim_name,
            request=request,
            subrequest=subrequest,
            index=index,
            class_name=spec.device_class_name,
            all_devices=spec.allocation_mode == ALL,
            count=spec.count or 1,
            admin=admin is True,
            tolerations=spec.tolerations,
            capacity=self._amounts(capacity),
            selectors=self._selectors(spec.selectors, device_class),
            derived={d.name: d.expression for d in spec.derived_attributes}
            if self.features.derived_attributes
            else {},
            problem=f"{label}{problem}" if problem else "",
        )

    def _amounts(self, requests: Mapping[str, RawQuantity]) -> Mapping[str, int]:
        try:
            return {name: parse(amount).nano for name, amount in requests.items()}
        except QuantityError as error:
            raise InputError(f"ResourceClaim {self.claim_name}: {error}") from error

    def _problem(
        self,
        spec: ExactDeviceRequest | DeviceSubRequest,
        admin: bool | None,
        device_class: DeviceClass | None,
    ) -> str:
        derives = self.features.rules.alpha_fields_exist and bool(spec.derived_attributes)
        if derives and not self.features.derived_attributes:
            return ": cannot handle request with derived attributes, the feature is disabled"
        empty = next((i for i, s in enumerate(spec.selectors) if s.cel is None), None)
        if empty is not None:
            return f", selector #{empty}: CEL expression empty (unsupported selector type?)"
        if admin is not None and not self.features.admin_access:
            return ": admin access is requested, but the feature is disabled"
        if not spec.device_class_name:
            return ": missing device class name (unsupported request type?)"
        if device_class is None:
            missing = f'deviceclass.resource.k8s.io "{spec.device_class_name}" not found'
            return f": could not retrieve device class {spec.device_class_name}: {missing}"
        if spec.allocation_mode not in ("", EXACT, ALL):
            return f": unsupported count mode {spec.allocation_mode}"
        return ""

    def _selectors(
        self, own: tuple[DeviceSelector, ...], device_class: DeviceClass | None
    ) -> tuple[AskedSelector, ...]:
        sources = [(f"claim {self.claim_name}", own)]
        if device_class is not None:
            sources.insert(0, (f"class {device_class.name}", device_class.spec.selectors))
        return tuple(
            AskedSelector(owner, i, selector.cel.expression if selector.cel else "")
            for owner, selectors in sources
            for i, selector in enumerate(selectors)
        )
