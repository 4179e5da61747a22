"""Spread constraints of a pod, own or default, ready to be counted (spec 03 §1.2 and §1.3)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.counts import PodCount
from kschedctl.cluster.domains import domain_sums
from kschedctl.cluster.labels import LabelColumn
from kschedctl.cluster.nodes import NodeTable
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.present_nodes import PresentNodes
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.configuration.args import SYSTEM_DEFAULTING, PodTopologySpreadArgs
from kschedctl.framework.plugin import PluginContext
from kschedctl.objects.apps import ReplicaSet, ReplicationController, StatefulSet
from kschedctl.objects.constraints import TopologySpreadConstraint
from kschedctl.objects.core import Service
from kschedctl.objects.meta import LabelSelector
from kschedctl.objects.selectors import Requirement, Selector, SelectorError, parse_label_selector
from kschedctl.objects.tolerations import is_tolerated
from kschedctl.objects.well_known import HOSTNAME, ZONE
from kschedctl.plugins.node_affinity import required_node_mask

Mask = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

HARD: Final = "DoNotSchedule"
SOFT: Final = "ScheduleAnyway"

_SYSTEM_DEFAULTS: Final = (
    TopologySpreadConstraint(max_skew=3, topology_key=HOSTNAME, when_unsatisfiable=SOFT),
    TopologySpreadConstraint(max_skew=5, topology_key=ZONE, when_unsatisfiable=SOFT),
)


class SpreadConstraint(Struct, frozen=True):
    """One constraint over the nodes of a cluster.

    Attributes:
        key: topology key.
        max_skew: largest skew that is still fine.
        min_domains: how many domains there must be for the minimum to be more than 0.
        selector: which pods count.
        column: the key's label over all nodes.
        included: bool (N,), nodes that the inclusion policies accept for this pod.
        honors: names of the policies that are honoured, for people.
    """

    key: str
    max_skew: int
    min_domains: int
    selector: Selector
    column: LabelColumn
    included: Mask
    honors: tuple[str, ...]

    @property
    def counts_nothing(self) -> bool:
        """Whether the selector is `{}`: it matches every pod, yet existing pods are not counted for it."""
        return self.selector.everything

    def pods(self, pod: PodRecord, cluster: ClusterState) -> PodCount:
        """Pods of the candidate's namespace that the selector matches and that are not terminating."""
        key = ("spread", pod.namespace, self.selector)
        return cluster.counts.get(key, partial(self._weights, pod, cluster), live_only=True)

    def _weights(self, pod: PodRecord, cluster: ClusterState) -> Ints:
        """1 for the classes of pods whose namespace and labels are meant, int64 (C,)."""
        groups = cluster.pods.classes.groups
        mine = groups.in_namespaces(pod.namespace.__eq__)
        return cluster.pods.classes.matching(groups.matching(self.selector) & mine).astype(np.int64)


class Ground(Struct, frozen=True, eq=False):
    """Where pods count for the hard constraints of a pod: all of it that pods do not change.

    Attributes:
        constraints: the constraints.
        nodes: the nodes that are there.
        labelled: bool (N,), nodes that carry the key of every constraint.
        eligible: per constraint bool (N,), nodes whose pods count.
        domains: per constraint bool (D,), domains that have such a node.
    """

    constraints: tuple[SpreadConstraint, ...]
    nodes: PresentNodes
    labelled: Mask
    eligible: tuple[Mask, ...]
    domains: tuple[Mask, ...]

    @classmethod
    def of(cls, constraints: tuple[SpreadConstraint, ...], nodes: PresentNodes) -> Ground:
        """The ground of some constraints."""
        labelled = carry_all(constraints, len(nodes.mask))
        eligible = tuple(labelled & c.included & nodes.mask for c in constraints)
        domains = tuple(
            domain_sums(c.column, mask.astype(np.int64)) > 0
            for c, mask in zip(constraints, eligible, strict=True)
        )
        return cls(constraints, nodes, labelled, eligible, domains)


class ScoringGround(Struct, eq=False):
    """Where pods count for the soft constraints of a pod: all of it that pods do not change.

    Attributes:
        constraints: the constraints.
        ignored: bool (N,), nodes that are not scored, since they lack a key.
        ignores: whether there are any.
        counted: per constraint bool (N,), nodes whose pods count in their domain.
    """

    constraints: tuple[SpreadConstraint, ...]
    ignored: Mask
    ignores: bool
    counted: tuple[Mask, ...]
    _feasible: Ints | None = None
    _weights: tuple[float, ...] = ()

    @classmethod
    def of(cls, constraints: tuple[SpreadConstraint, ...], nodes: int, *, strict: bool) -> ScoringGround:
        """The ground of some constraints over N nodes; `strict`: a node needs all keys to be scored."""
        labelled = carry_all(constraints, nodes) if strict else np.ones(nodes, bool)
        counted = tuple(labelled & c.included for c in constraints)
        return cls(constraints, ~labelled, not labelled.all(), counted)

    def weights(self, feasible: Ints) -> tuple[float, ...]:
        """The weight of each constraint, by the domains of the feasible nodes, int64 (F,); kept for the same nodes."""
        if self._feasible is None or not np.array_equal(self._feasible, feasible):
            scored = feasible[~self.ignored[feasible]]
            self._weights = tuple(math.log(_domains(c, scored) + 2) for c in self.constraints)
            self._feasible = feasible
        return self._weights


