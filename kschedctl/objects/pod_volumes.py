"""The volumes of pods: the sources that decide where a pod can go."""

from __future__ import annotations

from msgspec import field

from kschedctl.objects.meta import Int32, KubeObject


class PersistentVolumeClaimVolumeSource(KubeObject, frozen=True):
    """A volume that is a claim."""

    claim_name: str = ""
    read_only: bool = False


class GcePersistentDisk(KubeObject, frozen=True):
    """Legacy in-tree disk."""

    pd_name: str = ""
    read_only: bool = False


class AwsElasticBlockStore(KubeObject, frozen=True):
    """Legacy in-tree disk."""

    volume_id: str = field(default="", name="volumeID")
    read_only: bool = False


class AzureDisk(KubeObject, frozen=True):
    """Legacy in-tree disk."""

    disk_name: str = ""
    disk_uri: str = field(default="", name="diskURI")
    kind: str = ""
    """`Shared`, `Dedicated` or `Managed`; the API server writes `Shared` where it is absent."""


class Cinder(KubeObject, frozen=True):
    """Legacy in-tree disk."""

    volume_id: str = field(default="", name="volumeID")


class Iscsi(KubeObject, frozen=True):
    """Legacy in-tree disk."""

    target_portal: str = ""
    iqn: str = ""
    lun: Int32 = 0
    read_only: bool = False


class Rbd(KubeObject, frozen=True):
    """Legacy in-tree disk."""

    monitors: tuple[str, ...] = ()
    pool: str = ""
    image: str = ""
    read_only: bool = False


class CsiVolumeSource(KubeObject, frozen=True):
    """An inline CSI volume."""

    driver: str = ""
    read_only: bool = False


class ImageVolumeSource(KubeObject, frozen=True):
    """A volume that is an image."""

    reference: str = ""


class EphemeralVolumeSource(KubeObject, frozen=True):
    """A generic ephemeral volume: its claim is `<pod>-<volume>`. The template is read by workloads only."""

    volume_claim_template: dict[str, object] = {}


class VsphereVolume(KubeObject, frozen=True):
    """Legacy in-tree disk."""

    volume_path: str = ""


class PortworxVolume(KubeObject, frozen=True):
    """Legacy in-tree disk."""

    volume_id: str = field(default="", name="volumeID")


class AzureFile(KubeObject, frozen=True):
    """Legacy in-tree share."""

    secret_name: str = ""
    share_name: str = ""


class ConfigurationVolume(KubeObject, frozen=True):
    """A volume that is a ConfigMap or a Secret: that it is one is all that is read of it."""


class Volume(KubeObject, frozen=True):
    """An entry of `spec.volumes`; kinds that scheduling does not read are all None."""

    name: str = ""
    persistent_volume_claim: PersistentVolumeClaimVolumeSource | None = None
    ephemeral: EphemeralVolumeSource | None = None
    csi: CsiVolumeSource | None = None
    image: ImageVolumeSource | None = None
    gce_persistent_disk: GcePersistentDisk | None = None
    aws_elastic_block_store: AwsElasticBlockStore | None = None
    azure_disk: AzureDisk | None = None
    azure_file: AzureFile | None = None
    cinder: Cinder | None = None
    iscsi: Iscsi | None = None
    rbd: Rbd | None = None
    vsphere_volume: VsphereVolume | None = None
    portworx_volume: PortworxVolume | None = None
    config_map: ConfigurationVolume | None = None
    secret: ConfigurationVolume | None = None

    @property
    def has_source(self) -> bool:
        """Whether it is of a kind that decides where a pod can go."""
        return self != Volume(name=self.name, config_map=self.config_map, secret=self.secret)

    @property
    def is_configuration(self) -> bool:
        """Whether it is a ConfigMap or a Secret."""
        return self.config_map is not None or self.secret is not None
