"""NodeResourcesBalancedAllocation: does the pod bring the fractions in use closer together? (spec 02 D.9)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.arithmetic import truncated_divide
from kschedctl.framework.configuration.args import NodeResourcesBalancedAllocationArgs
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin, PluginContext, PreScoreResult, Scores
from kschedctl.framework.plugin_spec import PluginSpec, Reads
from kschedctl.objects.go import INT64_MIN, wrap_int64
from kschedctl.plugins.device_backed import DeviceBackedResources
from kschedctl.plugins.packing import Packing
from kschedctl.plugins.signatures import Fragments, of_requests

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class NodeResourcesBalancedAllocation(Plugin[None, tuple[Packing, ...]]):
    """1.34 scores the balance after; 1.36 whether it gets better."""

    spec = PluginSpec(
        name="NodeResourcesBalancedAllocation",
        points=frozenset({ExtensionPoint.PRE_SCORE, ExtensionPoint.SCORE}),
        args=NodeResourcesBalancedAllocationArgs,
        reads=Reads.USAGE,
        score_title="Balanced",
    )

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self._devices = DeviceBackedResources(context)

    def signature(self, pod: PodRecord, cluster: ClusterState) -> Fragments | None:
        """What the pod asks for; devices that stand for a resource differ from pod to pod."""
        found = of_requests(pod.pod.spec)
        asked = pod.pod_class.requests
        return None if self._devices.left_to_devices(asked, cluster) else found

    def pre_score(
        self, pod: PodRecord, cluster: ClusterState, feasible: Ints
    ) -> PreScoreResult[tuple[Packing, ...]]:
        """State: what the pod adds to each configured resource. Skips where that is nothing."""
        packing = tuple(
            Packing(column, 1, added, self._devices.counts(resource.name, cluster) if added else None)
            for resource in self.context.args.resources
            if (column := cluster.resources.column(resource.name)) is not None
            for added in [wrap_int64(pod.pod_class.requests.get(resource.name, 0))]
        )
        skip = not any(p.added for p in packing)
        return PreScoreResult(packing, skip, reads_devices=any(p.devices is not None for p in packing))

    def score(self, state: tuple[Packing, ...], rows: Rows) -> Scores:
        """0..100; where the change is scored 50..100, and 75 means that nothing changes.

        0 for a pod that adds nothing, which gets here only where the profile has no PreScore.
        """
        if not any(packing.added for packing in state):
            return np.zeros(len(rows), np.int64)
        if not self.context.facts.balance_is_relative:
            return np.asarray(_balance(state, rows, (True,))[0])
        after, before = _balance(state, rows, (True, False))
        return 50 + truncated_divide(50 + after - before, 2)


def _balance(state: Sequence[Packing], rows: Rows, worlds: Sequence[bool]) -> Ints:
    """100 times one minus the standard deviation of the fractions in use, truncated, int64 (worlds, R).

    Args:
        state: what the pod adds to each resource.
        rows: the rows.
        worlds: for each turn whether the pod is there.
    """
    counting = [packing for packing in state if packing.counts]
    if not counting:
        return np.full((len(worlds), len(rows)), 100)
    amounts = np.array([packing.amounts(rows, rows.requested) for packing in counting])
    total, used = amounts[:, 0], amounts[:, 1]
    added = np.array([[[packing.added if there else 0] for packing in counting] for there in worlds])
    has = total != 0
    if np.count_nonzero(has) == has.size:  # the usual case
        fractions = np.minimum((used + added) / total, 1.0)
    else:
        fractions = np.where(has, np.minimum((used + added) / np.where(has, total, 1), 1.0), 0.0)
    # What does not fit becomes the smallest int64, as on amd64.
    balance = np.maximum((1.0 - _deviation(fractions, has)) * 100.0, float(INT64_MIN))
    return np.asarray(balance.astype(np.int64))


def _deviation(fractions: Floats, has: Mask) -> Floats:
    """Standard deviation of the fractions that count, float64 (worlds, R); two have a short form of their own.

    Sums run in configured order, which decides the last bit; adding 0.0 for what does not count changes none.

    Args:
        fractions: float64 (worlds, resources, R), 0.0 for what does not count.
        has: bool (resources, R), whether it counts.
    """
    worlds, resources, rows = fractions.shape
    if resources == 2 and np.count_nonzero(has) == has.size:  # the usual case, a tenth of the work
        return np.abs((fractions[:, 0] - fractions[:, 1]) / 2)
    count = has.sum(axis=0)
    safe = np.maximum(count, 1)
    total, squares, difference = (np.zeros((worlds, rows)) for _ in range(3))
    for at in range(resources):
        total += fractions[:, at]
    mean = total / safe
    seen = np.zeros(rows, np.int64)
    for at, counts in enumerate(has):
        fraction = fractions[:, at]
        squares += np.where(counts, (fraction - mean) * (fraction - mean), 0.0)
        difference += np.where(counts, np.where(seen == 0, fraction, -fraction), 0.0)
        seen += counts
    several = np.where(count > 2, np.sqrt(squares / safe), 0.0)
    return np.where(count == 2, np.abs(difference / 2), several)
