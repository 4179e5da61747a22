"""A translated configuration, and what it cannot say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

Data = dict[str, Any]


class Translation(Struct, frozen=True):
    """A KubeSchedulerConfiguration v1 as plain data.

    Attributes:
        configuration: the data.
        lost: what has no equal in kube-scheduler any more, a sentence each: it is left out.
        notes: what is said in another way now, and what its equal does besides.
    """

    configuration: Data
    lost: tuple[str, ...]
    notes: tuple[str, ...]


class Remarks(Struct, frozen=True):
    """What is found on the way, in the order of the file."""

    lost: list[str]
    notes: list[str]

    @classmethod
    def none(cls) -> Remarks:
        """Nothing yet."""
        return cls([], [])


REMOVED: Final[Mapping[str, str]] = {
    "AzureDiskLimits": "NodeVolumeLimits counts such volumes by their CSI driver",
    "CinderLimits": "NodeVolumeLimits counts such volumes by their CSI driver",
    "EBSLimits": "NodeVolumeLimits counts such volumes by their CSI driver",
    "GCEPDLimits": "NodeVolumeLimits counts such volumes by their CSI driver",
    "NodeLabel": "nodes are chosen by NodeAffinityArgs.addedAffinity, or tainted",
    "NodePreferAvoidPods": "taint the node with the effect PreferNoSchedule",
    "NodeResourceLimits": "no plugin scores by the limits of pods",
    "SelectorSpread": "PodTopologySpread spreads pods by its default constraints",
    "ServiceAffinity": "use pod affinity, or topology spread constraints, in the pods",
}
"""Plugins that are gone -> what stands in for them."""
COUNTED_BY_DRIVER: Final = frozenset({"AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"})
"""Of these those whose work NodeVolumeLimits does today, to the same end."""


def label_affinity(present: list[str], absent: list[str]) -> Data:
    """The `addedAffinity` that keeps all pods to nodes with some labels and without others."""
    expressions = [{"key": key, "operator": "Exists"} for key in present]
    expressions += [{"key": key, "operator": "DoesNotExist"} for key in absent]
    terms = [{"matchExpressions": expressions}]
    return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
