"""The classes of pods that there are, as columns: all that equal pods share stands here once."""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.demand import Demands, resize_key
from kschedctl.cluster.label_groups import LabelledGroups
from kschedctl.cluster.pod_class import PodClass
from kschedctl.cluster.resources import ResourceIndex, widened
from kschedctl.objects.go import wrap_int64
from kschedctl.objects.pod import PodSpec
from kschedctl.objects.pod_requests import ResizeRules

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


_EACH_CONTAINER: Final = ResizeRules()


class _Same:
    """A spec as a key: equal specs are one object after admission, so identity is equality, also where they travel."""

    __slots__ = ("spec",)

    def __init__(self, spec: PodSpec) -> None:
        self.spec = spec

    def __hash__(self) -> int:
        return id(self.spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.spec is other.spec


class PodClasses:
    """Pods to their classes; classes and resource columns only ever grow.

    Clusters that differ in a few objects share one, so that a what-if costs what is new in it. A class may then
    have no pod in a cluster. Of the pods, only the first of each class is kept.

    Attributes:
        resources: the columns of resources.
        groups: the distinct `(namespace, labels)`: label selectors are decided once per group.
    """

    def __init__(self, resizes: ResizeRules | None = _EACH_CONTAINER) -> None:
        """Begin without classes.

        Args:
            resizes: how pods count that are resized; None: no pod is (gate InPlacePodVerticalScaling).
        """
        self.resources = ResourceIndex()
        self.groups = LabelledGroups()
        self._demands = Demands(resizes)
        self._classes: list[PodClass] = []
        self._templates: dict[object, int] = {}
        self._by_key: dict[object, PodClass] = {}
        self._group_of: dict[object, int] = {}
        self._requests = np.zeros((0, len(self.resources)), np.int64)
        self._non_zero = np.zeros((0, 2), np.int64)
        self._group: Ints = np.zeros(0, np.int64)
        self._template: Ints = np.zeros(0, np.int64)
        self._priority: Ints = np.zeros(0, np.int64)
        self._has_ports = np.zeros(0, bool)
        self._with_affinity: list[PodClass] = []
        self._templates_with_affinity: set[int] = set()

    def __len__(self) -> int:
        return len(self._classes)

    def __getitem__(self, index: int) -> PodClass:
        return self._classes[index]

    def since(self, index: int) -> list[PodClass]:
        """The classes from an index on, for whoever keeps something of each."""
        return self._classes[index:]

    def of(self, pod: AdmittedPod) -> PodClass:
        """The class of a pod, made where it is the first of its kind."""
        rest = (pod.namespace, _Same(pod.spec), pod.metadata.controller, _status_key(pod))
        return self._of(self._templates.setdefault(rest, len(self._templates)), pod)

    def relabelled(self, pod_class: PodClass, pod: AdmittedPod) -> PodClass:
        """The class of a pod that was one of `pod_class` and got other labels."""
        return self._of(pod_class.template, pod)

    def _of(self, template: int, pod: AdmittedPod) -> PodClass:
        labels = tuple(sorted(pod.labels.items()))
        key = (template, labels)
        pod_class = self._by_key.get(key)
        if pod_class is None:
            group = self._group_of.setdefault((pod.namespace, labels), len(self.groups))
            if group == len(self.groups):
                self.groups.add(pod.namespace, pod.labels)
            pod_class = PodClass(len(self._classes), template, group, pod, self._demands.of(pod))
            self._by_key[key] = pod_class
            self._classes.append(pod_class)
        return pod_class

    @property
    def requests(self) -> Ints:
        """int64 (C, resources): what a pod of each class counts for on its node."""
        self._complete()
        if self._requests.shape[1] < len(self.resources):
            self._requests = widened(self._requests, len(self.resources))
        return self._requests

    @property
    def non_zero(self) -> Ints:
        """int64 (C, 2): milli cpu and bytes of memory, defaults included."""
        self._complete()
        return self._non_zero

    @property
    def group(self) -> Ints:
        """int64 (C,): index of the label group of each class."""
        self._complete()
        return self._group

    @property
    def template(self) -> Ints:
        """int64 (C,): index of the template of each class."""
        self._complete()
        return self._template

    @property
    def priority(self) -> Ints:
        """int64 (C,): priority of each class."""
        self._complete()
        return self._priority

    @property
    def has_ports(self) -> Mask:
        """Bool (C,): whether pods of each class hold host ports."""
        self._complete()
        return self._has_ports

    @property
    def with_affinity(self) -> list[PodClass]:
        """Classes whose pods have inter-pod affinity or anti-affinity of any kind."""
        self._complete()
        return self._with_affinity

    @property
    def templates_with_affinity(self) -> int:
        """How many templates they are of: with another one there may be terms that no pod had before."""
        self._complete()
        return len(self._templates_with_affinity)

    def matching(self, groups: Mask) -> Mask:
        """Classes whose group is in a mask bool (G,): bool (C,)."""
        return groups[self.group]

    def _complete(self) -> None:
        """Bring the columns up to date."""
        known = len(self._requests)
        if known < len(self._classes):
            fresh = self.since(known)
            having = [pod_class for pod_class in fresh if pod_class.terms.has_affinity]
            self._with_affinity += having
            self._templates_with_affinity.update(pod_class.template for pod_class in having)
            block = self._requests_of(fresh)
            self._requests = np.vstack([widened(self._requests, block.shape[1]), block])
            non_zero = [[wrap_int64(amount) for amount in pod_class.demand.non_zero] for pod_class in fresh]
            self._non_zero = np.vstack([self._non_zero, np.array(non_zero, np.int64)])
            self._group = np.append(self._group, [k.group for k in fresh])
            self._template = np.append(self._template, [k.template for k in fresh])
            self._priority = np.append(self._priority, [k.priority for k in fresh])
            self._has_ports = np.append(self._has_ports, [bool(k.ports) for k in fresh])

    def _requests_of(self, classes: list[PodClass]) -> Ints:
        """Requests of some classes, int64 (len(classes), resources)."""
        places = {
            demand: i for i, demand in enumerate(dict.fromkeys(pod_class.demand for pod_class in classes))
        }
        vectors = [self.resources.vector(demand.requests) for demand in places]
        table = np.array([widened(vector[None], len(self.resources))[0] for vector in vectors])
        return table[[places[pod_class.demand] for pod_class in classes]]


def _status_key(pod: AdmittedPod) -> bytes:
    """What decisions read of the status, of resizes and of claims: nothing, for nearly every pod."""
    status, resize = pod.status, resize_key(pod)
    claims = bool(pod.spec.resource_claims) or status.extended_resource_claim_status is not None
    if not (resize or claims):
        return b""
    names = (status.resource_claim_statuses, status.extended_resource_claim_status)
    return msgspec.msgpack.encode((resize, names if claims else None))
