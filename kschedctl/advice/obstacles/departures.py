"""Pods in the way: which of them have to leave a node, one alone if that is enough."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator
from typing import Final

import numpy as np

from kschedctl.advice.measure import Departure, Measure, Reference
from kschedctl.advice.situation import Ints, Mask, Situation
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import HypotheticalRows
from kschedctl.framework.plugin_spec import Reads
from kschedctl.framework.runtime import PreFilterPhase
from kschedctl.objects.phrases import names_text
from kschedctl.objects.pod import Pod
from kschedctl.workloads.controllers import is_daemon, is_recreated, is_static
from kschedctl.workloads.deletion_order import replica_deletion_order
from kschedctl.workloads.stateful_set import ordinal_of
from kschedctl.workloads.workload import WorkloadKey

_MOST_NODES: Final = 48
_MOST_LEAVING: Final = 5
_SYSTEM: Final = 2_000_000_000
_MOST_SCALED: Final = 4
_MOST_REPLICAS: Final = 500
"""Of larger workloads the few pods that would go first are hardly ever those in the way."""


def departures(situation: Situation, rows: Ints, plugins: Collection[str]) -> Iterator[Measure]:
    """Pods that end by themselves; one pod; the fewest pods of one node; fewer replicas of a workload.

    Args:
        situation: the pod that needs the room.
        rows: int64 (n,), the nodes on which only pods are in the way, as far as `plugins` see.
        plugins: those that refuse these nodes.
    """
    trial = _Trial(situation, situation.nearest(rows, _MOST_NODES), plugins)
    yield from trial.ending()
    singles = list(trial.singles())
    yield from singles
    if not singles:
        yield from trial.several()
    yield from trial.far()
    yield from trial.scaled()


def room_makers(situation: Situation, rows: Ints, plugins: Collection[str]) -> Iterator[Measure]:
    """Of each node the least important pod that alone makes room for the candidate; arguments as for `departures`."""
    yield from _Trial(situation, situation.nearest(rows, _MOST_NODES), plugins).one_of_each_node()


class _Trial:
    """Nodes from which pods are taken, each node in a world of its own."""

    def __init__(self, situation: Situation, rows: Ints, plugins: Collection[str]) -> None:
        self._situation, self._rows = situation, rows
        self._cluster = situation.cluster
        skipped = {p.name for p in situation.framework.plugins if p.name not in plugins}
        phase = situation.phase
        self._phase = PreFilterPhase(dict(phase.states), skipped | phase.skipped)
        self._listed = [list(self._cluster.usage.pods[row]) for row in rows.tolist()]
        self._records = self._cluster.pods.records

    def _world(self) -> HypotheticalRows:
        return self._situation.framework.hypothetical(self._phase, self._cluster, self._rows)

    def _without(self, world: HypotheticalRows, pods: list[int]) -> None:
        self._situation.framework.change(self._phase, world, np.array(pods, np.int64), -1)

    def _fits(self, world: HypotheticalRows, among: Mask | None = None) -> Mask:
        framework, record = self._situation.framework, self._situation.record
        return framework.run_filters(record, self._phase, world, among=among).feasible

    def ending(self) -> Iterator[Measure]:
        """Pods whose deletion has begun: waiting is enough."""
        ending = [[p for p in pods if self._records[p].pod.is_terminating] for pods in self._listed]
        world = self._world()
        for rank in range(max(map(len, ending), default=0)):
            self._without(world, [pods[rank] if rank < len(pods) else -1 for pods in ending])
        fits = self._fits(world)
        for at in np.flatnonzero(fits)[:2].tolist():
            if ending[at]:
                node = self._cluster.nodes.names[int(self._rows[at])]
                names = names_text([self._records[p].full_name for p in ending[at]], 2)
                verb = "are" if ending[at][1:] else "is"
                yield Measure(
                    "wait",
                    f"{names} {verb} gone from {node} (terminating now)",
                    tuple(_departure(self._records[p], returns=False) for p in ending[at]),
                    row=int(self._rows[at]),
                    note="waiting is enough",
                )

    def singles(self) -> Iterator[Measure]:
        """The pods of which one alone has to leave, the least important first."""
        # Replicas of one workload on one node are one choice.
        seen: set[object] = set()
        for at, pod in self._alone():
            key = (self._records[pod].pod_class.template, self._records[pod].namespace)
            if key not in seen and len(seen) < 5:
                seen.add(key)
                yield self._leaving(int(self._rows[at]), [pod])

    def one_of_each_node(self) -> Iterator[Measure]:
        """The same, one of each node."""
        seen: set[int] = set()
        for at, pod in self._alone():
            if at not in seen:
                seen.add(at)
                yield self._leaving(int(self._rows[at]), [pod])

    def _alone(self) -> list[tuple[int, int]]:
        """Place among the rows and pod, of every pod that makes room alone, the least important first."""
        base, found = self._world(), list[tuple[int, int]]()
        everything = np.arange(len(self._rows))
        for rank in range(max(map(len, self._listed), default=0)):
            world = base.take(everything)
            pods = [listed[rank] if rank < len(listed) else -1 for listed in self._listed]
            self._without(world, pods)
            fits = self._fits(world, np.array(pods) >= 0)
            found += [(at, pods[at]) for at in np.flatnonzero(fits).tolist() if self._may_leave(pods[at])]
        return sorted(found, key=lambda one: self._weight(one[1]))

    def several(self) -> Iterator[Measure]:
        """The least important pods of a node, as many as have to leave; the nodes with fewest."""
        order = [sorted(filter(self._may_leave, pods), key=self._weight) for pods in self._listed]
        world, done = self._world(), np.zeros(len(self._rows), bool)
        found: list[tuple[int, int]] = []
        for rank in range(min(_MOST_LEAVING, max(map(len, order), default=0))):
            pods = [listed[rank] if rank < len(listed) else -1 for listed in order]
            self._without(world, pods)
            fits = self._fits(world) & ~done
            done |= fits
            found += [(rank, at) for at in np.flatnonzero(fits).tolist()]
        for rank, at in found[:2]:
            row = int(self._rows[at])
            yield self._leaving(row, self._needed(row, order[at][: rank + 1]))

    def _needed(self, row: int, pods: list[int]) -> list[int]:
        """Of pods that make room together those that are needed: the most important stay where they can."""
        kept = list(pods)
        for pod in sorted(pods, key=self._weight, reverse=True):
            fewer = [other for other in kept if other != pod]
            if fewer and self._room_without(row, fewer):
                kept = fewer
        return kept

    def _room_without(self, row: int, pods: list[int]) -> bool:
        situation = self._situation
        world = situation.framework.hypothetical(self._phase, self._cluster, np.array([row]))
        for pod in pods:
            self._without(world, [pod])
        found = situation.framework.run_filters(situation.record, self._phase, world)
        return bool(found.feasible[0])

    def far(self) -> Iterator[Measure]:
        """Pods on other nodes that repel the candidate from here, or fill its domain."""
        if not any(self._sees_other_nodes(name) for name in self._situation.refusals):
            return
        record, node = self._situation.record, self._cluster.pods.node
        near = set(self._rows.tolist())
        count = 0
        for other in self._records:
            here = int(node[other.id])
            if here < 0 or here in near or not self._may_leave(other.id):
                continue
            if (
                other.pod_class.terms.required_anti
                or (other.namespace == record.namespace and other.pod_class.labels == record.pod.labels)
                or (other.pod.spec.resource_claims and record.pod.spec.resource_claims)
            ):
                yield self._leaving(here, [other.id], anywhere=True)
                count += 1
                if count >= 3:
                    return

    def _sees_other_nodes(self, plugin: str) -> bool:
        spec = self._situation.framework.plugin(plugin).spec
        return spec.refuses_for_pods and spec.reads in (Reads.PODS, Reads.ANYTHING)

    def scaled(self) -> Iterator[Measure]:
        """Workloads with pods on these nodes, with as many replicas less as make room."""
        ownership, owners = self._situation.ownership, dict[WorkloadKey, int]()
        mine = ownership.root(self._situation.pod)
        for pod in itertools.chain.from_iterable(self._listed):
            source = self._records[pod].pod.source
            if source is None or source.metadata.controller is None or not self._may_leave(pod):
                continue
            key = ownership.root(source)
            if key.kind in _SCALED and key != mine:
                owners[key] = max(owners.get(key, -_SYSTEM), self._records[pod].priority)
        for key in sorted(owners, key=lambda key: (owners[key], key))[:_MOST_SCALED]:
            pods = [(p, pod) for p, pod in self._pods_of(key) if not pod.is_terminating]
            if len(pods) > _MOST_REPLICAS:
                continue
            numbers = {pod.name: p for p, pod in pods}
            leaving = _SCALED[key.kind]([pod for _, pod in pods])[:_MOST_LEAVING]
            found = self._fewer([numbers[pod.name] for pod in leaving])
            if found:
                yield self._scaling(key, len(pods), found)

    def _pods_of(self, key: WorkloadKey) -> list[tuple[int, Pod]]:
        """The pods of a workload that are on a node, by their classes: pods of one class have one owner.

        A member that a run has made anew is another pod of the same name than that of the cluster as loaded.
        """
        table, ownership = self._cluster.pods, self._situation.ownership
        classes = np.array(
            [
                (source := known.pod.source) is not None
                and known.namespace == key.namespace
                and known.controller is not None
                and ownership.root(source) == key
                for known in map(table.classes.__getitem__, range(len(table.classes)))
            ]
        )
        there = np.flatnonzero(classes[table.pod_class] & (table.node >= 0)).tolist()
        return [(p, source) for p in there if (source := self._records[p].pod.source) is not None]

    def _fewer(self, leaving: list[int]) -> list[int]:
        """The first of the pods that have to go so that some node has room; empty where all are not enough."""
        world, gone = self._world(), list[int]()
        at = {int(row): i for i, row in enumerate(self._rows.tolist())}
        for pod in leaving:
            gone.append(pod)
            here = int(self._cluster.pods.node[pod])
            pods = [-1] * len(self._rows)
            if here in at:
                pods[at[here]] = pod
            self._without(world, pods)
            if here in at and self._fits(world)[at[here]]:
                return gone
        return []

    def _scaling(self, key: WorkloadKey, count: int, pods: list[int]) -> Measure:
        left = count - len(pods)
        command = f"kubectl scale {key.kind.lower()} {key.name} -n {key.namespace} --replicas={left}"
        return Measure(
            "scale-down",
            f"{key} scaled from {count} to {left}",
            tuple(_departure(self._records[p], returns=False) for p in pods),
            size=len(pods),
            command=command,
        )

    def _may_leave(self, pod: int) -> bool:
        """Whether it makes sense to move a pod: those that belong to their node come back at once."""
        record = self._records[pod]
        return not (
            is_daemon(record.pod)
            or is_static(record.pod)
            or record.priority >= _SYSTEM
            or record.pod.is_terminating
            or pod in self._situation.spared
        )

    def _weight(self, pod: int) -> tuple[object, ...]:
        """The less a pod matters the sooner it leaves: by priority, whether it comes back, and what it holds."""
        record = self._records[pod]
        held = sum(
            record.pod_class.requests.get(name, 0) / need for name, need in self._situation.needs.items()
        )
        return record.priority, not is_recreated(record.pod), held, record.full_name

    def _leaving(self, row: int, pods: list[int], *, anywhere: bool = False) -> Measure:
        node = self._cluster.nodes.names[row]
        records = [self._records[p] for p in pods]
        names = names_text([record.full_name for record in records], 3)
        back = all(is_recreated(record.pod) for record in records)
        command = "; ".join(f"kubectl delete pod {r.name} -n {r.namespace}" for r in records)
        return Measure(
            "move" if back else "evict",
            f"{names} {'moved off' if back else 'evicted from'} {node}",
            tuple(_departure(record, returns=is_recreated(record.pod)) for record in records),
            size=len(pods),
            row=None if anywhere else row,
            command=command,
        )


def _departure(record: PodRecord, *, returns: bool) -> Departure:
    return Departure(record.id, Reference("Pod", record.namespace, record.name), returns)


def _by_ordinal(pods: list[Pod]) -> list[Pod]:
    return sorted(pods, key=lambda pod: -(ordinal_of(pod.name) or 0))


_SCALED: Final[dict[str, Callable[[list[Pod]], list[Pod]]]] = {
    "Deployment": replica_deletion_order,
    "ReplicaSet": replica_deletion_order,
    "ReplicationController": replica_deletion_order,
    "StatefulSet": _by_ordinal,
}
