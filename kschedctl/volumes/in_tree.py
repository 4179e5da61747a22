"""Volumes of the old in-tree plugins, which today are CSI volumes under another name (spec 04 §2.5, §3.4)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from kschedctl.objects.meta import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from kschedctl.objects.pod_volumes import AwsElasticBlockStore, AzureDisk, GcePersistentDisk, Volume
from kschedctl.objects.storage import PersistentVolume, PersistentVolumeSpec
from kschedctl.objects.well_known import BETA_REGION, BETA_ZONE, REGION, ZONE, ZONE_SEPARATOR

MIGRATED_PLUGINS_ANNOTATION: Final = "storage.alpha.kubernetes.io/migrated-plugins"


class TranslationError(ValueError):
    """An in-tree volume has no CSI form; the message is upstream's."""


class InTreePlugin(Struct, frozen=True):
    """An in-tree plugin and the CSI driver that took its place.

    Attributes:
        name: name of the plugin, also as provisioner.
        field: the field of a volume source.
        driver: name of the CSI driver.
        migrated: whether the scheduler counts its volumes as the driver's.
        topology_key: the node label that stands for the zone after translation, None where none does.
    """

    name: str
    field: str
    driver: str
    migrated: bool = True
    topology_key: str | None = None


PORTWORX: Final = InTreePlugin("kubernetes.io/portworx-volume", "portworx_volume", "pxd.portworx.com")

IN_TREE_PLUGINS: Final = (
    InTreePlugin(
        "kubernetes.io/aws-ebs",
        "aws_elastic_block_store",
        "ebs.csi.aws.com",
        topology_key="topology.ebs.csi.aws.com/zone",
    ),
    InTreePlugin(
        "kubernetes.io/gce-pd",
        "gce_persistent_disk",
        "pd.csi.storage.gke.io",
        topology_key="topology.gke.io/zone",
    ),
    InTreePlugin("kubernetes.io/azure-disk", "azure_disk", "disk.csi.azure.com"),
    InTreePlugin(
        "kubernetes.io/cinder",
        "cinder",
        "cinder.csi.openstack.org",
        topology_key="topology.cinder.csi.openstack.org/zone",
    ),
    PORTWORX,
    InTreePlugin("kubernetes.io/azure-file", "azure_file", "file.csi.azure.com", migrated=False),
    InTreePlugin("kubernetes.io/vsphere-volume", "vsphere_volume", "csi.vsphere.vmware.com", migrated=False),
)

COUNTED_PLUGINS: Final = frozenset(plugin.name for plugin in IN_TREE_PLUGINS if plugin.migrated)
"""Those whose volumes can count against a limit, where a node has a CSINode."""

PLUGIN_OF_PROVISIONER: Final[Mapping[str, InTreePlugin]] = {plugin.name: plugin for plugin in IN_TREE_PLUGINS}


def plugin_of(source: Volume | PersistentVolumeSpec) -> InTreePlugin | None:
    """The in-tree plugin that the source belongs to, None for every other kind of volume."""
    return next((p for p in IN_TREE_PLUGINS if getattr(source, p.field) is not None), None)


def handle_of(plugin: InTreePlugin, source: Volume | PersistentVolumeSpec, labels: Mapping[str, str]) -> str:
    """The CSI volume handle of an in-tree volume.

    Args:
        plugin: a migrated plugin whose field is set in `source`.
        source: an inline volume of a pod, or the spec of a persistent volume.
        labels: labels of the persistent volume, empty for an inline volume.

    Raises:
        TranslationError: the volume cannot be translated.
    """
    disk = getattr(source, plugin.field)
    if isinstance(disk, AwsElasticBlockStore):
        return _ebs_handle(disk.volume_id)
    if isinstance(disk, GcePersistentDisk):
        return _pd_handle(disk.pd_name, labels)
    if isinstance(disk, AzureDisk):
        return _azure_handle(disk)
    handle: str = disk.volume_id
    return handle


def _ebs_handle(volume_id: str) -> str:
    if not volume_id.startswith("aws://"):
        return volume_id
    try:
        path = urlsplit(volume_id).path.strip("/")
    except ValueError as error:
        raise TranslationError(
            f"failed to translate Kubernetes ID to EBS Volume ID Invalid disk name ({volume_id}): {error}"
        ) from error
    if re.fullmatch(r"vol-[^/]*", path) is None:
        raise TranslationError(
            f"failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({volume_id})"
        )
    return path


