"""The plugins of kube-scheduler; handed to the framework, which knows none by itself."""

from __future__ import annotations

from typing import Final

from kschedctl.framework.registry import Registry

from .default_binder import DefaultBinder
from .default_preemption import DefaultPreemption
from .deferred_pod_scheduling import DeferredPodScheduling
from .dynamic_resources import DynamicResources
from .gang_scheduling import GangScheduling
from .image_locality import ImageLocality
from .inter_pod_affinity import InterPodAffinity
from .node_affinity import NodeAffinity
from .node_declared_features import NodeDeclaredFeatures
from .node_name import NodeName
from .node_ports import NodePorts
from .node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from .node_resources_fit import NodeResourcesFit
from .node_unschedulable import NodeUnschedulable
from .node_volume_limits import NodeVolumeLimits
from .pod_group_pods_count import PodGroupPodsCount
from .pod_topology_spread import PodTopologySpread
from .priority_sort import PrioritySort
from .scheduling_gates import SchedulingGates
from .taint_toleration import TaintToleration
from .topology_placement_generator import TopologyPlacementGenerator
from .volume_binding import VolumeBinding
from .volume_restrictions import VolumeRestrictions
from .volume_zone import VolumeZone

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
