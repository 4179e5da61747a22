"""Which kinds an answer has read, and what it could be without them.

Told of a pod are kinds whose objects could have made its answer another one: claims where it has volumes, namespaces
where terms select them, device classes where it asks for devices.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from kschedctl.cluster.affinity_terms import AffinityTerm, AffinityTerms
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.configuration import PodTopologySpreadArgs
from kschedctl.framework.configuration.args import SYSTEM_DEFAULTING
from kschedctl.objects import storage
from kschedctl.objects.apps import DaemonSet, ReplicaSet, ReplicationController, StatefulSet
from kschedctl.objects.core import LimitRange, Namespace, PodDisruptionBudget, PriorityClass, Service
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod_requests import pod_requests
from kschedctl.objects.resource import (
    DeviceClass,
    DeviceTaintRule,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceSlice,
)
from kschedctl.plugins.dynamic_resources import DynamicResources
from kschedctl.plugins.inter_pod_affinity import InterPodAffinity
from kschedctl.plugins.node_volume_limits import NodeVolumeLimits
from kschedctl.plugins.pod_topology_spread import PodTopologySpread
from kschedctl.plugins.volume_binding import VolumeBinding
from kschedctl.plugins.volume_restrictions import VolumeRestrictions
from kschedctl.plugins.volume_zone import VolumeZone
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.volumes.attachments import AttachmentError, attachments_of, may_attach
from kschedctl.volumes.cluster_storage import ClusterStorage
from kschedctl.volumes.in_tree import COUNTED_PLUGINS

_CONTROLLERS: Final[Mapping[tuple[str, str], type[TopLevel]]] = {
    ("v1", "ReplicationController"): ReplicationController,
    ("apps/v1", "ReplicaSet"): ReplicaSet,
    ("apps/v1", "StatefulSet"): StatefulSet,
}
"""Owners whose selectors default spread constraints take over."""

_VOLUME_PLUGINS: Final = frozenset(
    plugin.spec.name for plugin in (VolumeBinding, VolumeRestrictions, VolumeZone, NodeVolumeLimits)
)
_OF_VOLUMES: Final[tuple[type[TopLevel], ...]] = (
    storage.PersistentVolumeClaim,
    storage.PersistentVolume,
    storage.StorageClass,
    storage.CsiDriver,
    storage.CsiStorageCapacity,
    storage.VolumeAttachment,
    storage.VolumeAttributesClass,
)
_OF_DEVICES: Final[tuple[type[TopLevel], ...]] = (DeviceClass, ResourceClaim, ResourceSlice)


class Reading(Struct, frozen=True):
    """A kind that an answer has read.

    Attributes:
        kind: its type.
        decides: whether its objects could turn yes into no or no into yes.
        refusals: plugins, and reasons, by which a node may be rejected for the lack of them alone.
    """

    kind: type[TopLevel]
    decides: bool
    refusals: frozenset[str] = frozenset()


class Effects(Struct, frozen=True):
    """What an answer does beside placing pods.

    Attributes:
        preempts: pods are preempted.
        drains: pods are evicted as budgets allow.
        new_nodes: nodes are added that are no copies of others, and get the daemons of the cluster.
        changes: workloads of the cluster are replaced or changed, or its pods made anew.
    """

    preempts: bool = False
    drains: bool = False
    new_nodes: bool = False
    changes: bool = False


def readings_of(
    pods: Iterable[PodRecord],
    scheduler: Scheduler,
    cluster: ClusterState,
    kinds: Collection[type[TopLevel]],
    effects: Effects,
) -> list[Reading]:
    """What an answer has read of some kinds.

    Args:
        pods: the pods that were to be placed; those of one class are looked at once.
        scheduler: whose answer it is.
        cluster: in which it was given.
        kinds: the kinds; what takes long to find out is looked at for these only.
        effects: what else was done.
    """
    if not kinds:
        return []
    found = [*_of_effects(effects)]
    for pod in {pod.pod_class.index: pod for pod in pods}.values():
        found += readings_of_pod(pod, scheduler, cluster, kinds)
    return [reading for reading in found if reading.kind in kinds]


def readings_of_pod(
    pod: PodRecord, scheduler: Scheduler, cluster: ClusterState, kinds: Collection[type[TopLevel]]
) -> Iterator[Reading]:
    """What the answer about one pod has read, of these kinds and others."""
    if Namespace in kinds and _selects_namespaces(pod, cluster):
        yield Reading(Namespace, True, frozenset({InterPodAffinity.spec.name}))
    if LimitRange in kinds and not pod.pod.metadata.creation_timestamp:
        yield Reading(LimitRange, True)
    yield from _of_volumes(pod, cluster, kinds)
    yield from _of_devices(pod, scheduler, cluster, kinds)
    yield from _spread_by_controller(pod, scheduler, cluster)


def _of_effects(effects: Effects) -> Iterator[Reading]:
    """Budgets never keep a pod from preempting, but make it prefer other victims; a drain waits for them."""
    if effects.preempts or effects.drains:
        yield Reading(PodDisruptionBudget, effects.drains)
    if effects.preempts:
        yield Reading(PriorityClass, True)
    if effects.new_nodes:
        yield Reading(DaemonSet, True)


def _of_volumes(
    pod: PodRecord, cluster: ClusterState, kinds: Collection[type[TopLevel]]
) -> Iterator[Reading]:
    claims = any(v.persistent_volume_claim or v.ephemeral for v in pod.pod.spec.volumes)
    if claims:
        for kind in _OF_VOLUMES:
            yield Reading(kind, True, _VOLUME_PLUGINS)
    unknown = claims and storage.PersistentVolumeClaim in kinds
    if storage.CsiNode in kinds and (unknown or _attaches(pod, cluster)):
        yield Reading(storage.CsiNode, True, _VOLUME_PLUGINS)


def _of_devices(
    pod: PodRecord, scheduler: Scheduler, cluster: ClusterState, kinds: Collection[type[TopLevel]]
) -> Iterator[Reading]:
    """Claims, and extended resources that a device class backs, or could back if any could be read."""
    backed = set(_backed(pod, scheduler, cluster, DeviceClass in kinds))
    if not pod.pod.spec.resource_claims and not backed:
        return
    refusals = frozenset({DynamicResources.spec.name, *(f"Insufficient {name}" for name in backed)})
    for kind in _OF_DEVICES:
        yield Reading(kind, True, refusals)
    if any(claim.resource_claim_template_name for claim in pod.pod.spec.resource_claims):
        yield Reading(ResourceClaimTemplate, True, refusals)
    if scheduler.configuration.gates.enabled("DRADeviceTaintRules"):
        yield Reading(DeviceTaintRule, True, refusals)


def _backed(pod: PodRecord, scheduler: Scheduler, cluster: ClusterState, unknown: bool) -> Iterator[str]:
    if not scheduler.configuration.gates.enabled("DRAExtendedResource"):
        return
    if not unknown and not cluster.objects.all(DeviceClass):
        return
    from kschedctl.dra.classes import may_be_backed  # loaded only where devices are
    from kschedctl.dra.cluster_devices import ClusterDevices

    classes = ClusterDevices.of(cluster).classes(scheduler.configuration.version.facts.devices.extended)
    for name in pod_requests(pod.pod.spec):
        if classes.backing(name) or (unknown and may_be_backed(name)):
            yield name


def _selects_namespaces(pod: PodRecord, cluster: ClusterState) -> bool:
    """Whether a term of the pod, or one of others that means pods with its labels, goes by labels of namespaces."""
    if any(_by_labels(term) for term in _terms(pod.pod_class.terms)):
        return True
    others = (term for pod_class in cluster.pods.classes.with_affinity for term in _terms(pod_class.terms))
    return any(_by_labels(term) and term.selector.matches(pod.pod.labels) for term in others)


def _terms(terms: AffinityTerms) -> tuple[AffinityTerm, ...]:
    return (*terms.required, *terms.required_anti, *terms.preferred, *terms.preferred_anti)


def _by_labels(term: AffinityTerm) -> bool:
    return bool(term.namespace_selector.requirements)


def _attaches(pod: PodRecord, cluster: ClusterState) -> bool:
    """Whether the pod attaches volumes, of which a node may take only so many."""
    if not may_attach(pod.pod):
        return False
    catalog = ClusterStorage.of(cluster).catalog
    try:
        return bool(attachments_of(pod.pod, catalog, COUNTED_PLUGINS, strict=False))
    except AttachmentError:
        return False  # refused in words of its own


def _spread_by_controller(pod: PodRecord, scheduler: Scheduler, cluster: ClusterState) -> Iterator[Reading]:
    """The service and the controller whose selectors say along with which pods this one is spread by default.

    That of a workload in a manifest is there, also where the input has no object of its kind.
    """
    spec = pod.pod.spec
    framework = scheduler.framework(spec.scheduler_name)
    if spec.topology_spread_constraints or framework is None:
        return
    args = framework.profile.args(PodTopologySpread.spec.name)
    if not isinstance(args, PodTopologySpreadArgs):
        return
    if not args.default_constraints and args.defaulting_type != SYSTEM_DEFAULTING:
        return
    hard = any(c.when_unsatisfiable == "DoNotSchedule" for c in args.default_constraints)
    refusals = frozenset({PodTopologySpread.spec.name} if hard else ())
    yield Reading(Service, hard, refusals)
    owner = pod.pod_class.controller
    if owner is None:
        return
    kind = _CONTROLLERS.get((owner.api_version, owner.kind))
    if kind is not None and cluster.objects.find(kind, owner.name, pod.namespace) is None:
        yield Reading(kind, hard, refusals)
