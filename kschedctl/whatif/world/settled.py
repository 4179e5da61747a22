"""A cluster some time after a simulation: placed pods run, chosen volumes are bound, evicted pods are gone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.dra.cluster_devices import ClusterDevices
from kschedctl.objects.meta import (
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    ObjectMeta,
    TopLevel,
)
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod, PodStatus
from kschedctl.objects.resource import ResourceClaim
from kschedctl.objects.storage import (
    CsiNode,
    CsiPersistentVolumeSource,
    ObjectReference,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeSpec,
    PersistentVolumeStatus,
    StorageClass,
    VolumeNodeAffinity,
)
from kschedctl.volumes.claims import ClaimKey
from kschedctl.volumes.cluster_storage import ClusterStorage
from kschedctl.whatif.world.provisioning import BOUND
from kschedctl.whatif.world.utilization import ZONE_KEYS
from kschedctl.whatif.world.world import World


def settled_objects(world: World, cluster: ClusterState) -> list[TopLevel]:
    """The objects of a cluster once controllers and kubelets have done what the simulation decided.

    Pods on no node are left out. A volume that is provisioned can be reached from where its driver says (CSINode
    topology keys of the chosen node), or from the zone of that node where the driver says nothing.
    """
    changed = (Pod, PersistentVolume, PersistentVolumeClaim, ResourceClaim)
    objects = [obj for obj in world.objects if not isinstance(obj, changed)]
    objects += _running_pods(cluster)
    objects += ClusterDevices.of(cluster).claims()
    return [*objects, *_storage(world, cluster)]


def _running_pods(cluster: ClusterState) -> list[Pod]:
    names, node = cluster.nodes.names, cluster.pods.node
    return [
        _running(record, names[node[record.id]]) for record in cluster.pods.records if node[record.id] >= 0
    ]


def _running(record: PodRecord, node: str) -> Pod:
    pod = record.pod
    if pod.source is not None and pod.source.spec.node_name == node:
        return pod.source
    status = PodStatus(phase="Running", resource_claim_statuses=pod.status.resource_claim_statuses)
    return Pod(
        api_version="v1",
        kind="Pod",
        metadata=pod.metadata,
        spec=replace(pod.spec, node_name=node),
        status=status,
    )


def _storage(world: World, cluster: ClusterState) -> Iterable[TopLevel]:
    assumed = ClusterStorage.of(cluster).assumed
    volumes = {volume.name: volume for volume in world.all(PersistentVolume)}
    claims = {ClaimKey(c.namespace, c.name): c for c in world.all(PersistentVolumeClaim)}
    for name, reference in assumed.claim_of_volume.items():
        claim = claims[reference.key]
        volumes[name] = replace(volumes[name], spec=replace(volumes[name].spec, claim_ref=_reference(claim)))
        claims[reference.key] = _bound(claim, name)
    for key, node in assumed.node_of_claim.items():
        claim = claims[key]
        volume = _provisioned(claim, world, cluster.nodes.objects[cluster.nodes.row_of[node]])
        volumes[volume.name] = volume
        claims[key] = _bound(claim, volume.name)
    return [*volumes.values(), *claims.values()]


def _provisioned(claim: PersistentVolumeClaim, world: World, node: Node) -> PersistentVolume:
    storage_class = world.find(StorageClass, claim.spec.storage_class_name or "")
    driver = storage_class.provisioner if storage_class else ""
    name = f"pvc-{claim.namespace}-{claim.name}"
    return PersistentVolume(
        api_version="v1",
        kind="PersistentVolume",
        metadata=ObjectMeta(name=name),
        spec=PersistentVolumeSpec(
            capacity=claim.spec.resources.requests,
            access_modes=claim.spec.access_modes,
            claim_ref=_reference(claim),
            storage_class_name=claim.spec.storage_class_name or "",
            volume_mode=claim.spec.volume_mode,
            node_affinity=_reach(node, _topology_keys(world, node, driver)),
            csi=CsiPersistentVolumeSource(driver=driver, volume_handle=name),
        ),
        status=PersistentVolumeStatus(phase="Bound"),
    )


def _topology_keys(world: World, node: Node, driver: str) -> Sequence[str]:
    csi_node = world.find(CsiNode, node.name)
    for known in csi_node.spec.drivers if csi_node else ():
        if known.name == driver:
            return known.topology_keys
    return ZONE_KEYS


def _reach(node: Node, keys: Sequence[str]) -> VolumeNodeAffinity | None:
    labels = node.metadata.labels
    expressions = tuple(
        NodeSelectorRequirement(key=key, operator="In", values=(labels[key],))
        for key in keys
        if key in labels
    )
    if not expressions:
        return None
    term = NodeSelectorTerm(match_expressions=expressions)
    return VolumeNodeAffinity(required=NodeSelector(node_selector_terms=(term,)))


def _reference(claim: PersistentVolumeClaim) -> ObjectReference:
    return ObjectReference(
        kind="PersistentVolumeClaim", namespace=claim.namespace, name=claim.name, uid=claim.metadata.uid
    )


def _bound(claim: PersistentVolumeClaim, volume: str) -> PersistentVolumeClaim:
    annotations = {**claim.metadata.annotations, BOUND: "yes"}
    return replace(
        claim,
        metadata=replace(claim.metadata, annotations=annotations),
        spec=replace(claim.spec, volume_name=volume),
    )
