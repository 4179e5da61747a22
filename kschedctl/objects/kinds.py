"""The kinds that scheduling reads: which type decodes which `apiVersion` and `kind`."""

from __future__ import annotations

from msgspec import Struct

from kschedctl.objects import apps, core, groups, resource, storage
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod


class Kind(Struct, frozen=True):
    """One kind of the API."""

    type: type[TopLevel]
    group: str
    kind: str
    plural: str
    namespaced: bool
    versions: tuple[str, ...] = ("v1",)
    """Versions whose fields, as far as we read them, are those of our type."""

    @property
    def api_versions(self) -> tuple[str, ...]:
        """`group/version` for each version, plain `version` for the core group."""
        return tuple(f"{self.group}/{v}" if self.group else v for v in self.versions)


DRA_VERSIONS = ("v1", "v1beta2")
"""v1beta1 has another shape."""

KINDS: tuple[Kind, ...] = (
    Kind(Node, "", "Node", "nodes", False),
    Kind(Pod, "", "Pod", "pods", True),
    Kind(core.Namespace, "", "Namespace", "namespaces", False),
    Kind(core.Service, "", "Service", "services", True),
    Kind(core.LimitRange, "", "LimitRange", "limitranges", True),
    Kind(core.ResourceQuota, "", "ResourceQuota", "resourcequotas", True),
    Kind(core.PriorityClass, "scheduling.k8s.io", "PriorityClass", "priorityclasses", False),
    Kind(core.RuntimeClass, "node.k8s.io", "RuntimeClass", "runtimeclasses", False),
    Kind(core.PodDisruptionBudget, "policy", "PodDisruptionBudget", "poddisruptionbudgets", True),
    Kind(apps.ReplicationController, "", "ReplicationController", "replicationcontrollers", True),
    Kind(apps.ReplicaSet, "apps", "ReplicaSet", "replicasets", True),
    Kind(apps.Deployment, "apps", "Deployment", "deployments", True),
    Kind(apps.StatefulSet, "apps", "StatefulSet", "statefulsets", True),
    Kind(apps.DaemonSet, "apps", "DaemonSet", "daemonsets", True),
    Kind(apps.Job, "batch", "Job", "jobs", True),
    Kind(apps.CronJob, "batch", "CronJob", "cronjobs", True),
    Kind(storage.PersistentVolumeClaim, "", "PersistentVolumeClaim", "persistentvolumeclaims", True),
    Kind(storage.PersistentVolume, "", "PersistentVolume", "persistentvolumes", False),
    Kind(storage.StorageClass, "storage.k8s.io", "StorageClass", "storageclasses", False),
    Kind(storage.CsiNode, "storage.k8s.io", "CSINode", "csinodes", False),
    Kind(storage.CsiDriver, "storage.k8s.io", "CSIDriver", "csidrivers", False),
    Kind(storage.CsiStorageCapacity, "storage.k8s.io", "CSIStorageCapacity", "csistoragecapacities", True),
    Kind(storage.VolumeAttachment, "storage.k8s.io", "VolumeAttachment", "volumeattachments", False),
    Kind(
        storage.VolumeAttributesClass,
        "storage.k8s.io",
        "VolumeAttributesClass",
        "volumeattributesclasses",
        False,
        ("v1", "v1beta1"),
    ),
    Kind(resource.DeviceClass, "resource.k8s.io", "DeviceClass", "deviceclasses", False, DRA_VERSIONS),
    Kind(resource.ResourceClaim, "resource.k8s.io", "ResourceClaim", "resourceclaims", True, DRA_VERSIONS),
    Kind(
        resource.ResourceClaimTemplate,
        "resource.k8s.io",
        "ResourceClaimTemplate",
        "resourceclaimtemplates",
        True,
        DRA_VERSIONS,
    ),
    Kind(resource.ResourceSlice, "resource.k8s.io", "ResourceSlice", "resourceslices", False, DRA_VERSIONS),
    Kind(
        resource.DeviceTaintRule,
        "resource.k8s.io",
        "DeviceTaintRule",
        "devicetaintrules",
        False,
        ("v1", "v1beta2", "v1alpha3"),
    ),
    Kind(
        groups.PodGroup,
        "scheduling.k8s.io",
        "PodGroup",
        "podgroups",
        True,
        ("v1beta1", "v1alpha3", "v1alpha2"),
    ),
    Kind(
        groups.CompositePodGroup,
        "scheduling.k8s.io",
        "CompositePodGroup",
        "compositepodgroups",
        True,
        ("v1alpha3",),
    ),
    Kind(
        groups.Workload,
        "scheduling.k8s.io",
        "Workload",
        "workloads",
        True,
        ("v1beta1", "v1alpha3", "v1alpha2", "v1alpha1"),
    ),
)

BY_GVK: dict[tuple[str, str], Kind] = {(v, k.kind): k for k in KINDS for v in k.api_versions}
"""`(apiVersion, kind)` -> Kind."""

BY_TYPE: dict[type[TopLevel], Kind] = {k.type: k for k in KINDS}


def object_key(obj: TopLevel) -> tuple[str, str]:
    """Namespace and name of an object, which tell it from others of its kind; no namespace where the kind has none."""
    return obj.namespace if BY_TYPE[type(obj)].namespaced else "", obj.name


_PODLESS: dict[str, frozenset[str]] = {
    "": frozenset(
        (
            *("Binding", "ComponentStatus", "ConfigMap", "Endpoints", "Event", "PodTemplate", "Secret"),
            "ServiceAccount",
        )
    ),
    "apps": frozenset(("ControllerRevision",)),
    "batch": frozenset(),
    "policy": frozenset(("Eviction", "PodSecurityPolicy")),
    "autoscaling": frozenset(("HorizontalPodAutoscaler", "Scale")),
}
"""Groups of Kubernetes itself that are written without a domain -> their kinds that make no pods, and are not read."""

_FOREIGN = frozenset(("sparkoperator.k8s.io",))
"""Groups of others that are named as if they were of Kubernetes itself."""


def is_upstream_group(api_version: str) -> bool:
    """Whether a version is of a group of Kubernetes itself: `apps/v1`, not `batch.volcano.sh/v1alpha1`."""
    group = api_version.rpartition("/")[0]
    return "." not in group or (group.endswith(".k8s.io") and group not in _FOREIGN)


def may_make_pods(api_version: str, kind: str) -> bool:
    """Whether a kind that is not read is one of other makers, or none that Kubernetes has in one of its groups."""
    podless = _PODLESS.get(api_version.rpartition("/")[0])
    if podless is None:
        return not is_upstream_group(api_version)
    return kind not in podless and kind not in {known.kind for known in KINDS}
