"""Validation of plugin arguments: a function a plugin, which gives all problems (spec 01 §1.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kschedctl.framework.configuration.args import (
    LEAST_ALLOCATED,
    LIST_DEFAULTING,
    MOST_ALLOCATED,
    REQUESTED_TO_CAPACITY_RATIO,
    SYSTEM_DEFAULTING,
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
from kschedctl.framework.configuration.defaults import has_binding_timeout
from kschedctl.framework.configuration.duration import Duration
from kschedctl.framework.configuration.field_errors import (
    duplicate,
    forbidden,
    invalid,
    label_name,
    required,
    unsupported,
)
from kschedctl.framework.versions import Facts, FeatureGates
from kschedctl.objects.constraints import TopologySpreadConstraint
from kschedctl.objects.selectors import SelectorError, parse_node_selector, parse_preferred_terms

_PERCENT: Final = "not in valid range [0, 100]"
_STRATEGIES: Final = (LEAST_ALLOCATED, MOST_ALLOCATED, REQUESTED_TO_CAPACITY_RATIO)
_ACTIONS: Final = ("DoNotSchedule", "ScheduleAnyway")


def validate_args(args: PluginArgs, path: str, gates: FeatureGates) -> list[str]:
    """The problems that validation of the configuration finds; those of NodeResourcesFit are found later."""
    match args:
        case DefaultPreemptionArgs():
            return _default_preemption(args, path)
        case InterPodAffinityArgs():
            return _inter_pod_affinity(args, path)
        case NodeAffinityArgs():
            return _node_affinity(args, path)
        case NodeResourcesBalancedAllocationArgs():
            return _balanced_allocation(args, path)
        case PodTopologySpreadArgs():
            return _pod_topology_spread(args, path)
        case VolumeBindingArgs():
            return _volume_binding(args, path, gates)
        case DynamicResourcesArgs():
            return _dynamic_resources(args, path, gates)
    return []


def validate_fit_args(args: NodeResourcesFitArgs, facts: Facts) -> list[str]:
    """The problems that NodeResourcesFit finds when it is created, so their paths have no prefix."""
    problems: list[str] = []
    for i, resource in enumerate(args.ignored_resources):
        problems += label_name(f"ignoredResources[{i}]", resource)
    for i, group in enumerate(args.ignored_resource_groups):
        at = f"ignoredResourceGroups[{i}]"
        if "/" in group:
            problems.append(invalid(at, group, "resource group name can't contain '/'"))
        problems += label_name(at, group)
    strategy = args.scoring_strategy
    if strategy.type not in _STRATEGIES:
        problems.append(unsupported("scoringStrategy.type", strategy.type, _STRATEGIES))
    problems += _resource_weights(strategy.resources, "scoringStrategy.resources")
    return problems + _strategy_shape(strategy, facts)


def _default_preemption(args: DefaultPreemptionArgs, path: str) -> list[str]:
    percentage, absolute = args.min_candidate_nodes_percentage, args.min_candidate_nodes_absolute
    percentage_at, absolute_at = f"{path}.minCandidateNodesPercentage", f"{path}.minCandidateNodesAbsolute"
    problems = []
    if not 0 <= percentage <= 100:
        problems.append(invalid(percentage_at, percentage, _PERCENT))
    if absolute < 0:
        problems.append(invalid(absolute_at, absolute, "not in valid range [0, inf)"))
    if percentage == absolute == 0:
        detail = "cannot be zero at the same time as "
        problems.append(invalid(percentage_at, 0, f"{detail}minCandidateNodesAbsolute"))
        problems.append(invalid(absolute_at, 0, f"{detail}minCandidateNodesPercentage"))
    return problems


def _inter_pod_affinity(args: InterPodAffinityArgs, path: str) -> list[str]:
    weight = args.hard_pod_affinity_weight
    return [] if 0 <= weight <= 100 else [invalid(f"{path}.hardPodAffinityWeight", weight, _PERCENT)]


def _node_affinity(args: NodeAffinityArgs, path: str) -> list[str]:
    affinity = args.added_affinity
    if affinity is None:
        return []
    problems: list[str] = []
    base = f"{path}.addedAffinity"
    try:
        if affinity.required is not None:
            parse_node_selector(affinity.required, f"{base}.requiredDuringSchedulingIgnoredDuringExecution")
    except SelectorError as error:
        problems += error.problems
    try:
        parse_preferred_terms(affinity.preferred, f"{base}.preferredDuringSchedulingIgnoredDuringExecution")
    except SelectorError as error:
        problems += error.problems
    return problems


def _balanced_allocation(args: NodeResourcesBalancedAllocationArgs, path: str) -> list[str]:
    problems = []
    seen = set()
    for i, resource in enumerate(args.resources):
        at = f"{path}.resources[{i}]"
        if resource.name in seen:
            problems.append(duplicate(f"{at}.name", resource.name))
        seen.add(resource.name)
        if resource.weight != 1:
            problems.append(invalid(f"{at}.weight", resource.weight, "must be 1"))
    return problems


def _pod_topology_spread(args: PodTopologySpreadArgs, path: str) -> list[str]:
    problems = []
    kind, at = args.defaulting_type, f"{path}.defaultingType"
    if kind not in (SYSTEM_DEFAULTING, LIST_DEFAULTING):
        problems.append(unsupported(at, kind, (SYSTEM_DEFAULTING, LIST_DEFAULTING)))
    elif kind == SYSTEM_DEFAULTING and args.default_constraints:
        problems.append(invalid(at, kind, "when .defaultConstraints are not empty"))
    seen = set()
    for i, constraint in enumerate(args.default_constraints):
        at = f"{path}.defaultConstraints[{i}]"
        problems += _default_constraint(constraint, at)
        identity = (constraint.topology_key, constraint.when_unsatisfiable)
        if identity in seen:
            problems.append(duplicate(at, f"{{{', '.join(identity)}}}"))
        seen.add(identity)
    return problems


def _default_constraint(constraint: TopologySpreadConstraint, path: str) -> list[str]:
    problems = []
    if constraint.max_skew <= 0:
        problems.append(invalid(f"{path}.maxSkew", constraint.max_skew, "not in valid range (0, inf)"))
    key, action = constraint.topology_key, constraint.when_unsatisfiable
    problems += label_name(f"{path}.topologyKey", key) if key else [_empty(f"{path}.topologyKey")]
    if not action:
        problems.append(_empty(f"{path}.whenUnsatisfiable"))
    elif action not in _ACTIONS:
        problems.append(unsupported(f"{path}.whenUnsatisfiable", action, _ACTIONS))
    if constraint.label_selector is not None:
        detail = "constraint must not define a selector, as they deduced for each pod"
        problems.append(forbidden(f"{path}.labelSelector", detail))
    return problems


def _empty(path: str) -> str:
    return required(path, "can not be empty")


def _volume_binding(args: VolumeBindingArgs, path: str, gates: FeatureGates) -> list[str]:
    problems = []
    if args.bind_timeout_seconds < 0:
        detail = "invalid BindTimeoutSeconds, should not be a negative value"
        problems.append(invalid(f"{path}.bindTimeoutSeconds", args.bind_timeout_seconds, detail))
    at = f"{path}.shape"
    if gates.enabled("StorageCapacityScoring"):
        problems += _shape(args.shape or (), at)
    elif args.shape is not None:
        detail = "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring"
        points = [{"Utilization": point.utilization, "Score": point.score} for point in args.shape]
        problems.append(invalid(at, points, detail))
    return problems


def _dynamic_resources(args: DynamicResourcesArgs, path: str, gates: FeatureGates) -> list[str]:
    problems = []
    if (timeout := args.filter_timeout) is not None:
        at = f"{path}.filterTimeout"
        if not gates.enabled("DRASchedulerFilterTimeout"):
            problems.append(forbidden(at, "DRASchedulingFilterTimeout feature gate is disabled"))
        elif timeout < 0:
            problems.append(invalid(at, str(timeout), "must be zero or positive"))
    if (timeout := args.binding_timeout) is not None:
        at = f"{path}.bindingTimeout"
        if not has_binding_timeout(gates):
            detail = "DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled"
            problems.append(forbidden(at, detail))
        elif timeout < Duration.of_seconds(1):
            problems.append(invalid(at, str(timeout), "must be at least 1 second"))
    return problems


def _resource_weights(resources: Sequence[ResourceSpec], path: str) -> list[str]:
    return [
        invalid(
            f"{path}[{i}].weight",
            resource.weight,
            f"resource weight of {resource.name} not in valid range (0, 100]",
        )
        for i, resource in enumerate(resources)
        if not 0 < resource.weight <= 100
    ]


def _strategy_shape(strategy: ScoringStrategy, facts: Facts) -> list[str]:
    """Presence and form of the scoring curve; older versions only look at its form (spec 01 §14.6)."""
    curve = strategy.requested_to_capacity_ratio
    if not facts.strategy_needs_its_curve:
        return [] if curve is None else _shape(curve.shape, "scoringStrategy.shape")
    at = "scoringStrategy.requestedToCapacityRatio"
    wanted = strategy.type == REQUESTED_TO_CAPACITY_RATIO
    if curve is None:
        return (
            [required(at, f"must be specified when type is {REQUESTED_TO_CAPACITY_RATIO}")] if wanted else []
        )
    if not wanted:
        return [forbidden(at, f"must be nil when type is not {REQUESTED_TO_CAPACITY_RATIO}")]
    return _shape(curve.shape, f"{at}.shape")


def _shape(points: Sequence[UtilizationShapePoint], path: str) -> list[str]:
    if not points:
        return [required(path, "at least one point must be specified")]
    problems = []
    for i in range(1, len(points)):
        if points[i].utilization <= points[i - 1].utilization:
            detail = "values must be sorted in increasing order"
            problems.append(invalid(f"{path}[{i}].utilization", points[i].utilization, detail))
            break
    for i, point in enumerate(points):
        if not 0 <= point.utilization <= 100:
            problems.append(invalid(f"{path}[{i}].utilization", point.utilization, _PERCENT))
        if not 0 <= point.score <= 10:
            problems.append(invalid(f"{path}[{i}].score", point.score, "not in valid range [0, 10]"))
    return problems
