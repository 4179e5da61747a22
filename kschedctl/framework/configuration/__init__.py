"""KubeSchedulerConfiguration: read strictly, merged, validated and expanded as kube-scheduler does it."""

from .args import (
    DefaultPreemptionArgs,
    DynamicResourcesArgs,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PluginArgs,
    PodTopologySpreadArgs,
    ResourceSpec,
    ScoringStrategy,
    UtilizationShapePoint,
    VolumeBindingArgs,
)
from .field_of import field_of
from .inconsistencies import inconsistencies
from .load import load_configuration
from .profile import Profile, SchedulerConfiguration
from .types import Extender, ManagedResource
from .view import effective

__all__ = [
    "DefaultPreemptionArgs",
    "DynamicResourcesArgs",
    "Extender",
    "InterPodAffinityArgs",
    "ManagedResource",
    "NodeAffinityArgs",
    "NodeResourcesBalancedAllocationArgs",
    "NodeResourcesFitArgs",
    "PluginArgs",
    "PodTopologySpreadArgs",
    "Profile",
    "ResourceSpec",
    "SchedulerConfiguration",
    "ScoringStrategy",
    "UtilizationShapePoint",
    "VolumeBindingArgs",
    "effective",
    "field_of",
    "inconsistencies",
    "load_configuration",
]
