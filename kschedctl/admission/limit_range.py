"""Requests and limits that a namespace's LimitRanges give to containers without them (spec 02 E.4)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from kschedctl.admission.defaults import with_defaults
from kschedctl.objects.core import LimitRange, LimitRangeItem
from kschedctl.objects.meta import ResourceList
from kschedctl.objects.pod import Container, PodSpec


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
