"""TaintToleration: hard taints must be tolerated; the fewer soft ones are not, the better (spec 02 D.5)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Interest
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.normalize import reversed_share_of_maximum
from kschedctl.framework.plugin import Plugin, PreFilterResult, PreScoreResult, Scores
from kschedctl.framework.plugin_spec import PluginSpec, Reads
from kschedctl.framework.status import Code, Detail
from kschedctl.framework.verdicts import PASS, Reason, Verdicts
from kschedctl.objects.constraints import Toleration
from kschedctl.objects.node import Taint
from kschedctl.objects.tolerations import is_tolerated
from kschedctl.plugins.explanations.taints import soft_taints_gap, untolerated_text
from kschedctl.plugins.hints.nodes import taint_interests
from kschedctl.plugins.signatures import Fragments, of_tolerations

REASON = "node(s) had untolerated taint(s)"
_SOFT = "PreferNoSchedule"


class _State(Struct, frozen=True):
    untolerated: frozenset[Taint]
    columns: tuple[int, ...]
    """The untolerated among the distinct taints of the cluster."""
    tolerations: tuple[Toleration, ...]


class TaintToleration(Plugin[_State, _State]):
    """The loop runs over distinct taints, never over nodes."""

    spec = PluginSpec(
        name="TaintToleration",
        points=frozenset(
            {ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER, ExtensionPoint.PRE_SCORE, ExtensionPoint.SCORE}
        ),
        reads=Reads.NODES,
        keeps_scores=False,
        score_state_missing='failed to read "PreScoreTaintToleration" from cycleState: not found',
        score_title="Taint",
    )

    def signature(self, pod: PodRecord, cluster: ClusterState) -> Fragments:
        """The tolerations."""
        return of_tolerations(pod.pod.spec)

    def interests(self) -> tuple[Interest, ...]:
        """Nodes without the taints that the pod does not tolerate, and new tolerations."""
        return taint_interests(comparison=self.context.gates.enabled("TaintTolerationComparisonOperators"))

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult[_State]:
        """State: the hard taints that the pod does not tolerate."""
        return PreFilterResult(self._untolerated(cluster, pod, lambda taint: taint.is_hard))

    def _untolerated(self, cluster: ClusterState, pod: PodRecord, counts: Callable[[Taint], bool]) -> _State:
        comparison = self.context.gates.enabled("TaintTolerationComparisonOperators")
        tolerations = pod.pod.spec.tolerations
        taints = cluster.nodes.taints
        columns = [
            i
            for i, taint in enumerate(taints)
            if counts(taint) and not is_tolerated(tolerations, taint, comparison=comparison)
        ]
        return _State(frozenset(taints[i] for i in columns), tuple(columns), tolerations)

    def filter(self, state: _State, rows: Rows) -> Verdicts:
        """Reject rows that carry any of the untolerated taints."""
        if not state.columns:
            return PASS
        carried = rows.column(rows.cluster.nodes.taint_counts)[:, list(state.columns)]
        return Verdicts.reject(np.asarray(carried.any(axis=1)), Code.UNRESOLVABLE, self._reason(state, rows))

    def _reason(self, state: _State, rows: Rows) -> Reason:
        return _first_taint(state, rows) if self.context.facts.taint_reason_names_the_taint else REASON

    def pre_score(
        self, pod: PodRecord, cluster: ClusterState, feasible: npt.NDArray[np.int64]
    ) -> PreScoreResult[_State]:
        """State: the soft taints that the pod does not tolerate. Never skips."""
        return PreScoreResult(self._untolerated(cluster, pod, lambda taint: taint.effect == _SOFT))

    def score(self, state: _State, rows: Rows) -> Scores:
        """How many untolerated soft taints each row has, duplicates counted."""
        carried = rows.column(rows.cluster.nodes.taint_counts)[:, list(state.columns)]
        return np.asarray(carried.sum(axis=1, dtype=np.int64))

    def normalize(self, state: _State, scores: Scores, feasible: npt.NDArray[np.int64]) -> Scores:
        """The fewer, the better."""
        return reversed_share_of_maximum(scores)

    def details(self, state: _State, rows: Rows, row: int) -> tuple[Detail, ...]:
        """Every untolerated taint of the node."""
        taints = [taint for taint in rows.node(row).spec.taints if taint in state.untolerated]
        reason = self._reason(state, rows)
        told = reason if isinstance(reason, str) else reason(row)
        texts = [untolerated_text(taint, state.tolerations) for taint in taints]
        return tuple(Detail(self.name, told, text, text) for text in texts)

    def score_gap(
        self, pod: PodRecord, cluster: ClusterState, feasible: npt.NDArray[np.int64], row: int, other: int
    ) -> str:
        """The soft taints that count against either node."""
        return soft_taints_gap(pod.pod.spec.tolerations, [cluster.nodes.objects[r] for r in (other, row)])


def _first_taint(state: _State, rows: Rows) -> Callable[[int], str]:
    """1.34 names the first untolerated taint of each node."""

    def text(row: int) -> str:
        taint = next(t for t in rows.node(row).spec.taints if t in state.untolerated)
        return f"node(s) had untolerated taint {{{taint.key}: {taint.value}}}"

    return text