def _domains(constraint: SpreadConstraint, rows: Ints) -> int:
    """How many domains some nodes are in, int64 (n,); for the host name: how many nodes."""
    if constraint.key == HOSTNAME:
        met = np.zeros(int(rows.max(initial=-1)) + 1, bool)
        met[rows] = True
        return int(np.count_nonzero(met))
    column = constraint.column
    seen = np.zeros(len(column.values) + 1, bool)
    seen[column.codes[rows]] = True
    if seen[-1]:  # a missing label reads as the empty value, which may be a domain of its own
        seen[column.code_of.get("", -1)] = True
        seen[-1] = "" not in column.code_of
    return int(seen.sum())


def carry_all(constraints: Sequence[SpreadConstraint], nodes: int) -> Mask:
    """Nodes that carry the key of every constraint, bool (N,)."""
    labelled = np.ones(nodes, bool)
    for constraint in constraints:
        labelled &= constraint.column.codes >= 0
    return labelled


class _Kept:
    """Constraints that were built for labels and taints of nodes; other ones start anew.

    Attributes:
        grounds: `(builder, class of pods)` -> the ground of its hard constraints.
        scoring: the same of its soft constraints.
        by_class: `(builder, class of pods, action)` -> constraints.
        by_selectors: the same for pods that are equal up to labels, and whose constraints select alike.
    """

    def __init__(self, cluster: ClusterState) -> None:
        self._read = _columns_read(cluster.nodes)
        self.grounds: dict[tuple[ConstraintBuilder, int], Ground] = {}
        self.scoring: dict[tuple[ConstraintBuilder, int], ScoringGround] = {}
        self.by_class: dict[tuple[ConstraintBuilder, int, str], tuple[SpreadConstraint, ...]] = {}
        self.by_selectors: dict[
            tuple[ConstraintBuilder, int, str, tuple[Selector, ...]], tuple[SpreadConstraint, ...]
        ] = {}

    def of(self, nodes: NodeTable) -> _Kept:
        """What is kept for a node table."""
        read = _columns_read(nodes)
        if any(now is not before for now, before in zip(read, self._read, strict=True)):
            self._read, self.by_class, self.by_selectors = read, {}, {}
            self.grounds, self.scoring = {}, {}
        return self


def _columns_read(nodes: NodeTable) -> tuple[object, ...]:
    """What constraints are made of."""
    return nodes.label_columns, nodes.taint_counts


