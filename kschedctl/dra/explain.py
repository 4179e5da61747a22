"""What the claims of a pod find on a node and what they do not, in sentences about requests and devices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from kschedctl.dra.devices import DeviceId
from kschedctl.dra.pod_claims import NodeFit, NodeMisfit, PodClaims
from kschedctl.dra.requests import Ask
from kschedctl.dra.trace import IN_USE, RefusedDevices, RequestTrace
from kschedctl.objects.node import Node
from kschedctl.objects.phrases import names_text, plural
from kschedctl.objects.resource import AllocationResult, ResourceClaim
from kschedctl.objects.selectors import NodeTerm

_SHOWN = 4
"""Devices or claims that a sentence names before it only counts them."""

Holders = Mapping[DeviceId, Sequence[str]]
"""Device -> names of the claims that have it."""


class ClaimSentence(Struct, frozen=True):
    """One sentence about a claim or a request."""

    subject: str
    """The same for nodes that are alike: devices are counted and not named."""
    text: str


class FoundDevices(Struct, frozen=True):
    """The devices of one request on a node."""

    request: str
    devices: str


def holders(claims: Iterable[ResourceClaim]) -> Holders:
    """Who has which devices."""
    found: dict[DeviceId, list[str]] = {}
    for claim in claims:
        for device in _devices(claim.status.allocation):
            found.setdefault(device, []).append(claim.full_name)
    return found


def explain(claims: PodClaims, node: Node, answer: NodeMisfit, held: Holders) -> tuple[ClaimSentence, ...]:
    """Why a node was refused: by the claims that are elsewhere, or by what each request met on it."""
    if answer.unavailable:
        return tuple(_unavailable(claims, node, answer.unavailable))
    sentences = tuple(
        ClaimSentence(request_text(trace, _counted, _in_use), request_text(trace, _names, _holding(held)))
        for trace in (answer.cycle.explain(node) if answer.cycle is not None else ())
    )
    return sentences or (_nothing_met(claims, answer),)


def found_on(claims: PodClaims, node: Node, fit: NodeFit) -> Iterator[FoundDevices]:
    """The devices that a node has for the claims, and those that claims have already."""
    for _, allocated in claims.allocated:
        yield from _found(_had(allocated.claim))
    if fit.cycle is not None and fit.solution is not None:
        names = [claim.full_name for claim in fit.cycle.claims]
        yield from _found(
            (names[placement.ask.claim], placement.ask.result_name, device)
            for placement, device in fit.cycle.devices(fit.solution, node)
        )


def request_text(
    trace: RequestTrace,
    named: Callable[[Sequence[DeviceId]], str],
    in_use: Callable[[Sequence[DeviceId]], str],
) -> str:
    """What one request met: what it wants, what it could have, and why it could not have the rest.

    Args:
        trace: of the search on a node.
        named: tells devices.
        in_use: tells who uses them.
    """
    ask = trace.ask
    parts = [f"claim {ask.claim_name}, request {ask.result_name}: wants {_wanted(ask)}"]
    if trace.taken:
        parts.append(f"could take {named(tuple(trace.taken))}")
    parts += [_refusal(refusal, named, in_use) for refusal in trace.refusals]
    if len(trace.taken) >= ask.count and trace.conflicts:
        parts += [f"but not with each other: {_refusal(r, named, in_use)}" for r in trace.conflicts[:1]]
    if len(parts) == 1:
        parts.append("no device was there to be tried")
    return "; ".join(parts)


def _refusal(
    refusal: RefusedDevices,
    named: Callable[[Sequence[DeviceId]], str],
    in_use: Callable[[Sequence[DeviceId]], str],
) -> str:
    reason = in_use(refusal.devices) if refusal.reason == IN_USE else refusal.reason
    return f"{named(refusal.devices)}: {reason}"


def _wanted(ask: Ask) -> str:
    number = "all devices" if ask.all_devices else _count(ask.count)
    return f"{number} of class {ask.class_name}"


def _count(number: int) -> str:
    return plural(number, "device")


def _counted(devices: Sequence[DeviceId]) -> str:
    return _count(len(devices))


def _names(devices: Sequence[DeviceId]) -> str:
    return names_text([f"{device.pool}/{device.device}" for device in devices], _SHOWN)


def _in_use(devices: Sequence[DeviceId]) -> str:
    return "in use by another claim" if len(devices) == 1 else "in use by other claims"


def _holding(held: Holders) -> Callable[[Sequence[DeviceId]], str]:
    def told(devices: Sequence[DeviceId]) -> str:
        names = list(dict.fromkeys(name for device in devices for name in held.get(device, ())))
        return (
            f"in use by claim{'s' if len(names) > 1 else ''} {names_text(names, _SHOWN)}"
            if names
            else _in_use(devices)
        )

    return told


def _devices(allocation: AllocationResult | None) -> list[DeviceId]:
    """The devices of an allocation that nobody else can have for themselves."""
    results = allocation.devices.results if allocation is not None else ()
    return [DeviceId(r.driver, r.pool, r.device) for r in results if not r.admin_access]


def _had(claim: ResourceClaim) -> Iterator[tuple[str, str, DeviceId]]:
    """Claim, request and device of every result of an allocated claim."""
    allocation = claim.status.allocation
    for result in allocation.devices.results if allocation is not None else ():
        yield claim.full_name, result.request, DeviceId(result.driver, result.pool, result.device)


def _found(devices: Iterable[tuple[str, str, DeviceId]]) -> Iterator[FoundDevices]:
    by_request: dict[tuple[str, str], list[DeviceId]] = {}
    for claim, request, device in devices:
        by_request.setdefault((claim, request), []).append(device)
    for (claim, request), found in by_request.items():
        yield FoundDevices(f"claim {claim}, request {request}", _names(found))


def _unavailable(claims: PodClaims, node: Node, unavailable: Sequence[int]) -> Iterator[ClaimSentence]:
    for position, allocated in claims.allocated:
        allocation = allocated.claim.status.allocation
        if position not in unavailable or allocation is None:
            continue
        where = "they are not ready"
        if allocated.terms is not None and not allocated.reachable(node):
            where = f"usable from nodes with {_terms(allocated.terms)}"
        users = ", ".join(consumer.name for consumer in allocated.claim.status.reserved_for) or "no pod"
        devices = [DeviceId(r.driver, r.pool, r.device) for r in allocation.devices.results]
        text = f"claim {allocated.claim.full_name} has {_names(devices)}; {where}; reserved for {users}"
        yield ClaimSentence(text, text)


def _terms(terms: Sequence[NodeTerm]) -> str:
    """Node selector terms, for people."""
    texts = (
        " and ".join(
            f"{r.key} {r.operator} [{', '.join(r.values)}]" for r in (*term.fields, *term.expressions)
        )
        for term in terms
    )
    return " or ".join(texts) or "no label at all"


def _nothing_met(claims: PodClaims, answer: NodeMisfit) -> ClaimSentence:
    text = answer.problem.text
    if answer.problem.code != "error" and (claims.pending or claims.special is not None):
        text = f"{text}: no device is within reach of the node"
    return ClaimSentence(text, text)
