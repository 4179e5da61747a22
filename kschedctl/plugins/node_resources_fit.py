"""NodeResourcesFit: capacity, and how full a node should get (spec 02 D.8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.resources import CPU, EPHEMERAL_STORAGE, MEMORY, ResourceIndex
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Interest
from kschedctl.framework.configuration.args import NodeResourcesFitArgs
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.placement import PlacementTrial
from kschedctl.framework.plugin import Plugin, PluginContext, PreFilterResult, PreScoreResult, Scores
from kschedctl.framework.plugin_spec import PluginSpec, Reads
from kschedctl.framework.status import Code, Detail
from kschedctl.framework.verdicts import PASS, Mask, Verdicts
from kschedctl.objects.go import wrap_int64
from kschedctl.objects.pod_requests import (
    fit_score_requests,
    is_extended_resource,
    pod_requests,
    to_resource_units,
)
from kschedctl.objects.units import amount_texts
from kschedctl.plugins.device_backed import DeviceBackedResources
from kschedctl.plugins.explanations.usage import usage_gap
from kschedctl.plugins.hints.resources import ResourceHints
from kschedctl.plugins.packing import SCORERS, Packing
from kschedctl.plugins.placement_packing import placement_score
from kschedctl.plugins.signatures import Fragments, of_requests

TOO_MANY_PODS = "Too many pods"


class _Need(Struct, frozen=True):
    name: str
    column: int
    amount: int
    left_to_devices: bool
    """Whether DynamicResources looks after it on nodes that offer none of it by themselves."""
    own_node: int = -1
    """The row of the node on which the pod runs already, and is to be resized."""
    counted: int = 0
    """What it counts for already there."""

    def beyond(self, nodes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64] | int:
        """What is needed beyond what the nodes, int64 (R,), count already: int64 (R,), or the same for all."""
        if self.own_node < 0:
            return self.amount
        return np.where(nodes == self.own_node, max(0, self.amount - self.counted), self.amount)


class NodeResourcesFit(Plugin[tuple[_Need, ...], tuple[Packing, ...]]):
    """Every resource that is short is a reason of its own; all are reported."""

    spec = PluginSpec(
        name="NodeResourcesFit",
        points=frozenset(
            {
                ExtensionPoint.PRE_FILTER,
                ExtensionPoint.FILTER,
                ExtensionPoint.PRE_SCORE,
                ExtensionPoint.SCORE,
                ExtensionPoint.PLACEMENT_SCORE,
            }
        ),
        args=NodeResourcesFitArgs,
        reads=Reads.USAGE,
        judges_deferred_pods=True,
        filter_state_missing='error reading "PreFilterNodeResourcesFit" from cycleState: not found',
        score_title="Fit",
    )

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self._ignored = frozenset(context.args.ignored_resources)
        self._ignored_groups = frozenset(context.args.ignored_resource_groups)
        self._strategy = context.args.scoring_strategy
        self._devices = DeviceBackedResources(context)

    def signature(self, pod: PodRecord, cluster: ClusterState) -> Fragments | None:
        """What the pod asks for; devices that stand for a resource differ from pod to pod."""
        found = of_requests(pod.pod.spec)
        asked = pod.pod_class.requests
        return None if self._devices.left_to_devices(asked, cluster) else found

    def interests(self) -> tuple[Interest, ...]:
        """Room that pods leave, nodes that come or grow."""
        gates = self.context.gates
        hints = ResourceHints(
            self._devices,
            resizes=gates.enabled("InPlacePodVerticalScaling"),
            device_classes=gates.enabled("DRAExtendedResource"),
        )
        return hints.interests()

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult[tuple[_Need, ...]]:
        """State: what the pod needs, from its spec alone; never rejects."""
        requests = pod_requests(pod.pod.spec)
        amounts = {name: max(0, wrap_int64(to_resource_units(name, q))) for name, q in requests.items()}
        left = self._devices.left_to_devices(amounts, cluster)
        own_node, counted = self._running(pod, cluster)
        needs = [
            _Need(name, column, amounts[name], name in left, own_node, counted.get(name, 0))
            for name in _in_order(cluster.resources, amounts)
            if amounts[name] and (column := cluster.resources.column(name)) is not None
        ]
        return PreFilterResult(tuple(need for need in needs if not self._is_ignored(need.name)))

    def _running(self, pod: PodRecord, cluster: ClusterState) -> tuple[int, Mapping[str, int]]:
        """Row and requests of the pod where it runs already and is to be resized; -1 for all others (spec 06 §4.4)."""
        row = cluster.nodes.row_of.get(pod.pod.node_name, -1)
        gate = self.context.gates.enabled("InPlacePodVerticalScalingSchedulerPreemption")
        if row < 0 or not gate:
            return -1, {}
        there = (cluster.pods.records[other] for other in cluster.usage.pods[row])
        same = next((record for record in there if record.pod.uid == pod.pod.uid), None)
        return row, {} if same is None else same.pod_class.requests

    def _is_ignored(self, name: str) -> bool:
        if not is_extended_resource(name):
            return False
        return name in self._ignored or name.split("/")[0] in self._ignored_groups

    def filter(self, state: tuple[_Need, ...], rows: Rows) -> Verdicts:
        """Reject rows that lack room for a pod or for any amount."""
        full = rows.pod_count + 1 > rows.allowed_pods
        reasons: list[tuple[Mask, str]] = [(full, TOO_MANY_PODS)] if full.any() else []
        hopeless = np.zeros(len(rows), bool)
        allocatable, requested = rows.allocatable, rows.requested
        for need in state:
            total = allocatable[:, need.column]
            short = self._is_short(need, total, requested[:, need.column], rows.cluster, rows.index)
            if short.any():
                reasons.append((short, f"Insufficient {need.name}"))
                hopeless |= short & (need.amount > total)
        if not reasons:
            return PASS
        failed = np.logical_or.reduce([mask for mask, _ in reasons])
        codes = np.where(hopeless, Code.UNRESOLVABLE, np.where(failed, Code.UNSCHEDULABLE, 0))
        return Verdicts(codes.astype(np.uint8), tuple(reasons))

    def _is_short(
        self,
        need: _Need,
        total: npt.NDArray[np.int64],
        requested: npt.NDArray[np.int64],
        cluster: ClusterState,
        nodes: npt.NDArray[np.int64],
    ) -> Mask:
        """Bool (R,): rows that lack the amount, and for which no device may stand in; `nodes`: int64 (R,)."""
        short = need.beyond(nodes) > total - requested
        if not need.left_to_devices:
            return short
        return short & self._devices.offered(need.name, total, cluster, nodes)

    def pre_score(
        self, pod: PodRecord, cluster: ClusterState, feasible: npt.NDArray[np.int64]
    ) -> PreScoreResult[tuple[Packing, ...]]:
        """State: what the pod adds to each configured resource. Never skips."""
        requests = fit_score_requests(pod.pod.spec)
        packing: list[Packing] = []
        for resource in self._strategy.resources:
            column = cluster.resources.column(resource.name)
            if column is None:
                continue
            asked = requests.get(resource.name)
            added = wrap_int64(to_resource_units(resource.name, asked)) if asked is not None else 0
            devices = self._devices.counts(resource.name, cluster) if added else None
            packing.append(Packing(column, resource.weight, added, devices))
        return PreScoreResult(tuple(packing), reads_devices=any(p.devices is not None for p in packing))

    def score(self, state: tuple[Packing, ...], rows: Rows) -> Scores:
        """The strategy's score of each row."""
        return SCORERS[self._strategy.type](state, rows, self._strategy)

    def score_placement(self, trial: PlacementTrial, cluster: ClusterState) -> int:
        """How full the nodes of a placement would get."""
        return placement_score(trial, self._strategy.resources, cluster)

    def score_gap(
        self, pod: PodRecord, cluster: ClusterState, feasible: npt.NDArray[np.int64], row: int, other: int
    ) -> str:
        """How full the nodes would be, of the resources that the profile scores."""
        state = self.pre_score(pod, cluster, feasible).state
        assert state is not None
        return usage_gap(state, row, other, cluster)

    def details(self, state: tuple[_Need, ...], rows: Rows, row: int) -> tuple[Detail, ...]:
        """How much of what is needed, free and allocatable."""
        return self.details_of(state, rows, np.array([row]))[0]

    def details_of(
        self, state: tuple[_Need, ...], rows: Rows, index: npt.NDArray[np.int64]
    ) -> list[tuple[Detail, ...]]:
        """The same of many rows: a text is made once for equal amounts."""
        allowed, count = rows.allowed_pods[index], rows.pod_count[index]
        facts = [count + 1 > allowed, allowed - count, allowed]
        allocatable, used = rows.allocatable, rows.requested
        for need in state:
            total, requested = allocatable[index, need.column], used[index, need.column]
            short = self._is_short(need, total, requested, rows.cluster, rows.index[index])
            facts += [short, total - requested, total]
        lacking = np.repeat(np.array(facts[::3], bool), 3, axis=0)
        table = np.where(lacking, np.array(facts, np.int64), 0)
        made: dict[tuple[int, ...], tuple[Detail, ...]] = {}
        found = []
        for row in map(tuple, table.T.tolist()):
            if row not in made:
                made[row] = tuple(self._lacks(state, row))
            found.append(made[row])
        return found

    def _lacks(self, state: tuple[_Need, ...], facts: Sequence[int]) -> Iterator[Detail]:
        """The details by three figures each, of pods and then of every need: whether it lacks, free, in all."""
        full, places, allowed, *amounts = facts
        if full:
            text = f"pods: {allowed - places} of {allowed} are there"
            yield Detail(self.name, TOO_MANY_PODS, "pods", text, 1, places, allowed)
        for at, need in enumerate(state):
            short, free, whole = amounts[3 * at : 3 * at + 3]
            if short:
                needs, left, all_ = amount_texts(need.name, (need.amount, abs(free), whole))
                text = f"{need.name}: needs {needs}, free {left} of {all_}"
                if free < 0:
                    text = f"{need.name}: needs {needs}, none free: pods ask for {left} more than the {all_} there are"
                yield Detail(
                    self.name, f"Insufficient {need.name}", need.name, text, need.amount, free, whole
                )


def _in_order(resources: ResourceIndex, amounts: dict[str, int]) -> list[str]:
    """cpu, memory, ephemeral-storage, then the others by name: the real order of those is random."""
    named = [resources.names[c] for c in (CPU, MEMORY, EPHEMERAL_STORAGE)]
    return [n for n in named if n in amounts] + sorted(n for n in amounts if n not in named)
