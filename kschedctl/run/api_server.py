"""The API server of a run, with what kubelets and controllers do to pods (spec 08 §1)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from typing import Any, Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.state import ClusterState
from kschedctl.cluster.store import ObjectStore
from kschedctl.objects.meta import Condition, TopLevel
from kschedctl.objects.node import Node
from kschedctl.run.clock import Clock

DEFAULT_GRACE: Final = 30
_TERMINAL: Final = ("Succeeded", "Failed")

Thing = AdmittedPod | Node | TopLevel


class Write(Struct, frozen=True):
    """A write that the scheduler has not heard of yet; no old object: it is new, no new one: it is gone."""

    old: Thing | None
    new: Thing | None


class Termination(Struct, frozen=True, order=True):
    """A pod that ends at a time, if it is still there."""

    at: float
    key: str
    uid: str


class Controllers(Protocol):
    """Who makes pods anew."""

    def replacements(self, pod: AdmittedPod, *, gone: bool) -> Iterable[AdmittedPod | TopLevel]:
        """What is to be created now that the deletion of a pod has begun, or that it is gone."""


class NoControllers:
    """Nobody makes pods anew."""

    def replacements(self, pod: AdmittedPod, *, gone: bool) -> Iterable[AdmittedPod | TopLevel]:
        """None."""
        return ()


class ApiServer:
    """Objects, what becomes of them when they are written, and the writes nobody has heard of.

    Attributes:
        pods: `namespace/name` -> pod, those that are done among them.
        nodes: by name, in order of addition.
        objects: everything else.
        changes: writes that were not delivered yet.
        terminations: pods that end later; a heap by time and name.
        evicted: how many pods the scheduler evicted since something came from outside, by who controls them.
    """

    def __init__(
        self,
        cluster: ClusterState,
        clock: Clock,
        controllers: Controllers | None = None,
        *,
        exit_after: float | None = None,
        shortest_end: float = 0.0,
        clears_nomination: bool = True,
        refused_bindings: Iterable[str] = (),
    ) -> None:
        """Take over what a cluster holds.

        Args:
            cluster: the cluster as the run begins.
            clock: the time.
            controllers: who makes pods anew; None: nobody.
            exit_after: seconds in which pods exit once they are told to, where their grace is longer.
            shortest_end: seconds that the end of a pod on a node takes at least, whatever its grace is.
            clears_nomination: whether binding drops `status.nominatedNodeName`.
            refused_bindings: keys of pods whose first binding fails.
        """
        self.pods = {record.full_name: record.pod for record in cluster.pods.records}
        self.nodes = {node.name: node for node in cluster.nodes_by_addition()}
        self.objects: ObjectStore = cluster.objects
        self.changes: deque[Write] = deque()
        self.terminations: list[Termination] = []
        self.evicted: Counter[str] = Counter()
        self._clock = clock
        self._controllers = controllers or NoControllers()
        self._exit_after = exit_after
        self._shortest_end = shortest_end
        self._copied_labels = cluster.copied_labels
        self._clears_nomination = clears_nomination
        self._refused = set(refused_bindings)
        self._created = Counter(self.pods.keys())
        self._grace: dict[str, float] = {}
        for key, pod in self.pods.items():
            deleted = pod.metadata.deletion_timestamp
            end = clock.seconds_until(deleted) if deleted else None
            if end is not None and end > 0:
                heappush(self.terminations, Termination(end, key, pod.uid))

    def create_pod(self, pod: AdmittedPod) -> AdmittedPod:
        """Add a pod; one of a name that was there before is another one, with a uid of its own."""
        key = pod.full_name
        self._created[key] += 1
        if self._created[key] > 1:
            pod = with_metadata(pod, uid=f"{key}#{self._created[key]}")
        self.put_pod(pod)
        return pod

    def put_pod(self, pod: AdmittedPod) -> None:
        """Write a pod; one that is done is gone for the scheduler."""
        key = pod.full_name
        old = _unless_done(self.pods.get(key))
        self.pods[key] = pod
        self._changed(old, _unless_done(pod))

    def _changed(self, old: Thing | None, new: Thing | None) -> None:
        if old is not None or new is not None:
            self.changes.append(Write(old, new))

    def put_node(self, node: Node) -> None:
        """Write a node."""
        self.changes.append(Write(self.nodes.get(node.name), node))
        self.nodes[node.name] = node

    def remove_node(self, name: str) -> None:
        """Delete a node, if it is there; its pods stay."""
        if (node := self.nodes.pop(name, None)) is not None:
            self.changes.append(Write(node, None))

    def put_object(self, item: TopLevel, old: TopLevel | None) -> None:
        """Write any other object."""
        self.objects = self.objects.with_object(item)
        self.changes.append(Write(old, item))

    def remove_object(self, item: TopLevel) -> None:
        """Delete any other object."""
        self.objects = self.objects.without(item)
        self.changes.append(Write(item, None))

    def bind(self, key: str, node: str) -> bool:
        """Put a pod on a node, where it runs and is ready at once; False where the write fails."""
        pod = self.pods.get(key)
        if pod is None or pod.node_name or pod.is_terminating:
            return False
        if key in self._refused:
            self._refused.remove(key)
            return False
        nominated = "" if self._clears_nomination else pod.status.nominated_node_name
        status = replace(
            pod.status, phase="Running", start_time=self._clock.date(), nominated_node_name=nominated
        )
        self.put_pod(replace(self._labelled(pod, node), status=status, node_name=node))
        return True

    def _labelled(self, pod: AdmittedPod, node: str) -> AdmittedPod:
        """The pod with the labels of a node that binding gives it (spec 06 §2)."""
        found = self.nodes[node].metadata.labels if node in self.nodes else {}
        copied = {label: found[label] for label in self._copied_labels if label in found}
        if copied.items() <= pod.labels.items():
            return pod
        return with_metadata(pod, labels={**pod.labels, **copied})

    def nominate(self, key: str, node: str) -> bool:
        """Write the node that is kept for a pod; whether that is news."""
        pod = self.pods.get(key)
        if pod is None or pod.nominated_node_name == node:
            return False
        self.put_pod(replace(pod, status=replace(pod.status, nominated_node_name=node)))
        return True

    def evict(self, key: str) -> None:
        """What the scheduler does to a victim: a condition that says so, and the deletion."""
        pod = self.pods.get(key)
        if pod is None:
            return
        self.evicted[_controller_of(pod)] += 1
        why = Condition(type="DisruptionTarget", status="True", reason="PreemptionByScheduler")
        conditions = _with_condition(pod.status.conditions, why)
        if conditions != pod.status.conditions:
            self.put_pod(replace(pod, status=replace(pod.status, conditions=conditions)))
        self.delete_pod(key)

    def delete_pod(self, key: str, grace: int | None = None) -> None:
        """Delete a pod, if it is there.

        One on a node terminates for its grace period; a second deletion counts only if its grace is shorter.

        Args:
            key: `namespace/name`.
            grace: seconds; None: as the pod says, else 30.
        """
        pod = self.pods.get(key)
        if pod is None:
            return
        seconds = _grace_of(pod) if grace is None else grace
        first = not pod.is_terminating
        if not pod.node_name or is_done(pod) or max(seconds, self._shortest_end) <= 0:
            self._remove_pod(pod)
        elif not first and key in self._grace and seconds >= self._grace[key]:
            return
        else:
            exits = float(seconds) if self._exit_after is None else min(seconds, self._exit_after)
            stay = max(exits, self._shortest_end)
            self.put_pod(with_metadata(pod, deletion_timestamp=self._clock.date(after=seconds)))
            self._grace[key] = seconds
            heappush(self.terminations, Termination(self._clock.seconds + stay, key, pod.uid))
        if first:
            self._replace(pod, gone=False)

    def end_at_last(self, key: str) -> None:
        """Let a terminating pod be gone after its grace period, where it would stay for ever."""
        pod = self.pods[key]
        if all(known.key != key for known in self.terminations):
            stay = max(_grace_of(pod), self._shortest_end)
            heappush(self.terminations, Termination(self._clock.seconds + stay, key, pod.uid))

    def end_next(self) -> str:
        """Let the pod be gone that ends next: `namespace/name`, empty where it is not there any more."""
        termination = heappop(self.terminations)
        pod = self.pods.get(termination.key)
        if pod is None or pod.uid != termination.uid:
            return ""
        self._remove_pod(pod)
        return termination.key

    def complete(self, key: str) -> None:
        """Let a pod end by itself, wherever it is."""
        pod = self.pods.get(key)
        if pod is not None and not is_done(pod):
            self.put_pod(replace(pod, status=replace(pod.status, phase="Succeeded")))

    def _remove_pod(self, pod: AdmittedPod) -> None:
        del self.pods[pod.full_name]
        self._grace.pop(pod.full_name, None)
        self._changed(_unless_done(pod), None)
        self._replace(pod, gone=True)

    def _replace(self, pod: AdmittedPod, *, gone: bool) -> None:
        for fresh in self._controllers.replacements(pod, gone=gone):
            if isinstance(fresh, AdmittedPod):
                self.create_pod(fresh)
            else:
                self.put_object(fresh, None)


def _controller_of(pod: AdmittedPod) -> str:
    """Who makes a pod anew, the pod itself where nobody does."""
    owner = pod.metadata.controller
    return pod.full_name if owner is None else f"{pod.namespace}/{owner.kind}/{owner.name}"


def _grace_of(pod: AdmittedPod) -> int:
    own = pod.spec.termination_grace_period_seconds
    return DEFAULT_GRACE if own is None else own


def is_done(pod: AdmittedPod) -> bool:
    """Whether a pod has ended by itself: it does not exist for the scheduler."""
    return pod.status.phase in _TERMINAL


def _unless_done(pod: AdmittedPod | None) -> AdmittedPod | None:
    return None if pod is None or is_done(pod) else pod


def with_metadata(pod: AdmittedPod, **fields: Any) -> AdmittedPod:
    """A pod with other metadata."""
    return replace(pod, metadata=replace(pod.metadata, **fields))


def _with_condition(conditions: Sequence[Condition], wanted: Condition) -> tuple[Condition, ...]:
    """The conditions with one in the place of the first of its type, or at the end."""
    types = [condition.type for condition in conditions]
    if wanted.type not in types:
        return (*conditions, wanted)
    at = types.index(wanted.type)
    return (*conditions[:at], wanted, *conditions[at + 1 :])
