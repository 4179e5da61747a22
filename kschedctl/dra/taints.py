"""Taints of devices and the tolerations of requests (spec 05 §4.5)."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.dra.rules import AllocatorRules
from kschedctl.objects.constraints import Toleration
from kschedctl.objects.resource import DeviceTaint

_BLOCKING = ("NoSchedule", "NoExecute")


def untolerated(
    taints: Sequence[DeviceTaint], tolerations: Sequence[Toleration], rules: AllocatorRules
) -> DeviceTaint | None:
    """The first taint that keeps a request off a device."""
    for taint in taints:
        if not rules.every_taint_blocks and taint.effect not in _BLOCKING:
            continue
        if not any(_tolerates(toleration, taint) for toleration in tolerations):
            return taint
    return None


def _tolerates(toleration: Toleration, taint: DeviceTaint) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator in ("", "Equal"):
        return toleration.value == taint.value
    return toleration.operator == "Exists"
