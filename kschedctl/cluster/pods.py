"""The pod table: pods as rows of a few columns; all that equal pods share stands once, in their class."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt

from kschedctl.admission.admitted import AdmittedPod

from .demand import Demands, resize_key
from .label_groups import LabelledGroups
from .pod_class import PodClass
from .resources import ResourceIndex, widened, wrap_int64

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PodRecord:
    """A pod as plugins see it.

    Attributes:
        id: row in the pod table; stable for the life of the cluster.
        pod: the pod after admission.
        klass: its equivalence class.
    """

    id: int
    pod: AdmittedPod
    klass: PodClass

    @property
    def name(self) -> str:
        """`metadata.name`."""
        return self.pod.name

    @property
    def namespace(self) -> str:
        """Namespace."""
        return self.pod.namespace

    @property
    def full_name(self) -> str:
        """`namespace/name`."""
        return self.pod.full_name

    @property
    def priority(self) -> int:
        """Priority, 0 where none is written."""
        return self.klass.priority


class PodTable:
    """Pods in order of arrival, with their classes and label groups.

    Attributes:
        records: by pod id.
        classes: by class index.
        groups: the distinct `(namespace, labels)`: label selectors are decided once per group.
    """

    def __init__(self, resources: ResourceIndex, *, in_place_pod_level: bool) -> None:
        self.records: list[PodRecord] = []
        self.classes: list[PodClass] = []
        self.groups = LabelledGroups()
        self._resources = resources
        self._demands = Demands(in_place_pod_level=in_place_pod_level)
        self._class_of: dict[object, PodClass] = {}
        self._group_of: dict[object, int] = {}
        self._node = np.empty(64, np.int64)
        self._klass = np.empty(64, np.int64)
        self._terminating = np.empty(64, bool)
        self._place = np.empty(64, np.int64)
        self._class_requests = np.zeros((0, len(resources)), np.int64)
        self._class_non_zero = np.zeros((0, 2), np.int64)
        self._class_group: Ints = np.zeros(0, np.int64)
        self._class_priority: Ints = np.zeros(0, np.int64)
        self._class_has_ports = np.zeros(0, bool)
        self._with_affinity: list[PodClass] = []

    def __len__(self) -> int:
        return len(self.records)

    def add(self, pod: AdmittedPod) -> PodRecord:
        """Enter a pod that is on no node yet."""
        record = PodRecord(len(self.records), pod, self.classify(pod))
        if record.id == len(self._node):
            grown = 2 * len(self._node)
            self._node = np.resize(self._node, grown)
            self._klass = np.resize(self._klass, grown)
            self._terminating = np.resize(self._terminating, grown)
            self._place = np.resize(self._place, grown)
        self._node[record.id] = -1
        self._place[record.id] = -1
        self._klass[record.id] = record.klass.index
        self._terminating[record.id] = pod.is_terminating
        self.records.append(record)
        return record

    def classify(self, pod: AdmittedPod) -> PodClass:
        """The class of a pod, made where it is the first of its kind."""
        owner = pod.metadata.controller
        read = _status_key(pod)
        labels = tuple(sorted(pod.labels.items()))
        # Equal specs are one object after admission, so identity is equality.
        key = (pod.namespace, labels, id(pod.spec), owner, read)
        klass = self._class_of.get(key)
        if klass is None:
            group = self._group_of.setdefault((pod.namespace, labels), len(self.groups))
            if group == len(self.groups):
                self.groups.add(pod.namespace, pod.labels)
            klass = PodClass(len(self.classes), group, pod, self._demands.of(pod))
            self._class_of[key] = klass
            self.classes.append(klass)
        return klass

    @property
    def node(self) -> Ints:
        """int64 (P,): row of the node a pod is on, -1 for none. To be written through `ClusterState` only."""
        return self._node[: len(self.records)]

    @property
    def place(self) -> Ints:
        """int64 (P,): place of a pod in its node's list; kept by `Usage`."""
        return self._place[: len(self.records)]

    @property
    def klass(self) -> Ints:
        """int64 (P,): class index."""
        return self._klass[: len(self.records)]

    @property
    def terminating(self) -> npt.NDArray[np.bool_]:
        """Bool (P,): deletion has begun."""
        return self._terminating[: len(self.records)]

    @property
    def class_requests(self) -> Ints:
        """int64 (C, resources): what a pod of each class counts for on its node."""
        self._complete_classes()
        return self._class_requests

    @property
    def class_non_zero(self) -> Ints:
        """int64 (C, 2): milli cpu and bytes of memory, defaults included."""
        self._complete_classes()
        return self._class_non_zero

    @property
    def class_group(self) -> Ints:
        """int64 (C,): index of the label group of each class."""
        self._complete_classes()
        return self._class_group

    @property
    def classes_with_affinity(self) -> list[PodClass]:
        """Classes whose pods have inter-pod affinity or anti-affinity of any kind."""
        self._complete_classes()
        return self._with_affinity

    def classes_matching(self, groups: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Classes whose group is in a mask bool (G,): bool (C,)."""
        return groups[self.class_group]

    @property
    def class_has_ports(self) -> npt.NDArray[np.bool_]:
        """Bool (C,): whether pods of each class hold host ports."""
        self._complete_classes()
        return self._class_has_ports

    @property
    def class_priority(self) -> Ints:
        """int64 (C,): priority of each class."""
        self._complete_classes()
        return self._class_priority

    def sum_by_node(self, weights: Ints, nodes: int, *, live_only: bool = False) -> Ints:
        """Sum of class weights over the pods of each node.

        Args:
            weights: int64 (C,), what a pod of each class adds.
            nodes: number of nodes N.
            live_only: leave out pods whose deletion has begun.

        Returns:
            int64 (N,).
        """
        chosen = (weights != 0)[self.klass] & (self.node >= 0)
        if live_only:
            chosen &= ~self.terminating
        pods = np.flatnonzero(chosen)
        total = np.zeros(nodes, np.int64)
        np.add.at(total, self.node[pods], weights[self.klass[pods]])
        return total

    def _complete_classes(self) -> None:
        """Bring the class columns up to date; classes and resource columns only ever grow."""
        known, wanted = len(self._class_requests), len(self.classes)
        if known < wanted:
            fresh = self.classes[known:]
            self._with_affinity += [klass for klass in fresh if klass.terms.has_affinity]
            block = self._requests_of(fresh)
            old = self._class_requests
            pad = np.pad(old, ((0, 0), (0, block.shape[1] - old.shape[1])))
            self._class_requests = np.vstack([pad, block])
            non_zero = [[wrap_int64(amount) for amount in klass.demand.non_zero] for klass in fresh]
            self._class_non_zero = np.vstack([self._class_non_zero, np.array(non_zero, np.int64)])
            self._class_group = np.append(self._class_group, [k.group for k in fresh])
            self._class_priority = np.append(self._class_priority, [k.priority for k in fresh])
            self._class_has_ports = np.append(self._class_has_ports, [bool(k.ports) for k in fresh])
        missing = len(self._resources) - self._class_requests.shape[1]
        if missing:
            self._class_requests = np.pad(self._class_requests, ((0, 0), (0, missing)))

    def _requests_of(self, classes: list[PodClass]) -> Ints:
        """Requests of some classes, int64 (len(classes), resources)."""
        places = {demand: i for i, demand in enumerate(dict.fromkeys(klass.demand for klass in classes))}
        vectors = [self._resources.vector(demand.requests) for demand in places]
        table = np.array([widened(vector[None], len(self._resources))[0] for vector in vectors])
        return table[[places[klass.demand] for klass in classes]]


def _status_key(pod: AdmittedPod) -> bytes:
    """What decisions read of the status, of resizes and of claims: nothing, for nearly every pod."""
    status, resize = pod.status, resize_key(pod)
    claims = bool(pod.spec.resource_claims) or status.extended_resource_claim_status is not None
    if not (resize or claims):
        return b""
    names = (status.resource_claim_statuses, status.extended_resource_claim_status)
    return msgspec.msgpack.encode((resize, names if claims else None))
