"""Rules for volumes, as far as their sources are read at all."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.objects.names import dns_label_problems
from kschedctl.objects.pod import Volume

from .problems import Problems, duplicate, forbidden, invalid_each, required

_REQUIRED_FIELDS: dict[str, dict[str, str]] = {
    "gce_persistent_disk": {"pd_name": "gcePersistentDisk.pdName"},
    "aws_elastic_block_store": {"volume_id": "awsElasticBlockStore.volumeID"},
    "iscsi": {"target_portal": "iscsi.targetPortal", "iqn": "iscsi.iqn"},
    "persistent_volume_claim": {"claim_name": "persistentVolumeClaim.claimName"},
    "rbd": {"monitors": "rbd.monitors", "image": "rbd.image"},
    "cinder": {"volume_id": "cinder.volumeID"},
    "azure_file": {"secret_name": "azureFile.secretName", "share_name": "azureFile.shareName"},
    "vsphere_volume": {"volume_path": "vsphereVolume.volumePath"},
    "azure_disk": {"disk_name": "azureDisk.diskName", "disk_uri": "azureDisk.diskURI"},
    "portworx_volume": {"volume_id": "portworxVolume.volumeID"},
    "csi": {"driver": "csi.driver"},
    "ephemeral": {"volume_claim_template": "ephemeral.volumeClaimTemplate"},
    "image": {"reference": "image.reference"},
}
"""Source -> field that must not be empty -> its path, in the order in which the API server looks at them."""


def validate_volumes(path: str, volumes: Sequence[Volume]) -> Problems:
    """All volumes of a pod: no name twice, one source each. A volume without a source is an emptyDir."""
    names: set[str] = set()
    for i, volume in enumerate(volumes):
        at = f"{path}[{i}]"
        yield from _validate_source(at, volume)
        if not volume.name:
            yield required(f"{at}.name")
            continue
        yield from invalid_each(f"{at}.name", volume.name, dns_label_problems(volume.name))
        if volume.name in names:
            yield duplicate(f"{at}.name", volume.name)
        names.add(volume.name)


def _validate_source(path: str, volume: Volume) -> Problems:
    found = False
    for attribute, fields in _REQUIRED_FIELDS.items():
        source = getattr(volume, attribute)
        if source is None:
            continue
        if found:
            name = next(iter(fields.values())).partition(".")[0]
            yield forbidden(f"{path}.{name}", "may not specify more than 1 volume type")
            continue
        found = True
        for field, field_path in fields.items():
            if not getattr(source, field):
                yield required(f"{path}.{field_path}")
