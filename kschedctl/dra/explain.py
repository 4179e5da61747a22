"""Why a node cannot serve the claims of a pod, in sentences about requests and devices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kschedctl.objects.node import Node
from kschedctl.objects.selectors import NodeTerm

from .devices import DeviceId
from .pod_claims import NodeMisfit, PodClaims
from .requests import Ask
from .trace import RequestTrace

_SHOWN = 4
"""Devices that a sentence names before it only counts them."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """One sentence, and the claim or request that it is about."""

    subject: str
    text: str


def explain(claims: PodClaims, node: Node, answer: NodeMisfit) -> tuple[Explanation, ...]:
    """Why a node was refused: by the claims that are elsewhere, or by what each request met on it."""
    if answer.unavailable:
        return tuple(_elsewhere(claims, answer.unavailable))
    sentences = [
        Explanation(f"claim {trace.ask.claim_name}, request {trace.ask.result_name}", request_text(trace))
        for cycle in claims.cycles.values()
        for trace in cycle.explain(node).requests.values()
    ]
    return tuple(sentences) or (Explanation("claims", _nothing_met(claims, answer)),)


def request_text(trace: RequestTrace) -> str:
    """What one request met: what it wants, what it could have, and why it could not have the rest."""
    parts = [f"wants {_wanted(trace.ask)}"]
    if trace.taken:
        parts.append(f"could take {_names(tuple(trace.taken))}")
    parts += [f"{_names(refusal.devices)}: {refusal.reason}" for refusal in trace.refusals]
    if len(parts) == 1:
        parts.append("no device was there to be tried")
    return "; ".join(parts)


def _wanted(ask: Ask) -> str:
    number = "all devices" if ask.all_devices else f"{ask.count} device{'s' if ask.count > 1 else ''}"
    return f"{number} of class {ask.class_name}"


def _names(devices: Sequence[DeviceId]) -> str:
    shown = ", ".join(f"{device.pool}/{device.device}" for device in devices[:_SHOWN])
    more = len(devices) - _SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _elsewhere(claims: PodClaims, unavailable: Sequence[int]) -> Iterator[Explanation]:
    for position, allocated in claims.allocated:
        allocation = allocated.claim.status.allocation
        if position not in unavailable or allocation is None:
            continue
        devices = [DeviceId(r.driver, r.pool, r.device) for r in allocation.devices.results]
        where = "they are not ready"
        if allocated.terms is not None:
            where = f"usable from nodes with {_terms(allocated.terms)}"
        users = ", ".join(consumer.name for consumer in allocated.claim.status.reserved_for) or "no pod"
        text = f"it has {_names(devices)}; {where}; reserved for {users}"
        yield Explanation(f"claim {allocated.claim.full_name}", text)


def _terms(terms: Sequence[NodeTerm]) -> str:
    """Node selector terms, for people."""
    texts = (
        " and ".join(
            f"{r.key} {r.operator} [{', '.join(r.values)}]" for r in (*term.fields, *term.expressions)
        )
        for term in terms
    )
    return " or ".join(texts) or "no label at all"


def _nothing_met(claims: PodClaims, answer: NodeMisfit) -> str:
    if claims.pending or claims.special is not None:
        return f"{answer.problem.text}: no device was there to be tried"
    return answer.problem.text
