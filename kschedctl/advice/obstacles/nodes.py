"""Cordons and taints: nodes that refuse pods as such."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import msgspec
import numpy as np

from kschedctl.advice.json_patch import Operation, add_within, remove
from kschedctl.advice.measure import Measure, Measures, ObjectPatch, PodPatch, Reference
from kschedctl.advice.situation import Ints, Situation
from kschedctl.objects.constraints import Toleration
from kschedctl.objects.node import Node, Taint
from kschedctl.objects.tolerations import is_tolerated
from kschedctl.objects.well_known import CORDON_TAINT, NOT_READY_TAINT, UNREACHABLE_TAINT

_MOST_NODES: Final = 3
_MOST_TAINTS: Final = 8
_KEEPERS: Final = {
    "node.cloudprovider.kubernetes.io/uninitialized": "the cloud controller manager removes it",
    NOT_READY_TAINT: "the node controller removes it once the node is ready",
    UNREACHABLE_TAINT: "the node controller removes it once the kubelet answers",
    "node.kubernetes.io/memory-pressure": "the kubelet frees memory first",
    "node.kubernetes.io/disk-pressure": "the kubelet frees disk first",
    "node.kubernetes.io/pid-pressure": "too many processes run there",
    "node.kubernetes.io/network-unavailable": "the network plugin has to set the node up",
    "node.kubernetes.io/out-of-service": "somebody took the node out of service",
}
"""Taints that stand for a fault -> what takes them away; to tolerate them helps nobody."""


def node_name(situation: Situation, rows: Ints) -> Iterator[Measure]:
    """A pod that names its node leaves the choice to kube-scheduler."""
    name = situation.document["spec"].get("nodeName")
    if name:
        patch = PodPatch((remove("spec", "nodeName"),))
        yield Measure("selector-drop", f"nodeName {name} dropped", (patch,))


def uncordoning(situation: Situation, rows: Ints) -> Iterator[Measures]:
    """A node takes pods again."""
    for row in situation.nearest(rows, _MOST_NODES).tolist():
        node = situation.cluster.nodes.objects[row]
        operations: list[Operation] = [remove("spec", "unschedulable")]
        operations += [remove("spec", "taints", at) for at in _places(node, lambda t: t.key == CORDON_TAINT)]
        yield (
            Measure(
                "uncordon",
                f"{node.name} uncordoned",
                (ObjectPatch(_reference(node), tuple(operations)),),
                row=row,
                command=f"kubectl uncordon {node.name}",
            ),
        )


def taints(situation: Situation, rows: Ints) -> Iterator[Measures]:
    """The taints of a node are tolerated, or removed."""
    by_taints: dict[tuple[Taint, ...], list[int]] = {}
    for row in rows.tolist():
        wrong = _untolerated(situation, situation.cluster.nodes.objects[row])
        by_taints.setdefault(wrong, []).append(row)
    for wrong, alike in sorted(by_taints.items(), key=lambda item: (len(item[0]), -len(item[1])))[
        :_MOST_TAINTS
    ]:
        if not any(taint.key in _KEEPERS for taint in wrong):
            yield tuple(_tolerating(situation, wrong))
        for row in situation.nearest(np.array(alike, np.int64), 2).tolist():
            yield tuple(_removing(situation.cluster.nodes.objects[row], wrong, row))


def _untolerated(situation: Situation, node: Node) -> tuple[Taint, ...]:
    tolerations = situation.spec.tolerations
    return tuple(
        taint
        for taint in node.spec.taints
        if taint.is_hard
        and not (node.spec.unschedulable and taint.key == CORDON_TAINT)
        and not is_tolerated(tolerations, taint, comparison=situation.comparison)
    )


def _tolerating(situation: Situation, wrong: tuple[Taint, ...]) -> Iterator[Measure]:
    for taint in wrong:
        made = Toleration(
            key=taint.key,
            operator="Equal" if taint.value else "Exists",
            value=taint.value,
            effect=taint.effect,
        )
        operation = add_within(situation.document, msgspec.to_builtins(made), "spec", "tolerations", "-")
        yield Measure("toleration", f"taint {taint} tolerated", (PodPatch((operation,)),))


def _removing(node: Node, wrong: tuple[Taint, ...], row: int) -> Iterator[Measure]:
    for at, taint in reversed(list(enumerate(node.spec.taints))):
        if taint not in wrong:
            continue
        edit = ObjectPatch(_reference(node), (remove("spec", "taints", at),))
        keeper = _KEEPERS.get(taint.key)
        if keeper is not None:
            yield Measure("node-repair", f"{node.name} without taint {taint}", (edit,), row=row, note=keeper)
            continue
        command = f"kubectl taint nodes {node.name} {taint}-"
        yield Measure("taint", f"taint {taint} removed from {node.name}", (edit,), row=row, command=command)


def _places(node: Node, chosen: Callable[[Taint], bool]) -> list[int]:
    """Places in the list of taints, the last one first, so that each is still right when it is removed."""
    return [at for at, taint in reversed(list(enumerate(node.spec.taints))) if chosen(taint)]


def _reference(node: Node) -> Reference:
    return Reference("Node", "", node.name)
