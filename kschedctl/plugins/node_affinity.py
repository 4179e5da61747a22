"""NodeAffinity: node selector, node affinity, and the affinity a profile adds (spec 02 D.6)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Interest
from kschedctl.framework.configuration.args import NodeAffinityArgs
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.normalize import share_of_maximum
from kschedctl.framework.plugin import Plugin, PluginContext, PreFilterResult, PreScoreResult, Scores
from kschedctl.framework.plugin_spec import PluginSpec, Reads
from kschedctl.framework.status import Code, Detail, Status
from kschedctl.framework.verdicts import PASS, Mask, Verdicts, first_of
from kschedctl.objects.constraints import PreferredSchedulingTerm
from kschedctl.objects.meta import NodeSelector, NodeSelectorTerm
from kschedctl.objects.pod import PodSpec
from kschedctl.objects.selectors import (
    NodeTerm,
    SelectorError,
    lenient_node_terms,
    parse_node_selector,
    parse_preferred_terms,
)
from kschedctl.plugins.explanations.node_labels import added_mismatch, mismatches
from kschedctl.plugins.explanations.preferences import preferences_gap
from kschedctl.plugins.hints.nodes import affinity_interests
from kschedctl.plugins.signatures import Fragments, of_node_affinity

REASON_POD = "node(s) didn't match Pod's node affinity/selector"
REASON_ENFORCED = "node(s) didn't match scheduler-enforced node affinity"
REASON_CONFLICT = "pod affinity terms conflict"

WeightedTerms = tuple[tuple[int, NodeTerm], ...]


class _State(Struct, frozen=True):
    enforced: Mask
    """bool (N,): nodes that match the affinity added by the profile."""
    matching: Mask
    """bool (N,): nodes that match the pod's selector and required affinity."""
    spec: PodSpec


class NodeAffinity(Plugin[_State, npt.NDArray[np.int64]]):
    """Terms are decided once per distinct label value and spread over the nodes by an index."""

    spec = PluginSpec(
        name="NodeAffinity",
        points=frozenset(
            {ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER, ExtensionPoint.PRE_SCORE, ExtensionPoint.SCORE}
        ),
        args=NodeAffinityArgs,
        reads=Reads.NODES,
        keeps_scores=False,
        narrows_to="the node affinity of the pod names only",
    )

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        added = context.args.added_affinity if context.args else None
        self._enforced: tuple[NodeTerm, ...] | None = None
        self._added_preferred: WeightedTerms = ()
        self._prefers = added is not None and bool(added.preferred)
        self._added_required = added.required if added is not None else None
        if added is not None:
            if added.required is not None:
                self._enforced = parse_node_selector(added.required)
            self._added_preferred = parse_preferred_terms(added.preferred)

    def signature(self, pod: PodRecord, cluster: ClusterState) -> Fragments:
        """Selector and affinity."""
        return of_node_affinity(pod.pod.spec)

    def interests(self) -> tuple[Interest, ...]:
        """Nodes that come or get other labels."""
        return affinity_interests(self._enforced)

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult[_State]:
        """State: the matching nodes. Narrows the node set where every term names its nodes."""
        spec = pod.pod.spec
        required = _required(spec)
        state = _State(self._enforced_mask(cluster), required_node_mask(spec, cluster), spec)
        if required is None and spec.node_selector is None and self._enforced is None:
            return PreFilterResult(state, skip=True)
        names = _named_nodes(required.node_selector_terms) if required else None
        if names is not None and not names:
            return PreFilterResult(state, status=Status(Code.UNRESOLVABLE, (REASON_CONFLICT,)))
        return PreFilterResult(state, nodes=names)

    def _enforced_mask(self, cluster: ClusterState) -> Mask:
        if self._enforced is None:
            return np.ones(cluster.nodes.count, bool)
        return cluster.nodes.mask_of_terms(self._enforced)

    def filter(self, state: _State, rows: Rows) -> Verdicts:
        """The profile's affinity first, then the pod's own."""
        enforced, matching = rows.column(state.enforced), rows.column(state.matching)
        if enforced.all() and matching.all():
            return PASS
        return first_of(
            Verdicts.reject(~enforced, Code.UNRESOLVABLE, REASON_ENFORCED),
            Verdicts.reject(~matching, Code.UNRESOLVABLE, REASON_POD),
        )

    def pre_score(
        self, pod: PodRecord, cluster: ClusterState, feasible: npt.NDArray[np.int64]
    ) -> PreScoreResult[npt.NDArray[np.int64]]:
        """State: raw scores of all nodes, int64 (N,). Skips where nobody prefers anything."""
        affinity = pod.pod.spec.affinity
        preferred: Sequence[PreferredSchedulingTerm] = ()
        if affinity and affinity.node_affinity:
            preferred = affinity.node_affinity.preferred
        try:
            own = parse_preferred_terms(preferred)
        except SelectorError as error:
            return PreScoreResult(status=Status(Code.ERROR, (str(error),)))
        total = np.zeros(cluster.nodes.count, np.int64)
        for weight, term in (*self._added_preferred, *own):
            total += weight * cluster.nodes.mask_of_terms((term,))
        return PreScoreResult(total, skip=not preferred and not self._prefers)

    def score(self, state: npt.NDArray[np.int64], rows: Rows) -> Scores:
        """Sum of the weights of matching terms."""
        return np.asarray(rows.column(state))

    def normalize(
        self, state: npt.NDArray[np.int64], scores: Scores, feasible: npt.NDArray[np.int64]
    ) -> Scores:
        """Percent of the best."""
        return share_of_maximum(scores)

    def score_gap(
        self, pod: PodRecord, cluster: ClusterState, feasible: npt.NDArray[np.int64], row: int, other: int
    ) -> str:
        """The preferred terms that only one of the nodes matches."""
        return preferences_gap(pod, self._added_preferred, row, other, cluster)

    def details(self, state: _State, rows: Rows, row: int) -> tuple[Detail, ...]:
        """Which label of the node is not what the selector or every term wants."""
        labels, name = rows.node(row).metadata.labels, rows.node(row).name
        if not state.enforced[rows.index[row]]:
            assert self._added_required is not None
            subject, text = added_mismatch(self._added_required, labels, name)
            return (Detail(self.name, REASON_ENFORCED, subject, text),)
        return tuple(
            Detail(self.name, REASON_POD, subject, text)
            for subject, text in mismatches(state.spec, labels, name)
        )


def required_node_mask(spec: PodSpec, cluster: ClusterState) -> Mask:
    """Nodes that match a pod's node selector and required node affinity, bool (N,); bad terms match nothing."""
    matching = cluster.nodes.mask_of_equalities(spec.node_selector or {})
    required = _required(spec)
    if required is not None:
        matching &= cluster.nodes.mask_of_terms(lenient_node_terms(required))
    return matching


def _required(spec: PodSpec) -> NodeSelector | None:
    affinity = spec.affinity.node_affinity if spec.affinity else None
    return affinity.required if affinity else None


def _named_nodes(terms: tuple[NodeSelectorTerm, ...]) -> frozenset[str] | None:
    """The node names to which the terms confine the pod, None where some term does not name any."""
    named: set[str] = set()
    for term in terms:
        lists = [set(f.values) for f in term.match_fields if f.key == "metadata.name" and f.operator == "In"]
        if not lists:
            return None
        named |= set.intersection(*lists)
    return frozenset(named) if terms else None
