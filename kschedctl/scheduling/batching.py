"""OpportunisticBatching: pods that are alike share the scores of the first of them (spec 01 §10, spec 08 §5)."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import AnyPlugin
from kschedctl.framework.runtime import Framework
from kschedctl.framework.scoring import run_scores
from kschedctl.framework.status import Code
from kschedctl.framework.versions import Facts
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.node_heap import NodeHeap

Ints = npt.NDArray[np.int64]

_READING = (
    ExtensionPoint.PRE_FILTER,
    ExtensionPoint.FILTER,
    ExtensionPoint.PRE_SCORE,
    ExtensionPoint.SCORE,
)
"""The points whose plugins must tell what they read of a pod."""


class _Batch(Struct):
    """What the last scored cycle of a profile left.

    Attributes:
        signature: of the pod that was scored.
        heap: the nodes that were not taken, numbered.
        names: number -> node.
        raw: plugin -> raw scores by number, int64 (F,).
    """

    signature: bytes
    heap: NodeHeap
    names: list[str]
    raw: dict[str, Ints]


class _Profile(Struct):
    """What is remembered of a profile.

    Attributes:
        batch: the rest of a score list; None for none.
        cycle: number of the last cycle that found a node.
        chosen: that node.
    """

    batch: _Batch | None = None
    cycle: int = -1
    chosen: str = ""


class Batching(Struct):
    """Hints for pods that are like the one before.

    Recordings and runs let only microseconds pass between cycles, so that nothing here grows too old.

    Attributes:
        facts: the rules of the version.
        enabled: the gate OpportunisticBatching, and no extender is there.
        taken: how many pods went where a hint led.
    """

    facts: Facts
    enabled: bool
    taken: int = 0
    _profiles: dict[str, _Profile] = field(default_factory=dict)
    _refused: dict[str, AnyPlugin] = field(default_factory=dict)
    """The plugin that refused last: it will refuse most pods."""
    _readers: dict[str, tuple[AnyPlugin, ...]] = field(default_factory=dict)

    def signature(self, framework: Framework, pod: PodRecord, cluster: ClusterState) -> bytes | None:
        """What decides on the pod, equal for pods that are alike; None where it can be alike to no other."""
        if not self.enabled:
            return None
        name = framework.profile.scheduler_name
        refused = self._refused.get(name)
        if refused is not None and refused.signature(pod, cluster) is None:
            return None
        parts: dict[str, object] = {"scheduler": name}
        for plugin in self._readers_of(framework):
            found = plugin.signature(pod, cluster)
            if found is None:
                self._refused[name] = plugin
                return None
            parts |= found
        return msgspec.json.encode(parts, order="deterministic")

    def _readers_of(self, framework: Framework) -> tuple[AnyPlugin, ...]:
        """The plugins that read something of a pod."""
        name = framework.profile.scheduler_name
        if name not in self._readers:
            found = dict.fromkeys(plugin for point in _READING for plugin in framework.at(point))
            self._readers[name] = tuple(found)
        return self._readers[name]

    def hint(
        self, framework: Framework, pod: PodRecord, cluster: ClusterState, signature: bytes | None, cycle: int
    ) -> str:
        """The node to try first, empty for none.

        Args:
            framework: the pod's profile.
            pod: the pod.
            cluster: the cluster.
            signature: of the pod.
            cycle: number of this cycle, over all profiles.
        """
        kept = self._profiles.get(framework.profile.scheduler_name)
        if kept is None or kept.batch is None or not len(kept.batch.heap) or cycle != kept.cycle + 1:
            return ""
        if pod.pod.nominated_node_name and not self.facts.nominated_pods_take_hints:
            return ""
        if signature is None or signature != kept.batch.signature:
            return ""
        last = cluster.row_of(kept.chosen)
        if last is None:
            return ""
        phase = framework.run_pre_filter(pod, cluster)
        if phase.status is not None:
            return ""
        code = framework.run_filters(pod, phase, Rows(cluster, np.array([last]))).codes[0]
        if code == Code.ERROR:
            return ""
        if code == Code.SUCCESS and not (
            self.facts.batches_score_the_last_node_again and _score_again(framework, pod, cluster, kept)
        ):
            return ""
        return kept.batch.names[kept.batch.heap.pop()[1]]

    def keep(self, decision: Decision, signature: bytes | None, hint: str, cycle: int) -> None:
        """Remember what a cycle that found a node leaves to the next one.

        Args:
            decision: its decision.
            signature: of its pod.
            hint: the node that was hinted at, empty for none.
            cycle: its number.
        """
        if not self.enabled or decision.outcome is not Outcome.SCHEDULED or decision.framework is None:
            return
        chosen = decision.selected_node or ""
        kept = self._profiles.setdefault(decision.framework.profile.scheduler_name, _Profile())
        kept.cycle, kept.chosen = cycle, chosen
        if hint and hint == chosen:
            self.taken += 1
        else:
            kept.batch = None if signature is None else _rest(decision, signature)


def _rest(decision: Decision, signature: bytes) -> _Batch | None:
    """The nodes that were scored and not taken."""
    scores = decision.scores
    if scores is None or len(scores.feasible) < 2:
        return None
    names = [decision.cluster.nodes.names[row] for row in scores.feasible.tolist()]
    heap = NodeHeap(zip(scores.totals.tolist(), range(len(names)), strict=True))
    heap.pop()
    return _Batch(signature, heap, names, {column.plugin: column.raw for column in scores.columns})


def _score_again(framework: Framework, pod: PodRecord, cluster: ClusterState, kept: _Profile) -> bool:
    """Score the node that was taken last, and put it among the others with their old scores; False: it fails."""
    batch = kept.batch
    assert batch is not None
    lying = [number for _, number in batch.heap.nodes]
    names = [batch.names[number] for number in lying] + [kept.chosen]
    found = [cluster.row_of(name) for name in names]
    if None in found:
        return False
    rows = np.array(found, np.int64)
    old: Mapping[str, Ints] = {plugin: values[lying] for plugin, values in batch.raw.items()}
    scores = run_scores(framework, pod, cluster, rows, known=old)
    if scores.error is not None:
        return False
    batch.names, batch.raw = names, {column.plugin: column.raw for column in scores.columns}
    batch.heap = NodeHeap(zip(scores.totals.tolist(), range(len(names)), strict=True))
    return True