def _pd_handle(name: str, labels: Mapping[str, str]) -> str:
    zones = (labels.get(BETA_ZONE) or labels.get(ZONE) or "").split(ZONE_SEPARATOR)
    if len(zones) > 1:
        return f"projects/UNSPECIFIED/regions/{_region_of(zones)}/disks/{name}"
    return f"projects/UNSPECIFIED/zones/{zones[0] or 'UNSPECIFIED'}/disks/{name}"


def _region_of(zones: list[str]) -> str:
    regions = set()
    for zone in zones:
        parts = zone.split("-")
        if len(parts) != 3:
            raise TranslationError(
                "failed to get region from zones: zone in unexpected format, "
                f"expected: {{locale}}-{{region}}-{{zone}}, got: {zone}"
            )
        regions.add("-".join(parts[:2]))
    if len(regions) != 1:
        listed = " ".join(f"{region}:{{}}" for region in sorted(regions))
        raise TranslationError(
            f"failed to get region from zones: multiple or no regions gotten from zones, got: map[{listed}]"
        )
    return regions.pop()


def _azure_handle(disk: AzureDisk) -> str:
    kind = disk.kind or "Shared"  # the API server's default
    if kind.lower() != "managed":
        raise TranslationError(f"kind({kind}) is not supported in csi migration")
    return disk.disk_uri


def translated_affinity(plugin: InTreePlugin, volume: PersistentVolume) -> NodeSelector | None:
    """The node affinity of a bound in-tree volume after translation to its CSI driver (spec 04 §3.4).

    Zone keys become the driver's own topology key; zone *labels* of a volume without such an expression
    become one, so that a migrated volume with labels alone does restrict its nodes.

    Raises:
        TranslationError: the volume cannot be translated.
    """
    handle_of(plugin, volume.spec, volume.metadata.labels)
    affinity = volume.spec.node_affinity
    selector = affinity.required if affinity is not None else None
    if plugin.topology_key is None:
        return selector
    zone, region = _topology_labels(selector, volume.metadata.labels)
    if _values(selector, zone):
        selector = _renamed(selector, zone, plugin.topology_key)
    else:
        zones = {part.strip() for part in volume.metadata.labels.get(zone, "").split(ZONE_SEPARATOR)} - {""}
        if zones:
            selector = _with_expression(selector, plugin.topology_key, sorted(zones))
    if region == BETA_REGION and _values(selector, region):
        selector = _renamed(selector, region, REGION)
    return selector


def _topology_labels(selector: NodeSelector | None, labels: Mapping[str, str]) -> tuple[str, str]:
    """The pair of zone and region keys that the volume speaks of."""
    ga, beta = (ZONE, REGION), (BETA_ZONE, BETA_REGION)
    keys = {expression.key for expression in _expressions(selector)}
    for pair in (ga, beta):
        if pair[0] in keys:
            return pair
    for pair in (ga, beta):
        if pair[0] in labels:
            return pair
    return ga


def _expressions(selector: NodeSelector | None) -> list[NodeSelectorRequirement]:
    terms = selector.node_selector_terms if selector is not None else ()
    return [expression for term in terms for expression in term.match_expressions]


def _values(selector: NodeSelector | None, key: str) -> bool:
    """Whether some expression with this key has a value."""
    return any(expression.values for expression in _expressions(selector) if expression.key == key)


def _renamed(selector: NodeSelector | None, key: str, new_key: str) -> NodeSelector | None:
    if selector is None:
        return None

    def renamed(term: NodeSelectorTerm) -> NodeSelectorTerm:
        return msgspec.structs.replace(
            term,
            match_expressions=tuple(
                msgspec.structs.replace(e, key=new_key) if e.key == key else e for e in term.match_expressions
            ),
        )

    return NodeSelector(node_selector_terms=tuple(renamed(term) for term in selector.node_selector_terms))


def _with_expression(selector: NodeSelector | None, key: str, values: list[str]) -> NodeSelector:
    added = NodeSelectorRequirement(key=key, operator="In", values=tuple(values))
    terms = (selector.node_selector_terms if selector is not None else ()) or (NodeSelectorTerm(),)
    return NodeSelector(
        node_selector_terms=tuple(
            msgspec.structs.replace(term, match_expressions=(*term.match_expressions, added))
            for term in terms
        )
    )
