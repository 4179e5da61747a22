"""All plugins by name; handed to the framework, which knows none itself."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from kschedctl.framework.plugin import Plugin

from .default_binder import DefaultBinder
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

_ALL: tuple[type[Plugin], ...] = (
    DefaultBinder,
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

PLUGINS: Final[Mapping[str, type[Plugin]]] = MappingProxyType({plugin.name: plugin for plugin in _ALL})
"""DefaultPreemption is not here: it is `preemption.evaluator`, called by the scheduling cycle."""
