"""Nodes that are emptied or lost in forks of one cluster, and the pods that find no other node then."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kschedctl.cluster.pods import PodRecord
from kschedctl.objects.pod import Pod
from kschedctl.whatif.queue.simulator import Inspect, Simulator
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.world.node_edits import with_cordon
from kschedctl.whatif.world.world import PodOrigin, successor
from kschedctl.workloads import WorkloadKey
from kschedctl.workloads.controllers import is_recreated
from kschedctl.workloads.succession import named_node


class Losses:
    """What is tried on one cluster, one thing after the other.

    The pod that its controller makes in the place of another is entered once, before any trial, and serves in all of
    them: there may be thousands. One that has to move again is the same pod.

    Args:
        session: the cluster and its scheduler.
        workload_of: whose pod a pod is.
    """

    def __init__(self, session: Session, workload_of: Callable[[Pod], WorkloadKey]) -> None:
        self._session = session
        self._workload_of = workload_of
        on_nodes = [pod for pods in session.cluster.usage.pods for pod in pods]
        made = {pod: self._make(session.cluster.pods.records[pod]) for pod in on_nodes}
        self._made = {pod: record for pod, record in made.items() if record is not None}
        self._made |= {record.id: record for record in self._made.values()}

    def unplaced_without(self, failed: set[str]) -> tuple[Task, ...]:
        """Pods without a node once some nodes have failed; the cluster is left as it was."""
        cluster = self._session.cluster
        rows = sorted(cluster.nodes.row_of[name] for name in failed)
        tasks = [task for row in rows for _, task in self._leaving(row)]
        start = cluster.mark()
        try:
            self.delete(failed)
            return tuple(self._settled(tasks).unplaced)
        finally:
            cluster.undo_to(start)

    def cordon(self, nodes: Iterable[str], cordoned: bool = True) -> None:
        """Let some nodes take no more pods, or take them again; stays so until it is undone."""
        table = self._session.cluster.nodes
        objects = [table.objects[table.row_of[name]] for name in nodes]
        self._session.cluster.patch_nodes([with_cordon(node, cordoned) for node in objects])

    def empty(self, node: str, inspect: Inspect | None = None) -> list[Task]:
        """Move what controllers make anew off a cordoned node; stays so until it is undone.

        Args:
            node: its name.
            inspect: applied to the decisions for pods that find no node.

        Returns:
            The pods that are placed anew, preempted ones included.
        """
        cluster = self._session.cluster
        leaving = self._leaving(cluster.nodes.row_of[node])
        leaving.sort(key=lambda one: one[1].name)  # as a drain evicts them
        for pod, _ in leaving:
            cluster.remove(pod)
        return self._settled([task for _, task in leaving], inspect).tasks

    def delete(self, nodes: Iterable[str]) -> None:
        """Take nodes away with what is on them; stays so until it is undone."""
        cluster = self._session.cluster
        rows = sorted(cluster.nodes.row_of[name] for name in nodes)
        for row in rows:
            for pod in list(cluster.usage.pods[row]):
                cluster.remove(pod)
        cluster.lose_nodes(rows)

    def _settled(self, tasks: Iterable[Task], inspect: Inspect | None = None) -> Simulator:
        simulator = Simulator(self._session, self._workload_of, inspect=inspect)
        simulator.submit(tasks)
        simulator.settle()
        return simulator

    def _leaving(self, row: int) -> list[tuple[int, Task]]:
        """The pods on a row that are made anew elsewhere, each with the pod that takes its place."""
        node = self._session.cluster.nodes.names[row]
        found = []
        for pod in self._session.cluster.usage.pods[row]:
            record = self._made.get(pod)
            if record is not None and (source := record.pod.source) is not None:
                task = Task(source, record, self._workload_of(source), PodOrigin.DISPLACED, running_on=node)
                found.append((pod, task))
        return found

    def _make(self, old: PodRecord) -> PodRecord | None:
        source = old.pod.source
        if source is None or not is_recreated(source) or old.pod.is_terminating:
            return None
        cluster = self._session.cluster
        fresh = successor(source, node=named_node(source, cluster.objects.find))
        return cluster.add_pod(self._session.admission.admit_existing(fresh))
