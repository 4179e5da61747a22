"""How the pods of a daemon set are replaced: `spec.updateStrategy`."""

from __future__ import annotations

from typing import NamedTuple

from kschedctl.objects.apps import DaemonSet
from kschedctl.objects.int_or_percent import scaled


class DaemonUpdateLimits(NamedTuple):
    """How many nodes an update may disturb at a time.

    Attributes:
        unavailable: nodes that may be without a running daemon.
        surge: nodes that may have the new daemon beside the old one; 0: the old one goes first.
    """

    unavailable: int
    surge: int


def replaces_on_delete(owner: DaemonSet) -> bool:
    """Whether old pods stay until somebody deletes them."""
    strategy = owner.spec.update_strategy
    return strategy is not None and strategy.type == "OnDelete"


def update_limits(owner: DaemonSet, desired: int) -> DaemonUpdateLimits:
    """The limits of a rolling update; never both 0.

    Args:
        owner: the daemon set; one node may be unavailable where it does not say.
        desired: how many nodes are to have a daemon, of which percentages are taken, rounded up.
    """
    strategy = owner.spec.update_strategy
    rolling = strategy.rolling_update if strategy else None
    unavailable = 1 if rolling is None or rolling.max_unavailable is None else rolling.max_unavailable
    surge = 0 if rolling is None or rolling.max_surge is None else rolling.max_surge
    limits = DaemonUpdateLimits(scaled(unavailable, desired, up=True), scaled(surge, desired, up=True))
    return limits if any(limits) else DaemonUpdateLimits(1, 0)
