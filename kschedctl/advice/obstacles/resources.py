"""Requests that are larger than what is free: the largest that fit."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np
from msgspec.structs import replace

from kschedctl.advice.json_patch import Operation, add_within, patched
from kschedctl.advice.measure import Measure, Measures, PodPatch
from kschedctl.advice.situation import Ints, Situation
from kschedctl.objects.containers import Container, ResourceRequirements
from kschedctl.objects.pod import PodSpec
from kschedctl.objects.pod_requests import is_pod_level_resource, pod_requests, to_resource_units
from kschedctl.objects.quantity import Quantity, parse
from kschedctl.objects.units import amount_text

_UNITS = ((2**30, "Gi"), (2**20, "Mi"), (2**10, "Ki"))
_COUNTED = ("hugepages-",)


def requests(situation: Situation, rows: Ints) -> Iterator[Measures]:
    """Every set of resources that some node lacks, each lowered to what the best of these nodes has free."""
    for lacking, row in _best_rows(situation, rows):
        limits = {name: max(0, int(situation.free(name)[row])) for name in lacking}
        changes = [lowered(situation, name, limit) for name, limit in limits.items()]
        found = tuple(change for change in changes if change is not None)
        if found and len(found) == len(changes):
            yield found


def lowered(situation: Situation, name: str, limit: int) -> Measure | None:
    """The pod asking for no more than that of a resource; None where no container can give it up."""
    operations = _operations(situation.spec, situation.document, name, limit)
    if operations is None:
        return None
    text = f"{name} request <= {amount_text(name, limit)}" if limit else f"no {name} requested"
    if not limit and _must_be_equal(name):
        return Measure("device-drop", text, (PodPatch(operations),), topic=name)
    size = round(0.5 + 1.5 * (1 - limit / situation.needs[name]) + (0 if limit else 0.5), 2)
    return Measure("request", text, (PodPatch(operations),), size=size, topic=name)


def _best_rows(situation: Situation, rows: Ints) -> Iterator[tuple[tuple[str, ...], int]]:
    """The resources that are short, and the row on which the smallest share of the requests has to go."""
    cluster = situation.cluster
    room = situation.rows.pod_count[rows] < cluster.nodes.allowed_pods[rows]
    rows = rows[room]
    names = list(situation.needs)
    short = np.array([situation.free(name)[rows] < situation.needs[name] for name in names], bool)
    shares = [(situation.needs[name] - situation.free(name)[rows]) / situation.needs[name] for name in names]
    lack = np.clip(np.array(shares), 0.0, 1.0).sum(axis=0)
    best: dict[tuple[str, ...], int] = {}
    for at in range(len(rows)):
        lacking = tuple(name for name, one in zip(names, short, strict=True) if one[at])
        if not lacking:
            continue
        known = best.get(lacking)
        if known is None or lack[at] < lack[known]:
            best[lacking] = at
    for lacking, at in sorted(best.items(), key=lambda item: (len(item[0]), lack[item[1]])):
        yield lacking, int(rows[at])


def _operations(
    spec: PodSpec, document: dict[str, Any], name: str, limit: int
) -> tuple[Operation, ...] | None:
    """How the pod is written that asks for no more than that; None where no container can give it up."""
    changed = _lower(spec, name, limit)
    return None if changed is None else tuple(_differences(spec, changed, document, name)) or None


def _lower(spec: PodSpec, name: str, limit: int) -> PodSpec | None:
    """The spec with a smaller request: of containers that run together the one that asks for most gives."""
    if spec.resources is not None and name in spec.resources.requests and is_pod_level_resource(name):
        over = _units(name, pod_requests(spec)) - limit
        own = _amount(name, spec.resources)
        if own < over:
            return None
        spec = replace(spec, resources=_with(spec.resources, name, own - over))
        inner = replace(spec, resources=None, overhead={})
        lowered_inner = _lower(inner, name, own - over)
        if lowered_inner is None:
            return None
        return replace(
            spec, containers=lowered_inner.containers, init_containers=lowered_inner.init_containers
        )
    for members in _phases(spec):
        while (over := _units(name, pod_requests(_only(spec, members))) - limit) > 0:
            group, at = max(members, key=lambda member: _own(spec, name, member))
            own = _own(spec, name, (group, at))
            if own <= 0:
                return None
            listed: tuple[Container, ...] = getattr(spec, group)
            container = listed[at]
            smaller = replace(container, resources=_with(container.resources, name, max(own - over, 0)))
            spec = replace(spec, **{group: (*listed[:at], smaller, *listed[at + 1 :])})
    return spec


_Member = tuple[str, int]
"""A container: the list of the spec in which it is, and its place there."""


def _phases(spec: PodSpec) -> Iterator[list[_Member]]:
    """Containers that run at the same time: each init container with the sidecars before it, then all that stay."""
    sidecars: list[_Member] = []
    for at, container in enumerate(spec.init_containers):
        if container.is_sidecar:
            sidecars.append(("init_containers", at))
        else:
            yield [("init_containers", at), *sidecars]
    yield [*(("containers", at) for at in range(len(spec.containers))), *sidecars]


def _only(spec: PodSpec, members: Collection[_Member]) -> PodSpec:
    """The spec with these containers alone."""
    kept = {
        group: tuple(one for at, one in enumerate(getattr(spec, group)) if (group, at) in members)
        for group in ("containers", "init_containers")
    }
    return replace(spec, **kept)


def _own(spec: PodSpec, name: str, member: _Member) -> int:
    group, at = member
    return _amount(name, getattr(spec, group)[at].resources)


def _amount(name: str, resources: ResourceRequirements) -> int:
    raw = resources.requests.get(name)
    return 0 if raw is None else to_resource_units(name, parse(raw))


def _units(name: str, found: Mapping[str, Quantity]) -> int:
    quantity = found.get(name)
    return 0 if quantity is None else to_resource_units(name, quantity)


def _with(resources: ResourceRequirements, name: str, amount: int) -> ResourceRequirements:
    text = quantity_text(name, amount)
    changed = replace(resources, requests={**resources.requests, name: text})
    if name in resources.limits and _must_be_equal(name):
        changed = replace(changed, limits={**resources.limits, name: text})
    return changed


def _must_be_equal(name: str) -> bool:
    """Whether a request of this resource has to be its limit."""
    return "/" in name or name.startswith(_COUNTED)


def quantity_text(name: str, amount: int) -> str:
    """An amount as a manifest writes it, exact: `3100m`, `1536Mi`."""
    if name == "cpu":
        return str(amount // 1000) if amount % 1000 == 0 else f"{amount}m"
    if name in ("memory", "ephemeral-storage") or name.startswith(_COUNTED):
        for size, suffix in _UNITS:
            if amount and amount % size == 0:
                return f"{amount // size}{suffix}"
    return str(amount)


def _differences(before: PodSpec, after: PodSpec, document: dict[str, Any], name: str) -> Iterator[Operation]:
    """The operations on the pod as written that make it what it should be."""
    if before.resources != after.resources and after.resources is not None:
        yield add_within(document, after.resources.requests[name], "spec", "resources", "requests", name)
    for group, key in (("containers", "containers"), ("init_containers", "initContainers")):
        pairs = zip(getattr(before, group), getattr(after, group), strict=True)
        for at, (old, new) in enumerate(pairs):
            where = ("spec", key, at, "resources")
            for part in ("requests", "limits"):
                amount = getattr(new.resources, part).get(name)
                if amount != getattr(old.resources, part).get(name):
                    operation = add_within(document, amount, *where, part, name)
                    document = patched(document, [operation])
                    yield operation
