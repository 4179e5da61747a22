"""What a group of pods asks for as a whole: fewer at once, other domains, room in one of them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Final

import numpy as np

from kschedctl.advice.json_patch import Operation, put, remove
from kschedctl.advice.measure import Measure, ObjectPatch, Reference
from kschedctl.advice.obstacles.departures import room_makers
from kschedctl.advice.obstacles.more_nodes import more_nodes
from kschedctl.advice.obstacles.resources import lowered
from kschedctl.advice.situation import Ints, Situation
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.groups import Workload
from kschedctl.scheduling.group_answer import GroupAnswer

_PROPERTIES: Final = ("kubernetes.io/os", "kubernetes.io/arch", "node.kubernetes.io/instance-type", "beta.")
"""Labels that say what a node is and not where: no domain of theirs is a place."""
_MOST_KEYS: Final = 4
_MOST_DOMAINS: Final = 3
_MOST_LEAVING: Final = 6


def smaller_minimum(cluster: ClusterState, group: GroupAnswer, minimum: int) -> Measure | None:
    """The group with a smaller minCount; None where there is nothing to write it in."""
    namespace, name, *rest = group.name.split("/")
    kind, field = group.kind, "minCount"
    where: tuple[str | int, ...] = ("spec", "schedulingPolicy", "gang")
    if kind == "CompositePodGroup":
        field = "minGroupCount"
    elif kind == "Workload":
        found = cluster.objects.find(Workload, name, namespace)
        at = (
            next((i for i, g in enumerate(found.spec.pod_groups) if g.name == rest[0]), None)
            if found
            else None
        )
        if at is None:
            return None
        where = ("spec", "podGroups", at, "policy", "gang")
    assert group.minimum is not None
    target, operation = Reference(kind, namespace, name), put(minimum, *where, field)
    return Measure(
        "min-count",
        f"{field} <= {minimum}",
        (ObjectPatch(target, (operation,)),),
        size=round(0.5 + 1.5 * (1 - minimum / group.minimum), 2),
        command=_patched(target, operation),
        topic="minimum",
    )


def other_keys(cluster: ClusterState, group: GroupAnswer) -> Iterator[Measure]:
    """Larger domains of which one might hold the group, the smallest of them first; then none at all."""
    key = group.topology_key
    if key is None or group.kind == "Workload":
        return
    namespace, name, *_ = group.name.split("/")
    target = Reference(group.kind, namespace, name)
    path = ("spec", "schedulingConstraints", "topology")
    for other in wider_keys(cluster, key):
        operation = put(other, *path, 0, "key")
        text = f"topology key {other} in place of {key}"
        yield Measure("topology-key", text, (ObjectPatch(target, (operation,)),), topic="topology")
    text = f"no topology constraint ({key})"
    edit = ObjectPatch(target, (remove("spec", "schedulingConstraints"),))
    yield Measure("topology-key", text, (edit,), size=1.3, topic="topology")


def wider_keys(cluster: ClusterState, key: str) -> list[str]:
    """Labels whose domains are made of whole domains of a label, and are fewer; those with most domains first."""
    nodes = cluster.nodes.objects
    own = [node.metadata.labels.get(key) for node in nodes]
    found = []
    for other in sorted({name for node in nodes for name in node.metadata.labels} - {key}):
        if other.startswith(_PROPERTIES):
            continue
        values = [node.metadata.labels.get(other) for node in nodes]
        inside = {(mine, value) for mine, value in zip(own, values, strict=True) if mine is not None}
        domains = {value for _, value in inside}
        if None not in domains and len(inside) == len({mine for mine, _ in inside}) > len(domains):
            found.append((-len(domains), other))
    return [other for _, other in sorted(found)][:_MOST_KEYS]


def domains_of(situation: Situation, group: GroupAnswer) -> list[tuple[str, Ints]]:
    """The domains that the group might have, as text and rows; one of all nodes where it asks for none.

    Those with most nodes that the member could have are first.
    """
    count, key = situation.cluster.nodes.count, group.topology_key
    if key is None:
        return [("", np.arange(count))]
    rows: dict[str, list[int]] = {}
    for row, node in enumerate(situation.cluster.nodes.objects):
        value = node.metadata.labels.get(key)
        if value is not None:
            rows.setdefault(value, []).append(row)
    free = np.ones(count, bool)
    for mask in situation.refusals.values():
        free &= ~mask
    order = sorted(rows, key=lambda value: (-int(free[rows[value]].sum()), -len(rows[value]), value))
    return [(f"{key}={value}", np.array(rows[value], np.int64)) for value in order[:_MOST_DOMAINS]]


def nodes_in(situation: Situation, rows: Ints, domain: str, most: int) -> list[Measure]:
    """One, two and more nodes like one of a domain that is large enough for a member; none where none is."""
    within = f" ({domain})" if domain else ""
    found = (more_nodes(situation, rows, count, within) for count in range(1, most + 1))
    return [change for change in found if change is not None]


def leaving_in(situation: Situation, rows: Ints) -> list[Measure]:
    """Pods of a domain, each of which makes room for one more member on its node, the least important first."""
    plugins = {name for name, mask in situation.refusals.items() if mask[rows].any()}
    return list(room_makers(situation, rows, plugins))[:_MOST_LEAVING]


def smaller_requests(situation: Situation, rows: Ints, members: int) -> list[Measure]:
    """The one resource that is short lowered, the largest amounts first of which a node holds a whole number.

    Args:
        situation: of a member that finds no room.
        rows: a domain, int64 (n,).
        members: how many there are.
    """
    needs = situation.needs
    short = [name for name, need in needs.items() if (situation.free(name)[rows] < need).any()]
    if len(short) != 1:
        return []
    (name,) = short
    there = situation.free_without_spared(name)[rows].tolist()
    pieces = {left // parts for left in there for parts in range(1, members + 1)}
    amounts = sorted((piece for piece in pieces if 0 < piece < needs[name]), reverse=True)
    return [change for limit in amounts if (change := lowered(situation, name, limit)) is not None]


def _patched(target: Reference, operation: Operation) -> str:
    where = f"{target.kind.lower()} {target.name} -n {target.namespace}"
    return f"kubectl patch {where} --type=json -p {shlex.quote(json.dumps([operation]))}"
