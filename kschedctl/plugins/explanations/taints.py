"""Taints in words: which one is not tolerated, and by how little a toleration misses it."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.objects.constraints import Toleration
from kschedctl.objects.node import Node, Taint
from kschedctl.objects.tolerations import is_tolerated

_WORDS = {"Lt": "below ", "Gt": "above "}


def untolerated_text(taint: Taint, tolerations: Sequence[Toleration]) -> str:
    """`taint gpu=a:NoSchedule is not tolerated`; with what the tolerations of its key are for, if there are some."""
    text = f"taint {taint} is not tolerated"
    near = dict.fromkeys(
        _meant(toleration, taint) for toleration in tolerations if toleration.key == taint.key
    )
    return f"{text}, only {' or '.join(near)} is" if near else text


def _meant(toleration: Toleration, taint: Taint) -> str:
    """What a toleration of another effect or value is for."""
    if toleration.effect and toleration.effect != taint.effect:
        return f"effect {toleration.effect}"
    return f"value {_WORDS.get(toleration.operator, '')}{toleration.value or '(empty)'}"


def soft_taints_gap(tolerations: Sequence[Toleration], nodes: Sequence[Node]) -> str:
    """Why nodes score differently: the soft taints that count against each of them."""
    parts = []
    for node in nodes:
        taints = [
            str(taint)
            for taint in node.spec.taints
            if taint.effect == "PreferNoSchedule" and not is_tolerated(tolerations, taint)
        ]
        if taints:
            parts.append(f"{node.name} has taint {', '.join(taints)}")
    return "; ".join(parts)
