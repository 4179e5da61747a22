"""A loaded cluster and a scheduler: what every question is asked of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Final

from msgspec.structs import replace

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.admission.chain import Admission
from kschedctl.admission.context import AdmissionContext
from kschedctl.admission.gates import AdmissionGates, GroupGates
from kschedctl.admission.invalid import Invalid
from kschedctl.cluster.build import build_cluster
from kschedctl.cluster.group_members import GroupMembers
from kschedctl.cluster.pod_classes import PodClasses
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.cluster.store import ObjectStore
from kschedctl.extenders.call import Transport
from kschedctl.framework.configuration import SchedulerConfiguration
from kschedctl.framework.versions import FeatureGates
from kschedctl.objects.core import LimitRange, PriorityClass, RuntimeClass
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.objects.pod_requests import ResizeRules
from kschedctl.objects.resource import ResourceClaim
from kschedctl.objects.well_known import REGION, ZONE
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.scheduling.decision import Decision
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.workloads.stateful_set import ordinal_of

_COPIED_LABELS: Final = (REGION, ZONE)
"""Labels of a node that the API server copies to pods as they are bound."""


class Session:
    """A cluster and the scheduler that decides for it.

    Args:
        objects: everything in the cluster, as loaded.
        configuration: profiles, version and gates.
        options: what to do where the real scheduler leaves room.
        like: a session of the same scheduler over mostly the same objects, of which only what differs is
            worked out anew.
        missing_classes_refuse: whether a new pod is refused whose priority or runtime class is not there.
        looked_at: when the objects were as they are here, in nanoseconds since 1970; None: not known.
        transport: carries calls to extenders; None: none of them is called.

    Attributes:
        objects: as loaded.
        cluster: the columns.
        scheduler: the profiles, ready to decide.
        admission: what new pods go through.
        in_transaction: whether somebody is about to change the cluster, and to undo it.
    """

    def __init__(
        self,
        objects: Sequence[TopLevel],
        configuration: SchedulerConfiguration,
        options: SchedulingOptions | None = None,
        like: Session | None = None,
        *,
        missing_classes_refuse: bool = True,
        looked_at: int | None = None,
        transport: Transport | None = None,
    ) -> None:
        self.objects = objects
        gates = configuration.gates
        context = admission_context(objects, gates, missing_classes_refuse=missing_classes_refuse)
        self.admission: Admission
        self.cluster: ClusterState
        known: Mapping[int, PodRecord] | None
        if like is not None and like.admission.context == context:
            self.admission, classes, known = like.admission, like.cluster.pods.classes, like._records
        else:
            self.admission, known = Admission(context), None
            classes = PodClasses(_resize_rules(gates))
        schedulers = frozenset(profile.scheduler_name for profile in configuration.profiles)
        self.cluster = build_cluster(
            objects,
            self.admission,
            classes,
            known,
            schedulers,
            gated_are_nominated=configuration.version.facts.gated_pods_are_nominated,
        )
        self.cluster.looked_at = looked_at
        if gates.enabled("PodTopologyLabelsAdmission"):
            self.cluster.copied_labels = _COPIED_LABELS
        if self.cluster.objects.all(ResourceClaim):
            _hear_of_removals(self.cluster)
        GroupMembers.of(self.cluster)
        self.scheduler = _scheduler(configuration, options, transport)
        self._other_scheduler: Scheduler | None = None
        self.in_transaction = False
        self._loaded = len(self.cluster.pods)

    def __getstate__(self) -> dict[str, object]:
        """What travels: all but the identities of the pods, which are others there."""
        return {name: value for name, value in vars(self).items() if name != "_records"}

    def with_objects(self, objects: Sequence[TopLevel], options: SchedulingOptions) -> Session:
        """Another cluster with the same scheduler; what is equal in both is not worked out again."""
        refuse = self.admission.context.missing_classes_refuse
        return Session(
            objects,
            self.scheduler.configuration,
            options,
            like=self,
            missing_classes_refuse=refuse,
            looked_at=self.cluster.looked_at,
            transport=self.scheduler.transport,
        )

    def scheduler_asking(self, *, every_failure: bool) -> Scheduler:
        """The scheduler, asking each node up to its first failure, or every plugin of every node."""
        if self.scheduler.options.every_failure == every_failure:
            return self.scheduler
        if self._other_scheduler is None:
            options = replace(self.scheduler.options, every_failure=every_failure)
            self._other_scheduler = _scheduler(
                self.scheduler.configuration, options, self.scheduler.transport
            )
        return self._other_scheduler

    def set_objects(self, objects: ObjectStore) -> None:
        """Exchange everything that is neither a node nor a pod; undone with the cluster's journal."""
        self.cluster.set_objects(objects)
        if objects.all(ResourceClaim):
            _hear_of_removals(self.cluster)
        GroupMembers.of(self.cluster)

    def enter(self, pod: Pod) -> PodRecord | Invalid:
        """Put a hypothetical pod through admission and into the pod table, on no node."""
        admitted = self.admission.admit_candidate(pod)
        return admitted if isinstance(admitted, Invalid) else self.cluster.add_pod(admitted)

    def enter_pending(self, pod: Pod) -> PodRecord | Invalid:
        """The same for a pod that waits in the queue: others see its nomination, if it has one."""
        admitted = self.admission.admit_candidate(pod)
        return admitted if isinstance(admitted, Invalid) else self.cluster.add_pending(admitted)

    def find(self, namespace: str, name: str) -> PodRecord | None:
        """A pod of the cluster as loaded, running or pending."""
        found = self._by_name.get((namespace, name))
        return None if found is None else self.cluster.pods.records[found]

    def numbered(self, namespace: str, name: str) -> list[tuple[int, PodRecord]]:
        """The pods of the cluster as loaded that are called `name-NUMBER`, by their numbers."""
        return self._numbered.get((namespace, name), [])

    @cached_property
    def _numbered(self) -> dict[tuple[str, str], list[tuple[int, PodRecord]]]:
        found: dict[tuple[str, str], list[tuple[int, PodRecord]]] = {}
        for record in self.cluster.pods.records[: self._loaded]:
            name, number = record.name.rpartition("-")[0], ordinal_of(record.name)
            if record.name == f"{name}-{number}":
                found.setdefault((record.namespace, name), []).append((number, record))
        for members in found.values():
            members.sort(key=lambda member: member[0])
        return found

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], int]:
        records = self.cluster.pods.records[: self._loaded]
        return {(record.namespace, record.name): record.id for record in records}

    @cached_property
    def _records(self) -> dict[int, PodRecord]:
        """`id` of a pod as loaded -> its record, for sessions over mostly the same pods."""
        return {
            id(source): record
            for record in self.cluster.pods.records[: self._loaded]
            # One that has been bound since has other labels than it was loaded with.
            if (source := record.pod.source) is not None and record.pod.metadata is source.metadata
        }

    def pending(self) -> list[PodRecord]:
        """Pods of the cluster as loaded that are on no node and ask for none, in order of arrival."""
        node = self.cluster.pods.node
        records = self.cluster.pods.records[: self._loaded]
        return [r for r in records if node[r.id] < 0 and not r.pod.node_name]

    @property
    def entered(self) -> list[PodRecord]:
        """Pods that came after the cluster was loaded."""
        return self.cluster.pods.records[self._loaded :]

    @contextmanager
    def deciding(self, pod: PodRecord) -> Iterator[Decision]:
        """The decision for a pod alone; a running one is taken out first, and put back at the end.

        The texts of the decision are made from the state of the cluster: read them inside the block.
        """
        start = self.cluster.mark()
        if self.cluster.pods.node[pod.id] >= 0:
            self.cluster.remove(pod.id)
            pod = placed_anew(pod)
        try:
            yield self.scheduler.decide(pod, self.cluster)
        finally:
            self.cluster.undo_to(start)