class ConstraintBuilder:
    """Builds the constraints that apply to a pod, by the plugin's arguments and gates."""

    def __init__(self, context: PluginContext) -> None:
        args: PodTopologySpreadArgs = context.args
        self.system_defaults = args.defaulting_type == SYSTEM_DEFAULTING
        self._defaults = _SYSTEM_DEFAULTS if self.system_defaults else args.default_constraints
        self._match_label_keys = context.gates.enabled("MatchLabelKeysInPodTopologySpread")
        self._comparison = context.gates.enabled("TaintTolerationComparisonOperators")

    def may_apply(self, pod: PodRecord) -> bool:
        """Whether the pod has constraints, or pods without any get some."""
        return bool(pod.pod.spec.topology_spread_constraints or self._defaults)

    def build(self, pod: PodRecord, cluster: ClusterState, action: str) -> tuple[SpreadConstraint, ...]:
        """The pod's constraints of one action (HARD or SOFT), in order; the defaults where it has none at all.

        They are kept per class of pods: nothing in them changes with pods that come and go.

        Raises:
            SelectorError: a selector cannot be parsed.
        """
        kept = cluster.extension(_Kept, _Kept).of(cluster.nodes)
        key = (self, pod.pod_class.index, action)
        known = kept.by_class.get(key)
        if known is None:
            wanted, selectors = self.applying(pod, cluster, action)
            alike = (self, pod.pod_class.template, action, selectors)
            known = kept.by_selectors.get(alike)
            if known is None:
                known = kept.by_selectors[alike] = self._over_nodes(pod, cluster, wanted, selectors)
            kept.by_class[key] = known
        return known

    def ground(self, pod: PodRecord, cluster: ClusterState) -> Ground | None:
        """Where pods count for the hard constraints of a pod; None where it has none.

        Raises:
            SelectorError: a selector cannot be parsed.
        """
        constraints = self.build(pod, cluster, HARD)
        if not constraints:
            return None
        grounds = cluster.extension(_Kept, _Kept).grounds
        key = (self, pod.pod_class.index)
        known = grounds.get(key)
        if known is None or known.constraints is not constraints or known.nodes is not cluster.present:
            known = grounds[key] = Ground.of(constraints, cluster.present)
        return known

    def scoring_ground(self, pod: PodRecord, cluster: ClusterState) -> ScoringGround | None:
        """Where pods count for the soft constraints of a pod; None where it has none.

        Raises:
            SelectorError: a selector cannot be parsed.
        """
        constraints = self.build(pod, cluster, SOFT)
        if not constraints:
            return None
        grounds = cluster.extension(_Kept, _Kept).scoring
        key = (self, pod.pod_class.index)
        known = grounds.get(key)
        if known is None or known.constraints is not constraints:
            strict = bool(pod.pod.spec.topology_spread_constraints) or not self.system_defaults
            known = grounds[key] = ScoringGround.of(constraints, cluster.nodes.count, strict=strict)
        return known

    def applying(
        self, pod: PodRecord, cluster: ClusterState, action: str
    ) -> tuple[Sequence[TopologySpreadConstraint], tuple[Selector, ...]]:
        """The constraints of the pod, or the defaults, with what each selects."""
        own = pod.pod.spec.topology_spread_constraints
        if own:
            wanted = [c for c in own if c.when_unsatisfiable == action]
            return wanted, tuple(self._selector(c, pod.pod.labels) for c in wanted)
        wanted = [c for c in self._defaults if c.when_unsatisfiable == action]
        default = default_selector(pod, cluster) if wanted else Selector()
        return ([], ()) if default.everything else (wanted, (default,) * len(wanted))

    def _selector(self, constraint: TopologySpreadConstraint, labels: Mapping[str, str]) -> Selector:
        selector = parse_label_selector(constraint.label_selector)
        if not self._match_label_keys or selector.nothing:
            return selector
        added = tuple(
            Requirement(key, "In", (labels[key],)) for key in constraint.match_label_keys if key in labels
        )
        return Selector((*selector.requirements, *added))

    def _over_nodes(
        self,
        pod: PodRecord,
        cluster: ClusterState,
        wanted: Sequence[TopologySpreadConstraint],
        selectors: Sequence[Selector],
    ) -> tuple[SpreadConstraint, ...]:
        everywhere = np.ones(cluster.nodes.count, bool)
        affine = any(c.node_affinity_policy != "Ignore" for c in wanted)
        matching = required_node_mask(pod.pod.spec, cluster) if affine else everywhere
        tainted = any(c.node_taints_policy == "Honor" for c in wanted)
        tolerated = self.tolerated(pod, cluster) if tainted else everywhere
        built = []
        for constraint, selector in zip(wanted, selectors, strict=True):
            affinity = constraint.node_affinity_policy != "Ignore"
            taints = constraint.node_taints_policy == "Honor"
            built.append(
                SpreadConstraint(
                    key=constraint.topology_key,
                    max_skew=constraint.max_skew,
                    min_domains=constraint.min_domains if constraint.min_domains is not None else 1,
                    selector=selector,
                    column=cluster.nodes.column(constraint.topology_key),
                    included=(matching if affinity else everywhere) & (tolerated if taints else everywhere),
                    honors=("nodeAffinity",) * affinity + ("nodeTaints",) * taints,
                )
            )
        return tuple(built)

    def tolerated(self, pod: PodRecord, cluster: ClusterState) -> Mask:
        """Nodes without a hard taint that the pod does not tolerate, bool (N,)."""
        tolerations = pod.pod.spec.tolerations
        refused = [
            taint.is_hard and not is_tolerated(tolerations, taint, comparison=self._comparison)
            for taint in cluster.nodes.taints
        ]
        carried = cluster.nodes.taint_counts[:, np.array(refused, bool)]
        return np.asarray(~carried.any(axis=1))


def default_selector(pod: PodRecord, cluster: ClusterState) -> Selector:
    """The selector of default constraints: that of the pod's services and of its controller (spec 03 §1.3)."""
    labels, namespace = pod.pod.labels, pod.namespace
    pairs: dict[str, str] = {}
    for (where, _), service in cluster.objects.all(Service).items():
        selector = service.spec.selector
        if where == namespace and selector is not None and selector.items() <= labels.items():
            pairs |= selector
    extra: tuple[Requirement, ...] = ()
    if (owner := pod.pod.metadata.controller) is not None:
        match owner.api_version, owner.kind:
            case "v1", "ReplicationController":
                controller = cluster.objects.find(ReplicationController, owner.name, namespace)
                if controller is not None:  # its selector defaults to the labels of its pods
                    pairs |= controller.spec.selector or controller.spec.template.metadata.labels
            case "apps/v1", "ReplicaSet":
                replica_set = cluster.objects.find(ReplicaSet, owner.name, namespace)
                extra = _requirements(replica_set.spec.selector if replica_set else None)
            case "apps/v1", "StatefulSet":
                stateful_set = cluster.objects.find(StatefulSet, owner.name, namespace)
                extra = _requirements(stateful_set.spec.selector if stateful_set else None)
    return Selector((*(Requirement(key, "In", (value,)) for key, value in sorted(pairs.items())), *extra))


def _requirements(selector: LabelSelector | None) -> tuple[Requirement, ...]:
    """The requirements of a workload's selector; a bad one adds nothing."""
    try:
        return parse_label_selector(selector).requirements
    except SelectorError:
        return ()
