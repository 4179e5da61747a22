"""KubeSchedulerConfiguration: read strictly, merged, validated and expanded as kube-scheduler does it."""

from kschedctl.framework.configuration.args import (
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
from kschedctl.framework.configuration.field_of import field_of
from kschedctl.framework.configuration.inconsistencies import inconsistencies
from kschedctl.framework.configuration.load import load_configuration
from kschedctl.framework.configuration.profile import Profile, SchedulerConfiguration
from kschedctl.framework.configuration.types import Extender, ManagedResource
from kschedctl.framework.configuration.view import effective

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