def _hear_of_removals(cluster: ClusterState) -> None:
    """Let claims be released from now on when pods go; the devices are loaded only where there are claims."""
    from kschedctl.dra.cluster_devices import ClusterDevices

    ClusterDevices.of(cluster)


def placed_anew(record: PodRecord) -> PodRecord:
    """A pod that is on a node, or was, as it was before it had one."""
    pod = record.pod
    status = pod.status
    if status.node_allocatable_resource_claim_statuses:
        status = replace(status, node_allocatable_resource_claim_statuses=())
    unbound = AdmittedPod(pod.metadata, pod.spec, status, "", pod.source)
    return PodRecord(record.id, unbound, record.pod_class)


def _resize_rules(gates: FeatureGates) -> ResizeRules | None:
    if not gates.enabled("InPlacePodVerticalScaling"):
        return None
    return ResizeRules(
        pod_level=gates.enabled("InPlacePodLevelResourcesVerticalScaling"),
        by_whole_pod=gates.version.facts.in_use_by_whole_pod,
        devices=gates.enabled("DRANodeAllocatableResources"),
    )


def _scheduler(
    configuration: SchedulerConfiguration, options: SchedulingOptions | None, transport: Transport | None
) -> Scheduler:
    """The scheduler, with a clock where one is asked for."""
    if options is None or options.timings is None:
        return Scheduler(configuration, options, transport)
    from kschedctl.scheduling.measured import MeasuredScheduler

    return MeasuredScheduler(configuration, options, transport, options.timings)


def admission_context(
    objects: Sequence[TopLevel], gates: FeatureGates, *, missing_classes_refuse: bool = True
) -> AdmissionContext:
    """What admission reads of the objects of a cluster."""
    return AdmissionContext.of(
        AdmissionGates.of(gates.enabled, gates.version.facts.admission, _group_gates(gates)),
        priority_classes=[o for o in objects if isinstance(o, PriorityClass)],
        runtime_classes=[o for o in objects if isinstance(o, RuntimeClass)],
        limit_ranges=[o for o in objects if isinstance(o, LimitRange)],
        missing_classes_refuse=missing_classes_refuse,
    )


def _group_gates(gates: FeatureGates) -> GroupGates:
    priority = gates.version.facts.group_priority_gate
    return GroupGates(
        priority=bool(priority) and gates.enabled(priority),
        preemption_policy=gates.enabled("PodGroupPreemptionPolicy"),
        topology=gates.enabled("TopologyAwareWorkloadScheduling"),
        claims=gates.enabled("DRAWorkloadResourceClaims"),
        composite=gates.enabled("CompositePodGroup"),
    )
