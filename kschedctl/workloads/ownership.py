"""Which workload a pod of the cluster belongs to: up the chain of controlling owners."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from kschedctl.objects.apps import CronJob, Job, ReplicationController
from kschedctl.objects.meta import LabelSelector, TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.objects.selectors import Selector, SelectorError, parse_label_selector
from kschedctl.workloads.replicated import HASH_LABEL
from kschedctl.workloads.workload import WORKLOADS, Workload, WorkloadKey, key_of


class Ownership:
    """The workloads of a cluster, and which pods are theirs.

    Owners are followed by name, as far as their objects are known. The replica set of a deployment that is
    missing in the input is recognised by the hash in its name.
    """

    def __init__(self, objects: Iterable[TopLevel]) -> None:
        self._known: dict[WorkloadKey, Workload] = {
            key_of(obj): obj for obj in objects if isinstance(obj, WORKLOADS)
        }

    def workload(self, key: WorkloadKey) -> Workload | None:
        """The object of a workload."""
        return self._known.get(key)

    def root(self, pod: Pod) -> WorkloadKey:
        """The workload at the top of a pod's chain of owners; the pod itself where nothing controls it."""
        return self.chain(pod)[-1]

    def chain(self, pod: Pod) -> tuple[WorkloadKey, ...]:
        """What controls a pod, nearest first, up to its root; the pod itself where nothing controls it."""
        owner = pod.metadata.controller
        if owner is None:
            return (WorkloadKey("Pod", pod.namespace, pod.name),)
        links = [WorkloadKey(owner.kind, pod.namespace, owner.name)]
        for _ in range(8):  # a chain has two or three links; input written by hand may have a ring
            above = self._above(links[-1], pod)
            if above is None:
                break
            links.append(above)
        return tuple(links)

    def _above(self, key: WorkloadKey, pod: Pod) -> WorkloadKey | None:
        known = self._known.get(key)
        if known is not None:
            owner = known.metadata.controller
            return None if owner is None else WorkloadKey(owner.kind, key.namespace, owner.name)
        hashed = pod.metadata.labels.get(HASH_LABEL)
        if key.kind == "ReplicaSet" and hashed and key.name.endswith(f"-{hashed}"):
            return WorkloadKey("Deployment", key.namespace, key.name.removesuffix(f"-{hashed}"))
        return None

    def scaled_by(self, pod: Pod) -> WorkloadKey:
        """The workload whose number of replicas disruption budgets read for a pod, its root where none is known.

        It is the nearest one that is known; the replica set of a deployment is passed over.
        """
        chain = self.chain(pod)
        known = [key for key in chain if key in self._known]
        if len(known) > 1 and (known[0].kind, known[1].kind) == ("ReplicaSet", "Deployment"):
            return known[1]
        return known[0] if known else chain[-1]

    def put(self, workload: Workload) -> None:
        """Learn of a workload, or of its new form."""
        self._known[key_of(workload)] = workload

    def drop(self, workload: Workload) -> None:
        """Forget a workload."""
        self._known.pop(key_of(workload), None)


class PodGroups:
    """The pods of a cluster by workload, kept while pods come and go; owners must stay as they are.

    A pod is found under every link of its chain of owners: a workload that has a controller keeps its pods.
    """

    def __init__(self, ownership: Ownership, pods: Iterable[Pod]) -> None:
        self._ownership = ownership
        self._owned: dict[WorkloadKey, dict[str, Pod]] = defaultdict(dict)
        self._orphans: dict[str, dict[str, Pod]] = defaultdict(dict)
        for pod in pods:
            self.put(pod)

    def put(self, pod: Pod) -> None:
        """Enter a pod."""
        for group in self._groups(pod):
            group[pod.name] = pod

    def drop(self, pod: Pod) -> None:
        """Take a pod out."""
        for group in self._groups(pod):
            group.pop(pod.name, None)

    def of(self, workload: Workload) -> list[Pod]:
        """The pods of a workload by name: by their owners, and orphans by its selector."""
        found = list(self._owned[key_of(workload)].values())
        selector = selector_of(workload)
        if selector is not None:
            orphans = self._orphans[workload.namespace].values()
            found += [pod for pod in orphans if selector.matches(pod.metadata.labels)]
        return sorted(found, key=lambda pod: pod.name)

    def under(self, key: WorkloadKey) -> list[Pod]:
        """The pods in whose chain of owners something is, by name."""
        return sorted(self._owned.get(key, {}).values(), key=lambda pod: pod.name)

    def _groups(self, pod: Pod) -> list[dict[str, Pod]]:
        if pod.metadata.controller is None:
            return [self._orphans[pod.namespace]]
        return [self._owned[key] for key in self._ownership.chain(pod)]


def adopts(workload: Workload, pod: Pod) -> bool:
    """Whether a pod that nothing controls is one that a workload selects."""
    if pod.metadata.controller is not None or pod.namespace != workload.namespace:
        return False
    selector = selector_of(workload)
    return selector is not None and selector.matches(pod.metadata.labels)


def selector_of(workload: Workload) -> Selector | None:
    """What selects the pods of a workload, None where the pods carry made-up labels or everything is selected."""
    match workload:
        case Job() | CronJob():
            return None
        case ReplicationController():
            labels = workload.spec.selector or workload.spec.template.metadata.labels
            raw: LabelSelector | None = LabelSelector(match_labels=labels)
        case _:
            raw = workload.spec.selector
    try:
        selector = parse_label_selector(raw)
    except SelectorError:
        return None
    return None if selector.nothing or selector.everything else selector
