"""What predicates and priorities of the Policy API are among the plugins of today."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

FILTERS: Final[Mapping[str, tuple[str, ...]]] = {
    "CheckNodeUnschedulable": ("NodeUnschedulable",),
    "CheckVolumeBinding": ("VolumeBinding",),
    "EvenPodsSpread": ("PodTopologySpread",),
    "GeneralPredicates": ("NodeResourcesFit", "NodeName", "NodePorts", "NodeAffinity"),
    "HostName": ("NodeName",),
    "MatchInterPodAffinity": ("InterPodAffinity",),
    "MatchNodeSelector": ("NodeAffinity",),
    "MaxCSIVolumeCountPred": ("NodeVolumeLimits",),
    "NoDiskConflict": ("VolumeRestrictions",),
    "NoVolumeZoneConflict": ("VolumeZone",),
    "PodFitsHostPorts": ("NodePorts",),
    "PodFitsPorts": ("NodePorts",),
    "PodFitsResources": ("NodeResourcesFit",),
    "PodToleratesNodeTaints": ("TaintToleration",),
}
"""Predicate -> the plugins that filter by it."""

IN_OTHER_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "CheckNodeCondition": ("TaintToleration", "nodes in bad conditions are tainted"),
    "CheckNodeDiskPressure": ("TaintToleration", "nodes in bad conditions are tainted"),
    "CheckNodeMemoryPressure": ("TaintToleration", "nodes in bad conditions are tainted"),
    "CheckNodePIDPressure": ("TaintToleration", "nodes in bad conditions are tainted"),
    "MaxAzureDiskVolumeCount": ("NodeVolumeLimits", "it counts such volumes by their CSI driver"),
    "MaxCinderVolumeCount": ("NodeVolumeLimits", "it counts such volumes by their CSI driver"),
    "MaxEBSVolumeCount": ("NodeVolumeLimits", "it counts such volumes by their CSI driver"),
    "MaxGCEPDVolumeCount": ("NodeVolumeLimits", "it counts such volumes by their CSI driver"),
    "PodToleratesNodeNoExecuteTaints": ("TaintToleration", "it looks at taints of all effects"),
}
"""Predicate -> the plugin that does its work in another way, and how."""

ALWAYS: Final = frozenset({"CheckNodeUnschedulable", "PodToleratesNodeTaints"})
"""Predicates that a Policy could not leave out."""

DEFAULT_PREDICATES: Final = (
    "CheckNodeUnschedulable",
    "CheckVolumeBinding",
    "EvenPodsSpread",
    "GeneralPredicates",
    "MatchInterPodAffinity",
    "MaxCSIVolumeCountPred",
    "NoDiskConflict",
    "NoVolumeZoneConflict",
    "PodToleratesNodeTaints",
)
"""What a Policy without `predicates` had, those that MaxCSIVolumeCountPred stands for left out."""

SCORES: Final[Mapping[str, str]] = {
    "BalancedResourceAllocation": "NodeResourcesBalancedAllocation",
    "EvenPodsSpreadPriority": "PodTopologySpread",
    "ImageLocalityPriority": "ImageLocality",
    "InterPodAffinityPriority": "InterPodAffinity",
    "NodeAffinityPriority": "NodeAffinity",
    "SelectorSpreadPriority": "PodTopologySpread",
    "ServiceSpreadingPriority": "PodTopologySpread",
    "TaintTolerationPriority": "TaintToleration",
}
"""Priority -> the plugin that scores by it."""

STRATEGIES: Final[Mapping[str, str]] = {
    "LeastRequestedPriority": "LeastAllocated",
    "MostRequestedPriority": "MostAllocated",
    "RequestedToCapacityRatio": "RequestedToCapacityRatio",
    "RequestedToCapacityRatioPriority": "RequestedToCapacityRatio",
}
"""Priority -> the scoring strategy of NodeResourcesFit."""

BY_SELECTOR: Final = frozenset({"SelectorSpreadPriority", "ServiceSpreadingPriority"})
"""Priorities by which pods without constraints are spread: the default constraints of PodTopologySpread."""

LOST_PRIORITIES: Final[Mapping[str, str]] = {
    "NodePreferAvoidPodsPriority": "NodePreferAvoidPods",
    "ResourceLimitsPriority": "NodeResourceLimits",
}
"""Priority -> the plugin that is gone."""

EQUAL_PRIORITY: Final = "EqualPriority"
"""The priority that says nothing."""

DEFAULT_PRIORITIES: Final[Mapping[str, int]] = {
    "BalancedResourceAllocation": 1,
    "EvenPodsSpreadPriority": 2,
    "ImageLocalityPriority": 1,
    "InterPodAffinityPriority": 1,
    "LeastRequestedPriority": 1,
    "NodeAffinityPriority": 1,
    "SelectorSpreadPriority": 1,
    "TaintTolerationPriority": 1,
}
"""What a Policy without `priorities` had, NodePreferAvoidPodsPriority left out."""
