"""Requests and limits that a namespace's LimitRanges give to containers without them (spec 02 E.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from kschedctl.admission.defaults import with_defaults
from kschedctl.admission.invalid import FieldProblem
from kschedctl.objects.containers import Container
from kschedctl.objects.core import LimitRange, LimitRangeItem
from kschedctl.objects.meta import ResourceList
from kschedctl.objects.pod import PodSpec
from kschedctl.objects.pod_requests import Resources, container_totals, quantities
from kschedctl.objects.quantity import parse


def apply_limit_ranges(spec: PodSpec, limit_ranges: Sequence[LimitRange]) -> PodSpec:
    """The spec with the defaults of the namespace; what is written stays. The first range wins per key."""
    items = [item for r in limit_ranges for item in r.spec.limits if item.type == "Container"]
    for item in items:
        limits, requests = _item_defaults(item)
        spec = replace(
            spec,
            containers=tuple(_filled(c, limits, requests) for c in spec.containers),
            init_containers=tuple(_filled(c, limits, requests) for c in spec.init_containers),
        )
    return spec


def _item_defaults(item: LimitRangeItem) -> tuple[ResourceList, ResourceList]:
    """Default limits and requests; an item's own maxima and minima stand in for what it leaves out."""
    limits = with_defaults(item.default, item.max)
    requests = with_defaults(with_defaults(item.default_request, limits), item.min)
    return limits, requests


def _filled(container: Container, limits: ResourceList, requests: ResourceList) -> Container:
    own = container.resources
    resources = replace(
        own, limits=with_defaults(own.limits, limits), requests=with_defaults(own.requests, requests)
    )
    return replace(container, resources=resources)


def limit_range_problems(spec: PodSpec, limit_ranges: Sequence[LimitRange]) -> list[FieldProblem]:
    """What the minima and maxima of the namespace have against a pod that has its defaults, in the API's words."""
    found: list[str] = []
    for item in (item for r in limit_ranges for item in r.spec.limits):
        if item.type == "Container":
            for container in (*spec.containers, *spec.init_containers):
                resources = container.resources
                found += _violations(item, quantities(resources.requests), quantities(resources.limits))
        elif item.type == "Pod":
            totals = (container_totals(spec, _requests), container_totals(spec, _limits))
            found += _violations(item, *totals)
    return [FieldProblem("", f"forbidden: {text}") for text in dict.fromkeys(found)]


def _violations(item: LimitRangeItem, requests: Resources, limits: Resources) -> Iterator[str]:
    for name, raw in item.min.items():
        text, least = f"minimum {name} usage per {item.type} is {raw}", parse(raw)
        if name not in requests:
            yield f"{text}.  No request is specified"
        elif requests[name] < least:
            yield f"{text}, but request is {requests[name]}"
        elif name in limits and limits[name] < least:
            yield f"{text}, but limit is {limits[name]}"
    for name, raw in item.max.items():
        text, most = f"maximum {name} usage per {item.type} is {raw}", parse(raw)
        if name not in limits:
            yield f"{text}.  No limit is specified"
        elif limits[name] > most:
            yield f"{text}, but limit is {limits[name]}"
        elif name in requests and requests[name] > most:
            yield f"{text}, but request is {requests[name]}"


def _requests(container: Container) -> Resources:
    return quantities(container.resources.requests)


def _limits(container: Container) -> Resources:
    return quantities(container.resources.limits)
