"""NodeResourcesBalancedAllocation: does the pod bring the fractions in use closer together? (spec 02 D.9)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.resources import wrap_int64
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.arithmetic import truncated_divide
from kschedctl.framework.configuration.args import NodeResourcesBalancedAllocationArgs
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin, PluginContext, PreScoreResult, Scores
from kschedctl.framework.plugin_spec import PluginSpec, Reads
from kschedctl.objects.go import INT64_MIN
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
            return _balance(state, rows, (True,))
        both = _balance(state, rows, (True, False))
        after, before = both[: len(rows)], both[len(rows) :]
        return 50 + truncated_divide(50 + after - before, 2)


def _balance(state: Sequence[Packing], rows: Rows, worlds: Sequence[bool]) -> Ints:
    """100 times one minus the standard deviation of the fractions in use, truncated, int64 (worlds * R,).

    Args:
        state: what the pod adds to each resource.
        rows: the rows.
        worlds: for each turn whether the pod is there.
    """
    fractions: list[Floats] = []
    counted: list[Mask] = []
    for packing in state:
        if not packing.counts:
            continue
        total, used = packing.amounts(rows, rows.requested)
        used = np.concatenate([used + packing.added if added else used for added in worlds])
        total = np.concatenate([total] * len(worlds))
        has = total != 0
        share = used.astype(np.float64) / np.where(has, total, 1).astype(np.float64)
        fractions.append(np.where(has, np.minimum(share, 1.0), 0.0))
        counted.append(has)
    deviation = _deviation(fractions, counted, len(rows) * len(worlds))
    # What does not fit becomes the smallest int64, as on amd64.
    return np.maximum((1.0 - deviation) * 100.0, float(INT64_MIN)).astype(np.int64)


def _deviation(fractions: Sequence[Floats], counted: Sequence[Mask], rows: int) -> Floats:
    """Standard deviation of the fractions that count, float64 (R,); two have a short form of their own.

    Sums run in configured order, which decides the last bit; adding 0.0 for what does not count changes none.
    """
    if len(fractions) == 2 and all(counts.all() for counts in counted):
        return np.abs((fractions[0] - fractions[1]) / 2)  # the usual case, a tenth of the work
    count = np.zeros(rows, np.int64)
    total = np.zeros(rows)
    for fraction, counts in zip(fractions, counted, strict=True):
        count += counts
        total += fraction
    safe = np.maximum(count, 1)
    mean = total / safe
    squares = np.zeros(rows)
    difference = np.zeros(rows)
    seen = np.zeros(rows, np.int64)
    for fraction, counts in zip(fractions, counted, strict=True):
        squares += np.where(counts, (fraction - mean) * (fraction - mean), 0.0)
        difference += np.where(counts, np.where(seen == 0, fraction, -fraction), 0.0)
        seen += counts
    several = np.where(count > 2, np.sqrt(squares / safe), 0.0)
    return np.where(count == 2, np.abs(difference / 2), several)
