"""What stands between a pod and every node: which plugins refuse it where, each asked by itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from kschedctl.advice.json_patch import document_of
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.runtime import PreFilterPhase
from kschedctl.objects.pod import Pod, PodSpec
from kschedctl.objects.tolerations import is_tolerated
from kschedctl.objects.well_known import CORDON_TAINT
from kschedctl.plugins.node_unschedulable import NodeUnschedulable
from kschedctl.plugins.taint_toleration import TaintToleration
from kschedctl.scheduling.decision import Decision
from kschedctl.whatif.session import Session
from kschedctl.workloads import WORKLOADS, Ownership

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_CORDONED, _TAINTS = NodeUnschedulable.spec.name, TaintToleration.spec.name


class Situation:
    """A pod that fits nowhere, and why; to be looked at while the cluster is as it was decided.

    Attributes:
        session: the cluster.
        pod: the candidate as it would be created anew.
        record: the candidate as it was decided.
        framework: its profile.
        phase: what PreFilter left, each plugin asked for itself; those that refuse the pod as a whole are skipped.
        refusals: plugin -> the nodes that it refuses, bool (N,), those that it narrows away included.
        spared: ids of pods that are on their nodes for the sake of the question, and cannot leave.
    """

    def __init__(
        self, session: Session, pod: Pod, decision: Decision, spared: frozenset[int] = frozenset()
    ) -> None:
        framework = decision.framework
        assert framework is not None
        self.session, self.pod, self.record, self.framework = session, pod, decision.pod, framework
        self.cluster, self.spared = session.cluster, spared
        self.phase, self.refusals = self._asked(self.record, None)
        self._merge_cordons()

    @property
    def spec(self) -> PodSpec:
        """The spec after admission."""
        return self.record.pod.spec

    @cached_property
    def document(self) -> Any:
        """The pod as it is written, as JSON-like data: what patches are made for."""
        return document_of(self.pod)

    @cached_property
    def ownership(self) -> Ownership:
        """Whose the running pods are."""
        return ownership_of(self.session)

    @cached_property
    def rows(self) -> Rows:
        """All nodes."""
        return Rows(self.cluster)

    @cached_property
    def refusing_for_pods(self) -> frozenset[str]:
        """The plugins of the profile whose refusals may be for pods that are on nodes."""
        return frozenset(plugin.name for plugin in self.framework.plugins if plugin.spec.refuses_for_pods)

    @cached_property
    def comparison(self) -> bool:
        """Whether tolerations may compare numbers."""
        return self.session.scheduler.configuration.gates.enabled("TaintTolerationComparisonOperators")

    def refused(self, record: PodRecord, plugins: Collection[str]) -> Mask:
        """The nodes that some of the plugins refuse to another pod, bool (N,)."""
        _, refusals = self._asked(record, plugins)
        found = np.zeros(self.cluster.nodes.count, bool)
        for mask in refusals.values():
            found |= mask
        return found

    def _asked(
        self, record: PodRecord, plugins: Collection[str] | None
    ) -> tuple[PreFilterPhase, dict[str, Mask]]:
        """What plugins say of a pod, each for itself; None: all plugins."""
        count, phase, refusals = self.cluster.nodes.count, PreFilterPhase(), dict[str, Mask]()
        if plugins is not None:
            phase.skipped |= {plugin.name for plugin in self.framework.plugins} - set(plugins)
        for plugin in self.framework.at(ExtensionPoint.PRE_FILTER):
            if plugin.name in phase.skipped:
                continue
            found = plugin.pre_filter(record, self.cluster)
            phase.states[plugin.name] = found.state
            if found.status is not None:
                refusals[plugin.name] = np.ones(count, bool)
            elif found.nodes is not None:
                names = found.nodes
                refusals[plugin.name] = np.array([name not in names for name in self.cluster.nodes.names])
            if found.skip or found.status is not None:
                phase.skipped.add(plugin.name)
        for plugin, verdicts in self.framework.run_filters(record, phase, self.rows, every=True).verdicts:
            refused = np.asarray(verdicts.codes) != 0
            refusals[plugin.name] = refusals.get(plugin.name, np.zeros(count, bool)) | refused
        return phase, refusals

    def _merge_cordons(self) -> None:
        """A cordon and its taint are one obstacle."""
        cordoned, tainted = self.refusals.get(_CORDONED), self.refusals.get(_TAINTS)
        if cordoned is not None and tainted is not None:
            self.refusals[_TAINTS] = tainted & ~(cordoned & ~self._carries_other_taints())

    def _carries_other_taints(self) -> Mask:
        """Nodes with a hard taint beside that of a cordon that the pod does not tolerate, bool (N,)."""
        taints = self.cluster.nodes.taints
        wrong = [
            t.key != CORDON_TAINT
            and t.is_hard
            and not is_tolerated(self.spec.tolerations, t, comparison=self.comparison)
            for t in taints
        ]
        return np.asarray(self.cluster.nodes.taint_counts[:, np.array(wrong, bool)].any(axis=1))

    def obstacles(self) -> Iterator[tuple[frozenset[str], Ints]]:
        """Sets of plugins with the nodes, int64 (n,), that exactly these refuse: few plugins and many nodes first."""
        names = [name for name, mask in self.refusals.items() if mask.any()]
        code = np.zeros(self.cluster.nodes.count, np.int64)
        for bit, name in enumerate(names):
            code |= self.refusals[name].astype(np.int64) << bit
        code[~self.cluster.present.mask] = 0
        kinds, counts = np.unique(code[code != 0], return_counts=True)
        order = sorted(
            zip(kinds.tolist(), counts.tolist(), strict=True), key=lambda k: (k[0].bit_count(), -k[1], k[0])
        )
        for kind, _ in order:
            plugins = frozenset(name for bit, name in enumerate(names) if kind >> bit & 1)
            yield plugins, np.flatnonzero(code == kind).astype(np.int64)

    @cached_property
    def needs(self) -> Mapping[str, int]:
        """What the pod asks for, in resource units; 0 is left out."""
        return {name: amount for name, amount in self.record.pod_class.requests.items() if amount > 0}

    def free(self, resource: str) -> Ints:
        """What is left of a resource on every node, int64 (N,)."""
        column = self.cluster.resources.column(resource)
        if column is None:
            return np.zeros(self.cluster.nodes.count, np.int64)
        return self.rows.allocatable[:, column] - self.rows.requested[:, column]

    def free_without_spared(self, resource: str) -> Ints:
        """The same as it would be without the pods that are spared."""
        found, pods = self.free(resource).copy(), self.cluster.pods
        for pod in sorted(self.spared):
            found[pods.node[pod]] += pods.records[pod].pod_class.requests.get(resource, 0)
        return found

    def total(self, resource: str) -> Ints:
        """What nodes have of a resource in all, int64 (N,)."""
        column = self.cluster.resources.column(resource)
        if column is None:
            return np.zeros(self.cluster.nodes.count, np.int64)
        return self.rows.allocatable[:, column]

    def shortfall(self) -> npt.NDArray[np.float64]:
        """The largest share of a need that a node cannot meet, float64 (N,): 0 where all is there."""
        worst = np.zeros(self.cluster.nodes.count)
        for name, amount in self.needs.items():
            worst = np.maximum(worst, (amount - self.free(name)) / amount)
        return worst

    def nearest(self, rows: Ints, most: int) -> Ints:
        """The rows that lack least of what the pod asks for, by name where equal."""
        names, lacks = self.cluster.nodes.names, self.shortfall()
        order = sorted(
            rows.tolist(), key=lambda row: (round(float(lacks[row]), 6), len(names[row]), names[row])
        )
        return np.array(order[:most], np.int64)


def placed_anew(pod: Pod | PodRecord) -> Pod:
    """The pod as it would be created: one of the cluster without its node, another one as it is written."""
    if isinstance(pod, Pod):
        return pod
    found = pod.pod.source
    assert found is not None
    return replace(found, spec=replace(found.spec, node_name="")) if found.spec.node_name else found


def ownership_of(session: Session) -> Ownership:
    """Whose the pods of a cluster are."""
    return Ownership(obj for kind in WORKLOADS for obj in session.cluster.objects.all(kind).values())
