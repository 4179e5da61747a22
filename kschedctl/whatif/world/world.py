"""The objects of a cluster as they would be: what changes rewrite before anything is scheduled.

Changes work on objects and not on columns, so that everything that hangs on an object (its claims, its place in the
order of nodes, the daemons of a new node) follows by the same rules by which a cluster is read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from enum import StrEnum
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.objects.apps import Job, ReplicaSet
from kschedctl.objects.kinds import object_key
from kschedctl.objects.meta import ObjectMeta, TopLevel
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod, PodStatus
from kschedctl.objects.storage import PersistentVolumeClaim
from kschedctl.whatif.world.change_forms import RolloutMode
from kschedctl.workloads import (
    WORKLOADS,
    Ownership,
    PodGroups,
    Workload,
    WorkloadKey,
    with_generated_claims,
)
from kschedctl.workloads.claims_of_pods import claims_made_for, released_claims
from kschedctl.workloads.controllers import is_recreated
from kschedctl.workloads.limits import check_pods_made
from kschedctl.workloads.succession import is_replaced_once_gone, named_node

T = TypeVar("T", bound=TopLevel)


class PodOrigin(StrEnum):
    """Why a pod is to be scheduled."""

    PENDING = "pending"
    """It waits in the cluster as loaded."""
    NEW = "new"
    """A manifest or a change asks for it."""
    DISPLACED = "displaced"
    """Its controller makes it anew, since a change took its node away."""
    PREEMPTED = "preempted"
    """Its controller makes it anew, since another pod took its place."""
    DAEMON = "daemon"
    """It is the daemon of a node that is added, or whose labels or taints have changed."""


class Deployed(Struct, frozen=True):
    """A workload whose pods are to be created once all changes are known.

    Attributes:
        rollout: what becomes of the old pods.
        before: the workload as it was, where its controller replaces pods of that form and it is known.
        old: running pods that a rolling update takes away step by step.
    """

    rollout: RolloutMode
    before: Workload | None = None
    old: tuple[Pod, ...] = ()

    @property
    def rolls(self) -> bool:
        """Whether its controller replaces pods of another form."""
        return self.before is not None or bool(self.old)


class Created(Struct, frozen=True):
    """A pod that is to be created.

    Attributes:
        pod: before admission.
        origin: why.
        batch: the workload whose rolling update brings it, None for a pod that comes at once.
    """

    pod: Pod
    origin: PodOrigin
    batch: WorkloadKey | None = None


class World:
    """Objects by kind, namespace and name, and the pods that changes have set in motion.

    Attributes:
        origins: `(namespace, name)` of pending pods that were not pending at first -> why they are.
        came_from: `(namespace, name)` of displaced pods -> the node they were on.
        created: pods that are to be created, in order: they have yet to go through admission.
        deployed: workloads whose pods are yet to be made of them, in order.
        resized: workloads that may lack pods, in order; they are made once all changes are known.
        counted: workload -> how many pods it wants beside those that are made: no node would hold them.
        changed_nodes: name -> how a node was before its labels or taints changed.
        removed: pods that go since fewer are wanted of their workload, or none, with the workload.
        lost: pods that a change took away and that nothing brings back.
        notes: what a person should know about the changes.
    """

    def __init__(self, objects: Iterable[TopLevel]) -> None:
        self._kinds: dict[type[TopLevel], dict[tuple[str, str], TopLevel]] = defaultdict(dict)
        for obj in objects:
            self._kinds[type(obj)][object_key(obj)] = obj
        self._ownership: Ownership | None = None
        self._groups: PodGroups | None = None
        self._sorted: list[Pod] | None = None
        self._by_node: dict[str, list[Pod]] | None = None
        self._names: dict[str, set[str]] | None = None
        self.origins: dict[tuple[str, str], PodOrigin] = {}
        self.came_from: dict[tuple[str, str], str] = {}
        self.created: list[Created] = []
        self.deployed: dict[WorkloadKey, Deployed] = {}
        self.resized: dict[WorkloadKey, None] = {}
        self.counted: dict[WorkloadKey, int] = {}
        self.changed_nodes: dict[str, Node] = {}
        self.removed: list[tuple[Pod, WorkloadKey]] = []
        self.lost: list[Pod] = []
        self.notes: list[str] = []

    @property
    def objects(self) -> list[TopLevel]:
        """All objects, by kind in order of arrival."""
        return [obj for kind in self._kinds.values() for obj in kind.values()]

    @property
    def nodes(self) -> list[Node]:
        """The nodes by name."""
        return sorted(self.all(Node), key=lambda node: node.name)

    @property
    def pods(self) -> Sequence[Pod]:
        """The pods of the cluster as an API server lists them, finished ones left out."""
        if self._sorted is None:
            pods = (pod for pod in self.all(Pod) if not pod.is_terminal)
            self._sorted = sorted(pods, key=lambda pod: pod.full_name)
        return self._sorted

    def pods_on(self, nodes: Iterable[str]) -> list[Pod]:
        """The pods that are on some of the nodes as an API server lists them, finished ones left out."""
        if self._by_node is None:
            self._by_node = defaultdict(list)
            for pod in self.pods:
                self._by_node[pod.spec.node_name].append(pod)
        names = [*dict.fromkeys(nodes)]
        found = [pod for name in names for pod in self._by_node.get(name, ())]
        return found if len(names) == 1 else sorted(found, key=lambda pod: pod.full_name)

    @property
    def ownership(self) -> Ownership:
        """Which workload a pod belongs to."""
        if self._ownership is None:
            self._ownership = Ownership(obj for kind in WORKLOADS for obj in self.all(kind))
        return self._ownership

    def pods_of(self, workload: Workload) -> list[Pod]:
        """The pods of a workload by name, finished ones left out."""
        return [pod for pod in self._pod_groups().of(workload) if not pod.is_terminal]

    def pods_under(self, key: WorkloadKey) -> list[Pod]:
        """The pods in whose chain of owners something is, by name, finished ones left out."""
        return [pod for pod in self._pod_groups().under(key) if not pod.is_terminal]

    def _pod_groups(self) -> PodGroups:
        if self._groups is None:
            self._groups = PodGroups(self.ownership, self.all(Pod))
        return self._groups

    def all(self, kind: type[T]) -> list[T]:
        """The objects of a kind in order of arrival."""
        return list(self._kinds[kind].values())  # type: ignore[arg-type]

    def find(self, kind: type[T], name: str, namespace: str = "") -> T | None:
        """One object, or None."""
        return self._kinds[kind].get((namespace, name))  # type: ignore[return-value]

    def put(self, obj: TopLevel) -> None:
        """Add an object, or put it in the place of the one of its name."""
        if isinstance(obj, Node):
            self._note_changes(obj)
        self._kinds[type(obj)][object_key(obj)] = obj
        if isinstance(obj, Pod):
            self._put_pod(obj)
        elif isinstance(obj, WORKLOADS):
            self.ownership.put(obj)
            self._forget_groups(obj)

    def _note_changes(self, node: Node) -> None:
        old = self.find(Node, node.name)
        if old is not None and (old.metadata.labels, old.spec.taints) != (
            node.metadata.labels,
            node.spec.taints,
        ):
            self.changed_nodes.setdefault(node.name, old)

    def drop(self, obj: TopLevel) -> None:
        """Take an object away."""
        self._kinds[type(obj)].pop(object_key(obj), None)
        if isinstance(obj, Pod):
            self._drop_pod(obj)
        elif isinstance(obj, WORKLOADS):
            self.ownership.drop(obj)
            self._forget_groups(obj)

    def _put_pod(self, pod: Pod) -> None:
        self._sorted = self._by_node = None
        if self._names is not None:
            self._names[pod.namespace].add(pod.name)
        if self._groups is not None:
            self._groups.put(pod)

    def _drop_pod(self, pod: Pod) -> None:
        self._sorted = self._by_node = self._names = None
        if self._groups is not None:
            self._groups.drop(pod)

    def _forget_groups(self, obj: TopLevel) -> None:
        """Only the links in the middle of a chain decide whose a pod is."""
        if isinstance(obj, (ReplicaSet, Job)):
            self._groups = None

    def create(
        self, pods: Iterable[Pod], origin: PodOrigin = PodOrigin.NEW, batch: WorkloadKey | None = None
    ) -> None:
        """Ask for pods, with the claims that controllers make for them."""
        for pod in pods:
            self.created.append(Created(self.with_claims(pod), origin, batch))
            check_pods_made(len(self.created))
            if self._names is not None:
                self._names[pod.namespace].add(pod.name)

    def delete_pod(self, pod: Pod) -> None:
        """Take a pod away with the claims that were made for it."""
        self.drop(pod)
        self.origins.pop((pod.namespace, pod.name), None)
        for claim in claims_made_for(pod, self.find):
            self.drop(claim)
        for released in released_claims(pod, self.find):
            self.put(released)

    def remove(self, pod: Pod) -> None:
        """Take a pod away that its workload is to have no more."""
        self.removed.append((pod, self.workload_of(pod)))
        self.delete_pod(pod)

    def displace(self, pod: Pod) -> None:
        """Take a pod away; what controls it makes it anew, did so when the pod began to end, or it is lost."""
        self.delete_pod(pod)
        if pod.is_terminating and not self.is_replaced_once_gone(pod):
            return
        if not is_recreated(pod):
            self.lost.append(pod)
            return
        self.recreate(pod)

    def is_replaced_once_gone(self, pod: Pod) -> bool:
        """Whether the successor of a pod comes only once it is gone: by its name, or as its job will have it."""
        return is_replaced_once_gone(pod, self.find)

    def recreate(self, pod: Pod, origin: PodOrigin = PodOrigin.DISPLACED, name: str | None = None) -> None:
        """Let a controller make a pod in the place of another one."""
        node = named_node(pod, self.find)
        ready = self.with_claims(successor(pod, name, node))
        if node:  # not there before its kubelet has admitted it
            self.created.append(Created(ready, origin))
        else:
            self.put(ready)
        self.origins[ready.namespace, ready.name] = origin
        self.came_from[ready.namespace, ready.name] = pod.spec.node_name

    def renew_volume_claims(self, pod: Pod) -> None:
        """Make the claims of a pod's ephemeral volumes as its controller will make them anew, unbound."""
        for claim in claims_made_for(pod, self.find):
            if isinstance(claim, PersistentVolumeClaim):
                self.drop(claim)
        _, claims = with_generated_claims(successor(pod), self.find)
        for claim in claims:
            if isinstance(claim, PersistentVolumeClaim):
                self.put(claim)

    def names_in(self, namespace: str) -> AbstractSet[str]:
        """Names of the pods of a namespace, those to be created included; grows with the world."""
        if self._names is None:
            self._names = defaultdict(set)
            for pod in (*self.all(Pod), *(created.pod for created in self.created)):
                self._names[pod.namespace].add(pod.name)
        return self._names[namespace]

    def workload_of(self, pod: Pod) -> WorkloadKey:
        """The workload that a pod belongs to, the pod itself where there is none."""
        return self.ownership.root(pod)

    def with_claims(self, pod: Pod) -> Pod:
        """The pod as it is once the claims that controllers make for it are there; they are put into the world."""
        ready, claims = with_generated_claims(pod, self.find)
        for claim in claims:
            self.put(claim)
        return ready


def successor(pod: Pod, name: str | None = None, node: str = "") -> Pod:
    """The pod that a controller makes in the place of another; it keeps the name, by which people know it.

    Args:
        pod: the other one.
        name: instead of its name.
        node: the node that the controller's template names.
    """
    old = pod.metadata
    metadata = ObjectMeta(
        name=name or old.name,
        namespace=old.namespace,
        labels=old.labels,
        annotations=old.annotations,
        owner_references=old.owner_references,
    )
    return Pod(
        api_version="v1",
        kind="Pod",
        metadata=metadata,
        spec=replace(pod.spec, node_name=node),
        status=PodStatus(),
    )
