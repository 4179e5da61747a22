"""A node with one thing changed: its cordon, a taint, a label."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from kschedctl.objects.node import Node, Taint
from kschedctl.objects.well_known import CORDON_TAINT

_CORDON: Final = Taint(key=CORDON_TAINT, effect="NoSchedule")


def with_cordon(node: Node, cordoned: bool) -> Node:
    """The node cordoned or not, with the taint that the node controller keeps beside it."""
    taints = tuple(t for t in node.spec.taints if not _is_same(t, _CORDON))
    if cordoned:
        taints = (*taints, _CORDON)
    return replace(node, spec=replace(node.spec, unschedulable=cordoned, taints=taints))


def with_taint(node: Node, taint: Taint) -> Node:
    """The node with a taint, in the place of the one of its key and effect."""
    rest = tuple(t for t in node.spec.taints if not _is_same(t, taint))
    return replace(node, spec=replace(node.spec, taints=(*rest, taint)))


def without_taint(node: Node, taint: Taint) -> Node:
    """The node without the taint of this key and effect; without an effect, of this key."""
    rest = tuple(t for t in node.spec.taints if not _is_same(t, taint, any_effect=True))
    return replace(node, spec=replace(node.spec, taints=rest))


def with_label(node: Node, key: str, value: str | None) -> Node:
    """The node with a label, or without it (None)."""
    labels = {own: held for own, held in node.metadata.labels.items() if own != key}
    if value is not None:
        labels[key] = value
    return replace(node, metadata=replace(node.metadata, labels=labels))


def _is_same(taint: Taint, other: Taint, *, any_effect: bool = False) -> bool:
    return taint.key == other.key and (taint.effect == other.effect or (any_effect and not other.effect))
