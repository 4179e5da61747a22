"""A cluster to try things on: each change is an entry of the undo journal, and a fork is a mark in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, Final, Self

from msgspec.structs import replace

from kschedctl.admission.invalid import Invalid
from kschedctl.cluster.group_members import GroupMembers
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.store import ObjectStore
from kschedctl.dra.cluster_devices import ClusterDevices
from kschedctl.errors import UnsupportedError, UsageError
from kschedctl.objects.core import LimitRange, PriorityClass, RuntimeClass
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.objects.resource import ResourceClaim
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.volumes.cluster_storage import ClusterStorage
from kschedctl.whatif.queue.kubelet import Kubelet
from kschedctl.whatif.session import Session, placed_anew
from kschedctl.whatif.transaction.answers import Filled, PlacementAnswer, Removed
from kschedctl.whatif.transaction.diagnosis import Diagnosis, diagnosis_of
from kschedctl.whatif.transaction.manifests import pod_of
from kschedctl.whatif.transaction.names import PodNames
from kschedctl.whatif.transaction.node_changes import NodeChanges
from kschedctl.whatif.transaction.placing import Placing
from kschedctl.whatif.world.settled import settled_objects
from kschedctl.whatif.world.world import World
from kschedctl.workloads import with_generated_claims

PodLike = Pod | Removed | str | Mapping[str, Any]
"""A pod to place: a typed one, a manifest, one that was removed, or `NAMESPACE/NAME` of one that is on no node."""

_READ_BY_ADMISSION: Final = (PriorityClass, RuntimeClass, LimitRange)


class Transaction(NodeChanges):
    """Changes of a cluster that are undone at the end, unless an enclosing transaction keeps them.

    Use it as a context manager, or call `undo` when done. Of transactions that are open the innermost alone can be
    used.

    Args:
        session: the cluster and its scheduler.
        diagnose: whether placements tell which nodes fit and why every other one does not. That is a look at all nodes
            for each pod; without it equal pods are decided from what is known of them.
        inside: the transaction that encloses it; None: none.

    Raises:
        UsageError: another transaction of the cluster is open, and does not enclose it.
    """

    def __init__(self, session: Session, *, diagnose: bool = True, inside: Transaction | None = None) -> None:
        if inside is None and session.in_transaction:
            raise UsageError("a transaction of the cluster is open already", hint="Fork it, or end it first.")
        self._session = session
        self._diagnose = diagnose
        self._open: list[Transaction] = [] if inside is None else inside._open
        self._names: PodNames = PodNames(session) if inside is None else inside._names
        self._kubelet: Kubelet = (
            Kubelet(session.scheduler.configuration) if inside is None else inside._kubelet
        )
        self._placing = Placing(session, self._names, self._kubelet, diagnose=diagnose)
        self._mark = session.cluster.mark()
        self._open.append(self)
        session.in_transaction = True

    # Begin, keep, undo

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self in self._open:
            self.undo()

    def fork(self, *, diagnose: bool | None = None) -> Transaction:
        """A transaction inside this one: it costs what it changes."""
        self._check_open()
        wanted = self._diagnose if diagnose is None else diagnose
        return Transaction(self._session, diagnose=wanted, inside=self)

    def undo(self) -> None:
        """End it, and leave the cluster as it was when it began."""
        if self not in self._open:
            raise UsageError("the transaction has ended already")
        while self._open.pop() is not self:
            pass  # inner ones that were left open end with it
        self._session.cluster.undo_to(self._mark)
        self._session.in_transaction = bool(self._open)

    def keep(self) -> None:
        """End it, and let the enclosing transaction have what was done.

        Raises:
            UsageError: none encloses it: its cluster is a value that stays as it is.
        """
        self._check_open()
        if self._open == [self]:
            raise UsageError(
                "no transaction encloses this one, and a cluster stays as it was loaded",
                hint="Go on in this transaction, or take `objects()` for another cluster.",
            )
        self._open.pop()

    # Pods

    def place(
        self, pod: PodLike, *, nodes: Iterable[str] | None = None, preempt: bool = False
    ) -> PlacementAnswer:
        """Place a pod where kube-scheduler would; one that finds no node is left without one.

        A pod whose manifest names its node goes there without being scheduled, if the kubelet there admits it.

        Args:
            pod: a new pod, or one of the cluster that is on no node.
            nodes: the only nodes to look at; None: all.
            preempt: evict pods of lower priority for it, at once, where it finds no node without.

        Raises:
            InputError: the manifest is no pod.
            UsageError: the pod is on a node already, is not there, or a node is not there.
            UnsupportedError: a claim is to be made for it after others have taken volumes.
        """
        self._check_open()
        scope = self._rows(nodes)
        record = self._pod_to_place(pod)
        if isinstance(record, PlacementAnswer):
            return record
        return self._placing.place(record, scope, preempt=preempt)

    def place_all(
        self, pods: Iterable[PodLike], *, nodes: Iterable[str] | None = None, preempt: bool = False
    ) -> list[PlacementAnswer]:
        """Place pods one after another, in the order in which they are given; see `place`."""
        allowed = None if nodes is None else tuple(nodes)
        return [self.place(pod, nodes=allowed, preempt=preempt) for pod in pods]

    def fill(self, pod: Pod | Mapping[str, Any], most: int, *, nodes: Iterable[str] | None = None) -> Filled:
        """Place copies of a pod, `NAME-1`, `NAME-2` and so on, up to so many or until one finds no node.

        Raises:
            InputError: the manifest is no pod.
            UsageError: a node is not there.
        """
        self._check_open()
        scope, model = self._rows(nodes), pod_of(pod)
        placed: list[str] = []
        by_node: dict[str, int] = {}
        number = 0
        while len(placed) < most:
            number += 1
            name = f"{model.name}-{number}"
            if self._names.find_any(f"{model.namespace}/{name}") is not None:
                continue
            copy = replace(model, metadata=replace(model.metadata, name=name, uid=""))
            record = self._pod_to_place(copy)
            if isinstance(record, PlacementAnswer):
                return Filled(tuple(placed), by_node, record)
            found = self._placing.place(record, scope)
            if found.node is None:
                return Filled(tuple(placed), by_node, found)
            placed.append(found.pod)
            by_node[found.node] = by_node.get(found.node, 0) + 1
        return Filled(tuple(placed), by_node)

    def diagnose(self, pod: PodLike, *, nodes: Iterable[str] | None = None) -> Diagnosis:
        """Which nodes fit a pod, and why the others do not; nothing is placed.

        Raises:
            InputError: the manifest is no pod.
            UsageError: as `place`, or the API server would refuse the pod.
        """
        with self.fork(diagnose=True) as trial:
            scope = trial._rows(nodes)
            record = trial._pod_to_place(pod)
            if isinstance(record, PlacementAnswer):
                raise UsageError(f"{record.pod} would be refused: {record.message}")
            return diagnosis_of(trial._placing.decide(record, scope, preempt=False), scope)

    def decide(self, pod: PodLike, *, nodes: Iterable[str] | None = None, preempt: bool = False) -> Decision:
        """The engine's own decision for a pod that is not placed: its texts can be read until the next change.

        Raises:
            InputError: the manifest is no pod.
            UsageError: as `place`, or the API server would refuse the pod.
        """
        self._check_open()
        scope = self._rows(nodes)
        record = self._pod_to_place(pod)
        if isinstance(record, PlacementAnswer):
            raise UsageError(f"{record.pod} would be refused: {record.message}")
        return self._placing.decide(record, scope, preempt=preempt)

    def remove(self, pod: str | PlacementAnswer) -> Removed:
        """Take a pod off the cluster as if it were deleted; what it alone held of devices is free.

        Raises:
            UsageError: there is no such pod.
        """
        self._check_open()
        name = pod if isinstance(pod, str) else pod.pod
        record = self._names.find(name)
        if record is None:
            raise UsageError(f"there is no pod {name}")
        cluster = self._session.cluster
        node = self.node_of(name)
        GroupMembers.of(cluster).leave(record)
        cluster.drop_nomination(record.id)
        if node is not None:
            cluster.remove(record.id)
        self._names.leave(record)
        return Removed(record.full_name, node)

    def put_back(self, removed: Removed) -> PlacementAnswer:
        """Place a removed pod on the node where it was, if it fits there still.

        Raises:
            UsageError: it was on no node, or the node is not there any more.
        """
        if removed.node is None:
            raise UsageError(f"{removed.pod} was on no node")
        return self.place(removed, nodes=[removed.node])

    def node_of(self, pod: str) -> str | None:
        """The node a pod is on; None for one that is on none, or that is not there."""
        record = self._names.find(pod)
        row = -1 if record is None else int(self._session.cluster.pods.node[record.id])
        return None if row < 0 else self._session.cluster.nodes.names[row]

    def pods_on(self, node: str) -> tuple[str, ...]:
        """The pods of a node, in the scheduler's order."""
        cluster = self._session.cluster
        return tuple(cluster.pods.records[pod].full_name for pod in cluster.usage.pods[self._row(node)])

    # Nodes

    def remove_node(self, name: str) -> tuple[Removed, ...]:
        """Take a node away, and the pods on it, which can be placed elsewhere.

        Raises:
            UsageError: there is no such node.
        """
        self._check_open()
        row = self._row(name)
        gone = tuple(self.remove(pod) for pod in self.pods_on(name))
        self._session.cluster.lose_nodes([row])
        return gone

    # Everything else

    def put(self, obj: TopLevel) -> None:
        """Add an object that is neither pod nor node, or put it in the place of the one of its name.

        Raises:
            UsageError: it is a pod or a node.
            UnsupportedError: pods of the transaction have taken volumes or devices already, or admission reads objects
                of the kind.
        """
        self._set_objects(
            obj, self._session.cluster.objects.with_object(self._session.admission.admit_object(obj))
        )

    def delete(self, obj: TopLevel) -> None:
        """Take an object away that is neither pod nor node; as `put` for the rest."""
        self._set_objects(obj, self._session.cluster.objects.without(obj))

    def objects(self) -> list[TopLevel]:
        """All objects as they are now, pods on their nodes and claims bound: of these another cluster can be made."""
        session = self._session
        cluster = session.cluster
        world = World([*cluster.nodes_by_addition(), *cluster.objects])
        waiting = (record.pod.source for record in session.pending() if record.id not in self._names.gone)
        ended = (obj for obj in session.objects if isinstance(obj, Pod) and obj.is_terminal)
        return [*settled_objects(world, cluster), *(pod for pod in waiting if pod is not None), *ended]

    # How it is done

    def _check_open(self) -> None:
        if not self._open or self._open[-1] is not self:
            ended = self not in self._open
            what = "the transaction has ended" if ended else "a transaction inside this one is open"
            raise UsageError(what, hint=None if ended else "Keep or undo it first.")

    def _pod_to_place(self, pod: PodLike) -> PodRecord | PlacementAnswer:
        """The pod on no node, entered where it is new; how it is refused, where the API server would."""
        if isinstance(pod, (str, Removed)):
            return self._known(pod if isinstance(pod, str) else pod.pod)
        return self._enter(pod_of(pod))

    def _known(self, name: str) -> PodRecord:
        record = self._names.find_any(name)
        if record is None:
            raise UsageError(f"there is no pod {name}")
        if (node := self.node_of(name)) is not None:
            raise UsageError(f"pod {name} is on node {node} already", hint="Remove it first.")
        return placed_anew(record)

    def _enter(self, pod: Pod) -> PodRecord | PlacementAnswer:
        session = self._session
        if (node := self.node_of(pod.full_name)) is not None:
            raise UsageError(
                f"there is a pod {pod.full_name} already, on node {node}", hint="Remove it first."
            )
        if self._names.find(pod.full_name) is not None:
            self.remove(pod.full_name)  # this one stands in its place
        ready, claims = with_generated_claims(pod, session.cluster.objects.find)
        record = session.enter(ready)
        if isinstance(record, Invalid):
            return PlacementAnswer(pod.full_name, Outcome.INVALID, message=str(record))
        for claim in claims:
            if isinstance(claim, ResourceClaim):
                ClusterDevices.of(session.cluster).add_claim(claim)
            else:
                self.put(claim)
        self._names.enter(record)
        GroupMembers.of(session.cluster).arrive(record)
        return record

    def _set_objects(self, obj: TopLevel, objects: ObjectStore) -> None:
        self._check_open()
        kind = type(obj).__name__
        if isinstance(obj, (Pod, Node)):
            raise UsageError(f"a {kind} is no other object", hint="Place pods; change, add and remove nodes.")
        if isinstance(obj, _READ_BY_ADMISSION):
            raise UnsupportedError(
                f"a {kind} is read when pods are admitted, which a transaction cannot change",
                hint="Make another cluster with it: `cluster.with_objects(...)`.",
            )
        if self._has_taken():
            raise UnsupportedError(
                f"a {kind} cannot change once pods of the transaction have taken volumes or devices",
                hint="Change objects first, or go on in a cluster of `objects()`.",
            )
        self._session.set_objects(objects)
        cluster = self._session.cluster
        for pod in self._names.gone:
            GroupMembers.of(cluster).leave(cluster.pods.records[pod])

    def _has_taken(self) -> bool:
        """Whether pods hold volumes or devices of which the objects do not tell yet."""
        storage = self._session.cluster.known_extension(ClusterStorage)
        devices = self._session.cluster.known_extension(ClusterDevices)
        assumed = None if storage is None else storage.assumed
        bound = assumed is not None and bool(assumed.claim_of_volume or assumed.node_of_claim)
        return bound or (devices is not None and devices.is_changed)
