"""Claims, volumes, classes and what a node can attach."""

from __future__ import annotations

from msgspec import field

from kschedctl.objects.meta import (
    Int32,
    KubeObject,
    LabelSelector,
    NodeSelector,
    RawQuantity,
    ResourceList,
    TopLevel,
)
from kschedctl.objects.pod_volumes import (
    AwsElasticBlockStore,
    AzureDisk,
    AzureFile,
    Cinder,
    GcePersistentDisk,
    Iscsi,
    PortworxVolume,
    Rbd,
    VsphereVolume,
)


class VolumeResourceRequirements(KubeObject, frozen=True):
    """What a claim asks for."""

    requests: ResourceList = {}
    limits: ResourceList = {}


class PersistentVolumeClaimSpec(KubeObject, frozen=True):
    """`spec` of a claim."""

    access_modes: tuple[str, ...] = ()
    selector: LabelSelector | None = None
    resources: VolumeResourceRequirements = VolumeResourceRequirements()
    volume_name: str = ""
    storage_class_name: str | None = None
    volume_mode: str | None = None
    volume_attributes_class_name: str | None = None


class PersistentVolumeClaimStatus(KubeObject, frozen=True):
    """`status` of a claim."""

    phase: str = ""
    capacity: ResourceList = {}


class PersistentVolumeClaim(TopLevel, frozen=True):
    """v1 PersistentVolumeClaim."""

    spec: PersistentVolumeClaimSpec = PersistentVolumeClaimSpec()
    status: PersistentVolumeClaimStatus = PersistentVolumeClaimStatus()


class ObjectReference(KubeObject, frozen=True):
    """A reference to another object."""

    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""


class VolumeNodeAffinity(KubeObject, frozen=True):
    """Where a volume can be reached from."""

    required: NodeSelector | None = None


class CsiPersistentVolumeSource(KubeObject, frozen=True):
    """A CSI volume."""

    driver: str = ""
    volume_handle: str = ""
    read_only: bool = False
    volume_attributes: dict[str, str] = {}


class LocalVolumeSource(KubeObject, frozen=True):
    """A local volume."""

    path: str = ""


class HostPathVolumeSource(KubeObject, frozen=True):
    """A path of the node."""

    path: str = ""


class PersistentVolumeSpec(KubeObject, frozen=True):
    """`spec` of a volume."""

    capacity: ResourceList = {}
    access_modes: tuple[str, ...] = ()
    claim_ref: ObjectReference | None = None
    storage_class_name: str = ""
    volume_mode: str | None = None
    volume_attributes_class_name: str | None = None
    node_affinity: VolumeNodeAffinity | None = None
    csi: CsiPersistentVolumeSource | None = None
    local: LocalVolumeSource | None = None
    host_path: HostPathVolumeSource | None = None
    gce_persistent_disk: GcePersistentDisk | None = None
    aws_elastic_block_store: AwsElasticBlockStore | None = None
    azure_disk: AzureDisk | None = None
    azure_file: AzureFile | None = None
    cinder: Cinder | None = None
    iscsi: Iscsi | None = None
    rbd: Rbd | None = None
    vsphere_volume: VsphereVolume | None = None
    portworx_volume: PortworxVolume | None = None


class PersistentVolumeStatus(KubeObject, frozen=True):
    """`status` of a volume."""

    phase: str = ""


class PersistentVolume(TopLevel, frozen=True):
    """v1 PersistentVolume."""

    spec: PersistentVolumeSpec = PersistentVolumeSpec()
    status: PersistentVolumeStatus = PersistentVolumeStatus()


class TopologySelectorLabelRequirement(KubeObject, frozen=True):
    """A label and the values it may have."""

    key: str = ""
    values: tuple[str, ...] = ()


class TopologySelectorTerm(KubeObject, frozen=True):
    """Labels that are ANDed."""

    match_label_expressions: tuple[TopologySelectorLabelRequirement, ...] = ()


class StorageClass(TopLevel, frozen=True):
    """storage.k8s.io/v1 StorageClass."""

    provisioner: str = ""
    volume_binding_mode: str | None = None
    allowed_topologies: tuple[TopologySelectorTerm, ...] = ()
    parameters: dict[str, str] = {}


class VolumeNodeResources(KubeObject, frozen=True):
    """How many volumes of a driver a node can attach."""

    count: Int32 | None = None


class CsiNodeDriver(KubeObject, frozen=True):
    """A driver that runs on a node."""

    name: str = ""
    node_id: str = field(default="", name="nodeID")
    topology_keys: tuple[str, ...] = ()
    allocatable: VolumeNodeResources | None = None


class CsiNodeSpec(KubeObject, frozen=True):
    """`spec` of a CSINode."""

    drivers: tuple[CsiNodeDriver, ...] = ()


class CsiNode(TopLevel, frozen=True):
    """storage.k8s.io/v1 CSINode."""

    spec: CsiNodeSpec = CsiNodeSpec()


class CsiDriverSpec(KubeObject, frozen=True):
    """`spec` of a CSIDriver."""

    storage_capacity: bool | None = None
    attach_required: bool | None = None
    prevent_pod_scheduling_if_missing: bool | None = None


class CsiDriver(TopLevel, frozen=True):
    """storage.k8s.io/v1 CSIDriver."""

    spec: CsiDriverSpec = CsiDriverSpec()


class CsiStorageCapacity(TopLevel, frozen=True):
    """storage.k8s.io/v1 CSIStorageCapacity."""

    node_topology: LabelSelector | None = None
    storage_class_name: str = ""
    capacity: RawQuantity | None = None
    maximum_volume_size: RawQuantity | None = None


class VolumeAttachmentSource(KubeObject, frozen=True):
    """What is attached."""

    persistent_volume_name: str | None = None
    inline_volume_spec: PersistentVolumeSpec | None = None


class VolumeAttachmentSpec(KubeObject, frozen=True):
    """`spec` of an attachment."""

    attacher: str = ""
    node_name: str = ""
    source: VolumeAttachmentSource = VolumeAttachmentSource()


class VolumeAttachmentStatus(KubeObject, frozen=True):
    """`status` of an attachment."""

    attached: bool = False


class VolumeAttachment(TopLevel, frozen=True):
    """storage.k8s.io/v1 VolumeAttachment."""

    spec: VolumeAttachmentSpec = VolumeAttachmentSpec()
    status: VolumeAttachmentStatus = VolumeAttachmentStatus()


class VolumeAttributesClass(TopLevel, frozen=True):
    """storage.k8s.io VolumeAttributesClass."""

    driver_name: str = ""
    parameters: dict[str, str] = {}
