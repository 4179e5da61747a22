"""The arguments of the in-tree plugins, with the defaults of the API (spec 01 §1.5)."""

from __future__ import annotations

from typing import Final

from kschedctl.framework.configuration.base import ConfigObject
from kschedctl.framework.configuration.duration import Duration
from kschedctl.objects.constraints import NodeAffinity, TopologySpreadConstraint
from kschedctl.objects.meta import Int32, Int64

LEAST_ALLOCATED: Final = "LeastAllocated"
MOST_ALLOCATED: Final = "MostAllocated"
REQUESTED_TO_CAPACITY_RATIO: Final = "RequestedToCapacityRatio"
SYSTEM_DEFAULTING: Final = "System"
LIST_DEFAULTING: Final = "List"


class ResourceSpec(ConfigObject, frozen=True):
    """A resource and its weight in a score; weight 0 means that none is given and counts as 1."""

    name: str = ""
    weight: Int64 = 0


class UtilizationShapePoint(ConfigObject, frozen=True):
    """A corner of a scoring curve: the score (0..10) at a utilization (0..100 %)."""

    utilization: Int32 = 0
    score: Int32 = 0


CPU_AND_MEMORY: Final = (ResourceSpec(name="cpu", weight=1), ResourceSpec(name="memory", weight=1))


class RequestedToCapacityRatioParam(ConfigObject, frozen=True):
    """The scoring curve of RequestedToCapacityRatio."""

    shape: tuple[UtilizationShapePoint, ...] = ()


class ScoringStrategy(ConfigObject, frozen=True):
    """How NodeResourcesFit scores; a strategy that is written out has no default type."""

    type: str = ""
    resources: tuple[ResourceSpec, ...] = ()
    requested_to_capacity_ratio: RequestedToCapacityRatioParam | None = None


class PluginArgs(ConfigObject, frozen=True):
    """Base of the arguments of one plugin; their kind on the wire is the name of the plugin with `Args`."""


class DefaultPreemptionArgs(PluginArgs, frozen=True):
    """How many candidate nodes preemption looks for."""

    min_candidate_nodes_percentage: Int32 = 10
    min_candidate_nodes_absolute: Int32 = 100


class DynamicResourcesArgs(PluginArgs, frozen=True):
    """Timeouts of device allocation; None where their gate is off."""

    filter_timeout: Duration | None = None
    binding_timeout: Duration | None = None


class InterPodAffinityArgs(PluginArgs, frozen=True):
    """How much hard affinity of existing pods counts in the score."""

    hard_pod_affinity_weight: Int32 = 1
    ignore_preferred_terms_of_existing_pods: bool = False


class NodeAffinityArgs(PluginArgs, frozen=True):
    """Node affinity that the profile adds to that of every pod."""

    added_affinity: NodeAffinity | None = None


class NodeResourcesBalancedAllocationArgs(PluginArgs, frozen=True):
    """The resources whose balance is scored."""

    resources: tuple[ResourceSpec, ...] = CPU_AND_MEMORY


class NodeResourcesFitArgs(PluginArgs, frozen=True):
    """Resources that the capacity check leaves out, and the scoring strategy."""

    ignored_resources: tuple[str, ...] = ()
    ignored_resource_groups: tuple[str, ...] = ()
    scoring_strategy: ScoringStrategy = ScoringStrategy(type=LEAST_ALLOCATED, resources=CPU_AND_MEMORY)


class PodTopologySpreadArgs(PluginArgs, frozen=True):
    """Spread constraints of pods that have none of their own."""

    default_constraints: tuple[TopologySpreadConstraint, ...] = ()
    defaulting_type: str = SYSTEM_DEFAULTING


class VolumeBindingArgs(PluginArgs, frozen=True):
    """How long binding of volumes may take, and the scoring curve; None where scoring is off."""

    bind_timeout_seconds: Int64 = 600
    shape: tuple[UtilizationShapePoint, ...] | None = None
