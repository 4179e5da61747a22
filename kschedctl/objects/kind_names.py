"""The names by which kubectl knows kinds: `deployment`, `deployments`, `deploy`, `deployment.apps`; misspelt ones."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from kschedctl.objects.kinds import KINDS, Kind, is_upstream_group

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


_MISSPELT: Final = 0.85
"""Kinds as close as this are one with a mistake. Kinds of Kubernetes itself that are none of ours are farther away."""


@lru_cache(maxsize=1_000)
def meant_kind(api_version: str, kind: str) -> str | None:
    """The kind that scheduling reads, or a List, of which a kind is a misspelling: `pod`, `Deploymnet`, `PDB`.

    Returns:
        None where it is spelt as it should be, or it is another kind, or one of other makers.
    """
    if not is_upstream_group(api_version):
        return None
    from difflib import get_close_matches

    spelt = {known.kind.lower(): known.kind for known in KINDS} | {"list": "List"}
    named = _BY_NAME.get(kind.lower())
    if kind in spelt.values():
        return None
    if named is not None:
        return named.kind
    close = get_close_matches(kind.lower(), spelt, n=1, cutoff=_MISSPELT)
    return spelt[close[0]] if close else None
