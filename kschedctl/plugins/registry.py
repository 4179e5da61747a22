"""The plugins of kube-scheduler; handed to the framework, which knows none by itself."""

from __future__ import annotations

from typing import Final

from kschedctl.framework.registry import Registry
from kschedctl.plugins.default_binder import DefaultBinder
from kschedctl.plugins.default_preemption import DefaultPreemption
from kschedctl.plugins.deferred_pod_scheduling import DeferredPodScheduling
from kschedctl.plugins.dynamic_resources import DynamicResources
from kschedctl.plugins.gang_scheduling import GangScheduling
from kschedctl.plugins.image_locality import ImageLocality
from kschedctl.plugins.inter_pod_affinity import InterPodAffinity
from kschedctl.plugins.node_affinity import NodeAffinity
from kschedctl.plugins.node_declared_features import NodeDeclaredFeatures
from kschedctl.plugins.node_name import NodeName
from kschedctl.plugins.node_ports import NodePorts
from kschedctl.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from kschedctl.plugins.node_resources_fit import NodeResourcesFit
from kschedctl.plugins.node_unschedulable import NodeUnschedulable
from kschedctl.plugins.node_volume_limits import NodeVolumeLimits
from kschedctl.plugins.pod_group_pods_count import PodGroupPodsCount
from kschedctl.plugins.pod_topology_spread import PodTopologySpread
from kschedctl.plugins.priority_sort import PrioritySort
from kschedctl.plugins.scheduling_gates import SchedulingGates
from kschedctl.plugins.taint_toleration import TaintToleration
from kschedctl.plugins.topology_placement_generator import TopologyPlacementGenerator
from kschedctl.plugins.volume_binding import VolumeBinding
from kschedctl.plugins.volume_restrictions import VolumeRestrictions
from kschedctl.plugins.volume_zone import VolumeZone

IN_TREE: Final = Registry(
    (
        DefaultBinder,
        DefaultPreemption,
        DeferredPodScheduling,
        DynamicResources,
        GangScheduling,
        ImageLocality,
        InterPodAffinity,
        NodeAffinity,
        NodeDeclaredFeatures,
        NodeName,
        NodePorts,
        NodeResourcesBalancedAllocation,
        NodeResourcesFit,
        NodeUnschedulable,
        NodeVolumeLimits,
        PodGroupPodsCount,
        PodTopologySpread,
        PrioritySort,
        SchedulingGates,
        TaintToleration,
        TopologyPlacementGenerator,
        VolumeBinding,
        VolumeRestrictions,
        VolumeZone,
    )
)
"""Every plugin that kube-scheduler has of its own in some version."""
