"""The names by which kubectl knows kinds: `deployment`, `deployments`, `deploy`, `deployment.apps`."""

from __future__ import annotations

from typing import Final

from kschedctl.objects.kinds import KINDS, Kind

_SHORT: Final = {
    "Node": "no",
    "Pod": "po",
    "Namespace": "ns",
    "Service": "svc",
    "LimitRange": "limits",
    "ResourceQuota": "quota",
    "PriorityClass": "pc",
    "PodDisruptionBudget": "pdb",
    "ReplicationController": "rc",
    "ReplicaSet": "rs",
    "Deployment": "deploy",
    "StatefulSet": "sts",
    "DaemonSet": "ds",
    "CronJob": "cj",
    "PersistentVolumeClaim": "pvc",
    "PersistentVolume": "pv",
    "StorageClass": "sc",
    "VolumeAttributesClass": "vac",
}
_BY_NAME: Final = {
    name: kind
    for kind in KINDS
    for name in (kind.kind.lower(), kind.plural, _SHORT.get(kind.kind, kind.plural))
}


def kind_named(word: str) -> Kind | None:
    """The kind of a name, in any case, with its group or version and group behind it or without.

    Returns:
        None where scheduling reads no kind of this name, or it is in another group.
    """
    name, _, group = word.lower().partition(".")
    kind = _BY_NAME.get(name)
    if kind is None or not group:
        return kind
    return kind if group in (kind.group, *(f"{v}.{kind.group}".rstrip(".") for v in kind.versions)) else None
