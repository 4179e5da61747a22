"""The rights that reading a cluster takes, and what is lost where a kind cannot be read."""

from __future__ import annotations

from typing import Any

from kschedctl.objects.kinds import KINDS, Kind
from kschedctl.sources.snapshot import MissingKind, PolicyRule

ROLE_NAME = "kschedctl-reader"
VERBS = ("list",)
"""All that we ever ask for is lists."""

_SPREADING = "pods without spread constraints of their own are spread as if nothing selected them"
_VOLUMES = "pods with volumes may be refused, or fit where they do not"
_DEVICES = "pods that claim devices may be refused, or fit where they do not"

_WITHOUT: dict[str, str] = {
    "Node": "every answer",
    "Pod": "every answer",
    "Namespace": "affinity terms with a namespaceSelector select nothing",
    "Service": _SPREADING,
    "LimitRange": "new pods do not get the default requests of their namespace",
    "ResourceQuota": "full quotas, which refuse new pods, are not seen",
    "PriorityClass": "new pods that name a priority class are refused",
    "RuntimeClass": "new pods that name a runtime class are refused",
    "PodDisruptionBudget": "preemption and drains take every pod to be free to go",
    "ReplicationController": _SPREADING,
    "ReplicaSet": _SPREADING,
    "StatefulSet": _SPREADING,
    "DaemonSet": "new nodes get no pods of it",
    "PersistentVolumeClaim": "pods with claims are refused",
    "PersistentVolume": _VOLUMES,
    "StorageClass": _VOLUMES,
    "CSINode": "limits on attached volumes are not seen",
    "CSIDriver": "storage capacity is not looked at",
    "CSIStorageCapacity": "volumes to be provisioned may be refused where there is room for them",
    "VolumeAttachment": "volumes still attached without a pod are not counted",
    "VolumeAttributesClass": _VOLUMES,
    "DeviceClass": _DEVICES,
    "ResourceClaim": _DEVICES,
    "ResourceClaimTemplate": "new pods with claim templates are refused",
    "ResourceSlice": _DEVICES,
    "DeviceTaintRule": "devices tainted by a rule are taken to be free",
    "PodGroup": "pods of a group wait for it",
    "CompositePodGroup": "pods of its groups wait for it",
    "Workload": "with 1.35, pods of its gangs wait for it",
}
"""What answers take to be so without the objects of a kind."""

_ASKED_BY_NAME = (
    "ReplicationController",
    "ReplicaSet",
    "StatefulSet",
    "Deployment",
    "DaemonSet",
    "Job",
    "CronJob",
)


def without(kind: Kind) -> str:
    """Return what answers take to be so without the objects of a kind; empty where nothing depends on them."""
    return _WITHOUT.get(kind.kind, "")


def _weakens(kind: Kind) -> str:
    lost = [without(kind), "it cannot be asked for by name" if kind.kind in _ASKED_BY_NAME else ""]
    return "; ".join(filter(None, lost))


def resource_of(kind: Kind) -> str:
    """Return the name that kubectl gives a kind: `csinodes.storage.k8s.io`."""
    return f"{kind.plural}.{kind.group}" if kind.group else kind.plural


def forbidden(kind: Kind, message: str) -> MissingKind:
    """A kind that the user may not list."""
    return MissingKind(
        resource=resource_of(kind),
        reason="Forbidden",
        message=message,
        weakens=_weakens(kind),
        rule=PolicyRule(api_groups=(kind.group,), resources=(kind.plural,), verbs=VERBS),
    )


def unavailable(kind: Kind, message: str) -> MissingKind:
    """A kind whose server, one that the API server forwards to, fails."""
    return MissingKind(
        resource=resource_of(kind), reason="Unavailable", message=message, weakens=_weakens(kind)
    )


def not_served(kind: Kind) -> MissingKind:
    """A kind that the cluster does not have: nothing is lost."""
    return MissingKind(resource=resource_of(kind), reason="NotServed")


def other_version(kind: Kind, versions: tuple[str, ...]) -> MissingKind:
    """A kind that the cluster serves only in versions that we do not read."""
    served, read = ", ".join(versions), ", ".join(kind.versions)
    return MissingKind(
        resource=resource_of(kind),
        reason="OtherVersion",
        message=f"served as {served}; read are {read}",
        weakens=_weakens(kind),
    )


def cluster_role() -> dict[str, Any]:
    """Return the ClusterRole with the least rights that reading a whole cluster takes."""
    groups: dict[str, list[str]] = {}
    for kind in KINDS:
        groups.setdefault(kind.group, []).append(kind.plural)
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": ROLE_NAME},
        "rules": [
            {"apiGroups": [group], "resources": sorted(groups[group]), "verbs": list(VERBS)}
            for group in sorted(groups)
        ],
    }
