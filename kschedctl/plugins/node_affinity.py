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
from kschedctl.objects.meta import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from kschedctl.objects.pod import PodSpec, PreferredSchedulingTerm
from kschedctl.objects.selectors import (
    COMPARISONS,
    NodeTerm,
    Requirement,
    SelectorError,
    lenient_node_terms,
    parse_int64,
    parse_node_selector,
    parse_preferred_terms,
)
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
    )

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        added = context.args.added_affinity if context.args else None
        self._enforced: tuple[NodeTerm, ...] | None = None
        self._added_preferred: WeightedTerms = ()
        self._prefers = added is not None and bool(added.preferred)
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
            len(rows),
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
        return preferences_gap(pod, row, other, cluster)

    def details(self, state: _State, rows: Rows, row: int) -> tuple[Detail, ...]:
        """Which label of the node is not what the selector or every term wants."""
        if not state.enforced[rows.index[row]]:
            text = "the scheduler profile adds a node affinity that this node does not match"
            return (Detail(self.name, REASON_ENFORCED, text, text),)
        labels, name = rows.node(row).metadata.labels, rows.node(row).name
        return tuple(
            Detail(self.name, REASON_POD, subject, text)
            for subject, text in _mismatches(state.spec, labels, name)
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


def _mismatches(spec: PodSpec, labels: dict[str, str], name: str) -> list[tuple[str, str]]:
    found = [
        (f"label {key}: wants {value}", f"{_shown(key, labels.get(key))}, wants {value}")
        for key, value in (spec.node_selector or {}).items()
        if labels.get(key) != value
    ]
    required = _required(spec)
    if required is None:
        return found
    if not any(term.match_expressions or term.match_fields for term in required.node_selector_terms):
        return [
            *found,
            ("required node affinity without terms", "required node affinity has no term to match"),
        ]
    missed: list[list[tuple[str, str]]] = []
    for term in required.node_selector_terms:
        wrong = _wrong_in(term, labels, name)
        if wrong is None:
            return found
        missed.append(wrong)
    return found + (missed[0] if len(missed) == 1 else [_no_term(required, missed)])


def _no_term(required: NodeSelector, missed: list[list[tuple[str, str]]]) -> tuple[str, str]:
    """What is said of a node that matches none of several terms: one would be enough."""
    wishes = [
        " and ".join(f"{entry.key} {_wish(entry)}" for entry in (*term.match_expressions, *term.match_fields))
        for term in required.node_selector_terms
    ]
    texts = [" and ".join(text for _, text in wrong) for wrong in missed]
    return f"labels: wants {', or '.join(filter(None, wishes))}", "; or ".join(texts)


def _wrong_in(term: NodeSelectorTerm, labels: dict[str, str], name: str) -> list[tuple[str, str]] | None:
    """What a term wants and the node lacks; None where the term matches."""
    wrong = [
        (
            f"label {e.key}: wants {_wish(e)}",
            f"{_shown(e.key, labels.get(e.key))}, wants {_wish(e)}{_incomparable(e, labels.get(e.key))}",
        )
        for e in term.match_expressions
        if not _accepts(e, labels.get(e.key))
    ]
    wrong += [
        (f"node name: wants {_wish(f)}", f"node name {name}, wants {_wish(f)}")
        for f in term.match_fields
        if not _accepts(f, name)
    ]
    if wrong:
        return wrong
    matches = bool(lenient_node_terms(NodeSelector(node_selector_terms=(term,))))
    return (
        None
        if matches
        else [("a term that is not valid", "the term is empty or not valid, so it matches nothing")]
    )


def _accepts(entry: NodeSelectorRequirement, value: str | None) -> bool:
    return Requirement(entry.key, entry.operator, entry.values).accepts(value)


def _wish(entry: NodeSelectorRequirement) -> str:
    wish = f"{entry.operator} [{', '.join(entry.values)}]" if entry.values else entry.operator
    if entry.operator in COMPARISONS and any(parse_int64(value) is None for value in entry.values):
        return f"{wish}, which is no integer and matches nothing"
    return wish


def _incomparable(entry: NodeSelectorRequirement, value: str | None) -> str:
    """That the value of a node cannot be compared, although the pod's can."""
    if entry.operator not in COMPARISONS or value is None or parse_int64(value) is not None:
        return ""
    return "" if any(parse_int64(v) is None for v in entry.values) else f"; {value} is no integer"


def _shown(key: str, value: str | None) -> str:
    return f"no label {key}" if value is None else f"label {key}={value}"
