"""What pods ask for and what shapes have, as the numbers of the relaxation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from kschedctl.admission.invalid import Invalid
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.plugin_spec import Reads
from kschedctl.objects.pod import Pod
from kschedctl.objects.selectors import parse_label_selector
from kschedctl.objects.well_known import HOSTNAME
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.fleet.catalogue import Shape
from kschedctl.whatif.fleet.lower_bound import Floats, Ints, Mask, Problem
from kschedctl.whatif.queue.simulator import Simulator
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.simulate import Plan, changed_world, enter
from kschedctl.whatif.world.changes import Change
from kschedctl.workloads.controllers import is_daemon


class ShapeColumn(Struct, frozen=True):
    """A shape in one of its zones.

    Attributes:
        shape: its place in the catalogue.
        zone: the zone; empty: that of its model.
    """

    shape: int
    zone: str


def columns_of(shapes: Sequence[Shape]) -> list[ShapeColumn]:
    """Every shape in every of its zones, in the order of the catalogue."""
    return [ShapeColumn(at, zone) for at, shape in enumerate(shapes) for zone in shape.zones or ("",)]


class SampleCluster:
    """A cluster with one node of each column, its daemons on it, in which pods are asked where they could go.

    Args:
        loaded: the cluster as loaded; not changed.
        options: what to do where the real scheduler leaves room.
        plan: what comes before the nodes: manifests and changes.
        shapes: what can be bought.
        last: the changes that come after new nodes.
    """

    def __init__(
        self,
        loaded: Session,
        options: SchedulingOptions,
        plan: Plan,
        shapes: Sequence[Shape],
        last: Sequence[Change],
    ) -> None:
        self.columns = columns_of(shapes)
        self._shapes = shapes
        world = changed_world(loaded.objects, Plan(plan.manifests, plan.rollout, (*plan.changes, *last)))
        self._old = loaded.with_objects(world.objects, options).cluster
        bought = [shapes[column.shape].bought(column.zone, 1) for column in self.columns]
        changes = (*plan.changes, *bought, *last)
        world = changed_world(loaded.objects, Plan(plan.manifests, plan.rollout, changes))
        self._session = loaded.with_objects(world.objects, options)
        names = self._session.cluster.nodes.names
        added = [name for change in bought for name in _names_of(change.name, names)]
        self._rows = [self._session.cluster.nodes.row_of[name] for name in added]
        simulator = Simulator(self._session, world.workload_of)
        daemons = [created for created in world.created if is_daemon(created.pod)]
        simulator.submit([enter(self._session, world, created) for created in daemons])
        simulator.settle()

    def problem(self, tasks: Sequence[Task], *, with_home: bool) -> tuple[Problem, list[list[Task]]]:
        """The relaxation for some pods, and the pods of each class.

        Args:
            tasks: the pods.
            with_home: whether they may use what the nodes that are there have left.
        """
        cluster = self._session.cluster
        classes = self._classes(tasks)
        places = [
            self._where(record) for record, _ in classes
        ]  # first: scores may name resources that nobody has
        resources = len(cluster.resources)
        count = np.array([len(alike) for _, alike in classes], np.int64)
        request = np.ones((len(classes), resources + 1))
        most = np.zeros((len(classes), len(self.columns)), np.int64)
        at_home = np.zeros(len(classes), np.int64)
        free = free_room(cluster)
        room = free[self._rows]
        lowest = self._lowest_priority()
        evictable = with_home and any(record.priority > lowest for record, _ in classes)
        if evictable:  # what is taken may be free again
            free = np.column_stack([cluster.nodes.allocatable, cluster.nodes.allowed_pods]).astype(np.float64)
        for at, ((record, _), (fits, home)) in enumerate(zip(classes, places, strict=True)):
            request[at, :resources] = cluster.pods.classes.requests[record.pod_class.index]
            most[at] = np.where(fits, most_of(record, request[at], room), 0)
            if with_home:
                at_home[at] = most_of(record, request[at], free[home]).sum()
        problem = Problem(
            price=np.array([self._shapes[column.shape].price for column in self.columns]),
            shape=np.array([column.shape for column in self.columns], np.int64),
            limit=[shape.limit for shape in self._shapes],
            room=np.maximum(room, 0),
            count=count,
            request=request,
            most=most,
            free=_left(self._old, cluster),
            at_home=at_home,
            evictable=evictable,
        )
        return problem, [alike for _, alike in classes]

    def _classes(self, tasks: Sequence[Task]) -> list[tuple[PodRecord, list[Task]]]:
        """Pods that ask for the same, each kind with one of them in this cluster."""
        found: dict[int, tuple[PodRecord, list[Task]]] = {}
        for task in tasks:
            record = self._entered(task.pod)
            if record is not None:
                found.setdefault(record.pod_class.template, (record, []))[1].append(task)
        return list(found.values())

    def _entered(self, pod: Pod) -> PodRecord | None:
        entered = self._session.enter(pod)
        return None if isinstance(entered, Invalid) else entered

    def _where(self, record: PodRecord) -> tuple[Mask, Ints]:
        """Columns to whose nodes a pod could go, bool (S,), and rows of nodes that are there to which it could.

        Rules between pods do not count, since what they forbid depends on who is where in the end; nor does, on nodes
        that are there, what pods have taken, since these may be evicted.
        """
        rows = len(self._session.cluster.nodes.names)
        with self._session.deciding(record) as decision:
            if decision.framework is None:  # no profile handles the pod, wherever it could go
                return np.zeros(len(self._rows), bool), np.array([], np.int64)
            reads = {plugin.name: plugin.spec.reads for plugin in decision.framework.plugins}
            failing = [{reads.get(f.plugin) for f in decision.failures_of(row)} for row in range(rows)]
        bought = set(self._rows)
        fits = np.array([failing[row] <= {Reads.PODS} for row in self._rows], bool)
        home = [row for row in range(rows) if row not in bought and not failing[row] & {Reads.NODES, None}]
        return fits, np.array(home, np.int64)

    def _lowest_priority(self) -> int:
        table = self._session.cluster.pods
        placed = table.node >= 0
        return int(table.classes.priority[table.pod_class[placed]].min(initial=2**31 - 1))


def _names_of(base: str, names: Sequence[str]) -> list[str]:
    """The node that was added under a name: the name itself where it was free, else the first one that was."""
    return [base] if base in names else [name for name in names if name.startswith(f"{base}-new-")][:1]


def free_room(cluster: ClusterState) -> Floats:
    """float64 (N, R + 1): what each node has left, the number of pods last."""
    room = np.column_stack([cluster.nodes.allocatable, cluster.nodes.allowed_pods])
    used = np.column_stack([cluster.usage.requested, cluster.usage.pod_count])
    return (room - used).astype(np.float64)


def _left(cluster: ClusterState, other: ClusterState) -> Floats:
    """float64 (R + 1,): what nodes have left, by the resources of another cluster, the number of pods last."""
    left = np.maximum(free_room(cluster), 0).sum(axis=0)
    known = dict(zip(cluster.resources.names, left.tolist(), strict=False))
    return np.array([*(known.get(name, 0.0) for name in other.resources.names), left[-1]])


def most_of(record: PodRecord, request: Floats, room: Floats) -> Ints:
    """How many pods of a class one node of each column takes by itself, int64 (S,)."""
    asked = request > 0
    by_room = np.floor(room[:, asked] / request[asked]).min(axis=1, initial=2**31)
    most: Ints = np.maximum(by_room, 0).astype(np.int64)
    return np.minimum(most, 1) if _alone(record) else most


def _alone(record: PodRecord) -> bool:
    """Whether two such pods never share a node: they hold the same host port, or keep away from their own kind."""
    if record.pod_class.ports:
        return True
    affinity = record.pod.spec.affinity
    anti = affinity.pod_anti_affinity if affinity else None
    for term in anti.required_during_scheduling_ignored_during_execution if anti else ():
        own = (not term.namespaces and term.namespace_selector is None) or record.namespace in term.namespaces
        selector = parse_label_selector(term.label_selector)
        if own and term.topology_key == HOSTNAME and selector.matches(record.pod.labels):
            return True
    return False
