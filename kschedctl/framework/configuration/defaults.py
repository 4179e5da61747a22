"""Defaults that depend on other fields or on gates; all others stand in the types (spec 01 §1.1, §1.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from kschedctl.framework.configuration.args import (
    CPU_AND_MEMORY,
    SYSTEM_DEFAULTING,
    DynamicResourcesArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PluginArgs,
    PodTopologySpreadArgs,
    ResourceSpec,
    UtilizationShapePoint,
    VolumeBindingArgs,
)
from kschedctl.framework.configuration.duration import Duration
from kschedctl.framework.configuration.types import (
    ClientConnection,
    Extender,
    KubeSchedulerConfiguration,
    KubeSchedulerProfile,
    LeaderElection,
)
from kschedctl.framework.versions import FeatureGates

DEFAULT_SCHEDULER_NAME: Final = "default-scheduler"

_MOST_FREE_CAPACITY: Final = (
    UtilizationShapePoint(utilization=0, score=10),
    UtilizationShapePoint(utilization=100),
)


def with_defaults(config: KubeSchedulerConfiguration) -> KubeSchedulerConfiguration:
    """The configuration with all defaults except those of plugins and their arguments."""
    profiles = config.profiles or (KubeSchedulerProfile(),)
    if len(profiles) == 1 and profiles[0].scheduler_name is None:
        profiles = (replace(profiles[0], scheduler_name=DEFAULT_SCHEDULER_NAME),)
    contention = config.enable_contention_profiling
    return replace(
        config,
        profiles=profiles,
        extenders=tuple(_extender(extender) for extender in config.extenders),
        leader_election=_leader_election(config.leader_election),
        client_connection=_client_connection(config.client_connection),
        enable_contention_profiling=config.enable_profiling if contention is None else contention,
    )


def args_with_defaults(args: PluginArgs, gates: FeatureGates) -> PluginArgs:
    """The arguments of a plugin with the defaults that do not stand in their type."""
    match args:
        case NodeResourcesFitArgs():
            strategy = args.scoring_strategy
            resources = _weighted(strategy.resources or CPU_AND_MEMORY)
            return replace(args, scoring_strategy=replace(strategy, resources=resources))
        case NodeResourcesBalancedAllocationArgs():
            return replace(args, resources=_weighted(args.resources or CPU_AND_MEMORY))
        case PodTopologySpreadArgs():
            return replace(args, defaulting_type=args.defaulting_type or SYSTEM_DEFAULTING)
        case VolumeBindingArgs() if gates.enabled("StorageCapacityScoring"):
            return replace(args, shape=args.shape or _MOST_FREE_CAPACITY)
        case DynamicResourcesArgs():
            return _dynamic_resources(args, gates)
    return args


def _dynamic_resources(args: DynamicResourcesArgs, gates: FeatureGates) -> DynamicResourcesArgs:
    filter_timeout, binding_timeout = args.filter_timeout, args.binding_timeout
    if filter_timeout is None and gates.enabled("DRASchedulerFilterTimeout"):
        filter_timeout = Duration.of_seconds(10)
    if binding_timeout is None and has_binding_timeout(gates):
        binding_timeout = Duration.of_seconds(600)
    return replace(args, filter_timeout=filter_timeout, binding_timeout=binding_timeout)


def has_binding_timeout(gates: FeatureGates) -> bool:
    """Whether devices can have binding conditions with a timeout that the arguments give."""
    if not gates.version.facts.binding_timeout_is_known:
        return False
    return gates.enabled("DRADeviceBindingConditions") and gates.enabled("DRAResourceClaimDeviceStatus")


def _weighted(resources: Sequence[ResourceSpec]) -> tuple[ResourceSpec, ...]:
    return tuple(resource if resource.weight else replace(resource, weight=1) for resource in resources)


def _extender(extender: Extender) -> Extender:
    return replace(extender, http_timeout=extender.http_timeout or Duration.of_seconds(5))


def _leader_election(election: LeaderElection) -> LeaderElection:
    return replace(
        election,
        lease_duration=election.lease_duration or Duration.of_seconds(15),
        renew_deadline=election.renew_deadline or Duration.of_seconds(10),
        retry_period=election.retry_period or Duration.of_seconds(2),
        resource_lock=election.resource_lock or "leases",
        resource_name=election.resource_name or "kube-scheduler",
        resource_namespace=election.resource_namespace or "kube-system",
    )


def _client_connection(connection: ClientConnection) -> ClientConnection:
    return replace(
        connection,
        content_type=connection.content_type or "application/vnd.kubernetes.protobuf",
        qps=connection.qps or 50.0,
        burst=connection.burst or 100,
    )
