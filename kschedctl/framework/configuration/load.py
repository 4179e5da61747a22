"""From the data of a file to what the scheduler uses: decode, default, merge, validate, create."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from kschedctl.errors import ConfigurationError
from kschedctl.framework.configuration.args import (
    REQUESTED_TO_CAPACITY_RATIO,
    NodeResourcesFitArgs,
    PluginArgs,
)
from kschedctl.framework.configuration.args_validation import validate_fit_args
from kschedctl.framework.configuration.decode import decode_configuration
from kschedctl.framework.configuration.defaults import args_with_defaults, with_defaults
from kschedctl.framework.configuration.expansion import check_counts, expand, placement_weights, score_weights
from kschedctl.framework.configuration.merge import merge_plugins
from kschedctl.framework.configuration.profile import Profile, SchedulerConfiguration
from kschedctl.framework.configuration.types import Extender, KubeSchedulerConfiguration, KubeSchedulerProfile
from kschedctl.framework.configuration.unknown_plugins import unknown_in, without_unknown
from kschedctl.framework.configuration.validation import ConfiguredArgs, MergedProfile, validate
from kschedctl.framework.extension_points import ExtensionPoint, PointsByPlugin
from kschedctl.framework.registry import Registry
from kschedctl.framework.versions import FeatureGates, Version
from kschedctl.objects.go import quote
from kschedctl.objects.selectors import aggregate


def load_configuration(
    data: Mapping[str, Any] | None,
    version: Version,
    gates: FeatureGates,
    registry: Registry,
    *,
    origin: str | None = None,
    ignore_unknown: bool = False,
) -> SchedulerConfiguration:
    """The configuration that kube-scheduler of this version would run with.

    Args:
        data: the parsed file, None for the defaults.
        version: the version of kube-scheduler.
        gates: its feature gates.
        registry: the plugins that there are.
        origin: the name of the file, for reports.
        ignore_unknown: leave plugins out that the registry does not have, instead of refusing them.

    Raises:
        ConfigurationError: kube-scheduler would refuse to start with it; the message is its own.
    """
    config, typed = (
        (KubeSchedulerConfiguration(), ())
        if data is None
        else decode_configuration(data, version, registry.args_types)
    )
    config = with_defaults(config)
    # A configuration without profiles gets one, which has no arguments yet.
    profiles = [
        _merge(profile, args, version, gates, registry)
        for profile, args in zip(config.profiles, typed or ((),), strict=True)
    ]
    ignored: tuple[str, ...] = ()
    if ignore_unknown:
        ignored = tuple(dict.fromkeys(name for p in profiles for name in unknown_in(p.plugins, registry)))
        profiles = [replace(p, plugins=without_unknown(p.plugins, registry)) for p in profiles]
    if problems := validate(config, profiles, gates):
        raise ConfigurationError(aggregate(problems))
    profiles = _with_ignored_resources(profiles, config.extenders)
    return SchedulerConfiguration(
        version=version,
        gates=gates,
        registry=registry,
        profiles=create_profiles(profiles, version.points(registry.points), version),
        parallelism=config.parallelism,
        percentage_of_nodes_to_score=config.percentage_of_nodes_to_score,
        pod_initial_backoff_seconds=config.pod_initial_backoff_seconds,
        pod_max_backoff_seconds=config.pod_max_backoff_seconds,
        extenders=tuple(sorted(config.extenders, key=lambda extender: extender.ignorable)),
        delay_cache_until_active=config.delay_cache_until_active,
        enable_profiling=config.enable_profiling,
        enable_contention_profiling=bool(config.enable_contention_profiling),
        leader_election=config.leader_election,
        client_connection=config.client_connection,
        ignored_plugins=ignored,
        origin=origin,
    )


def _merge(
    profile: KubeSchedulerProfile,
    typed: Sequence[PluginArgs | None],
    version: Version,
    gates: FeatureGates,
    registry: Registry,
) -> MergedProfile:
    """The profile with merged plugin sets, and arguments for every plugin that takes some."""
    plugins = merge_plugins(version.default_plugins(gates.enabled), profile.plugins)
    entries = [
        ConfiguredArgs(entry.name, args and args_with_defaults(args, gates), entry.args)
        for entry, args in zip(profile.plugin_config, typed, strict=True)
    ]
    types = registry.args_types
    missing = plugins.enabled_anywhere - {entry.name for entry in entries}
    entries += (
        ConfiguredArgs(name, args_with_defaults(types[name](), gates))
        for name in sorted(missing & types.keys())
    )
    return MergedProfile(
        profile.scheduler_name or "", profile.percentage_of_nodes_to_score, plugins, tuple(entries)
    )


def _with_ignored_resources(
    profiles: list[MergedProfile], extenders: Sequence[Extender]
) -> list[MergedProfile]:
    """The profiles with the resources that extenders look after alone put in place of `ignoredResources`."""
    ignored = tuple(r.name for e in extenders for r in e.managed_resources if r.ignored_by_scheduler)
    return [_ignoring(profile, ignored) for profile in profiles] if ignored else profiles


def _ignoring(profile: MergedProfile, resources: tuple[str, ...]) -> MergedProfile:
    entries = tuple(
        ConfiguredArgs(entry.name, replace(entry.args, ignored_resources=resources))
        if isinstance(entry.args, NodeResourcesFitArgs)
        else entry
        for entry in profile.plugin_config
    )
    if not any(isinstance(entry.args, NodeResourcesFitArgs) for entry in entries):
        raise ConfigurationError("couldn't build extenders: can't find NodeResourcesFitArgs in plugin config")
    return MergedProfile(
        profile.scheduler_name, profile.percentage_of_nodes_to_score, profile.plugins, entries
    )


def create_profiles(
    profiles: Sequence[MergedProfile], existing: PointsByPlugin, version: Version
) -> tuple[Profile, ...]:
    """The profiles with everything expanded, over the plugins that exist.

    Raises:
        ConfigurationError: a profile cannot be created, or sorts the queue otherwise than the first one.
    """
    created: list[Profile] = []
    for profile in profiles:
        name = profile.scheduler_name
        try:
            created.append(_create(profile, existing, version))
        except ConfigurationError as error:
            text = f"initializing profiles: creating profile for scheduler name {name}: {error.message}"
            raise ConfigurationError(text, hint=error.hint) from error
        sort, first = (p.plugins(ExtensionPoint.QUEUE_SORT)[0] for p in (created[-1], created[0]))
        if sort != first:
            raise ConfigurationError(
                "initializing profiles: different queue sort plugins for profile "
                f"{quote(name)}: {quote(sort)}, first: {quote(first)}"
            )
    return tuple(created)


def _create(profile: MergedProfile, existing: PointsByPlugin, version: Version) -> Profile:
    args = {entry.name: entry.args for entry in profile.plugin_config if entry.args is not None}
    other = {entry.name: entry.raw for entry in profile.plugin_config if entry.args is None}
    for name in sorted(args.keys() & profile.plugins.enabled_anywhere):
        if isinstance(fit := args[name], NodeResourcesFitArgs):
            _check_fit(name, fit, version)
    points = expand(profile.plugins, existing)
    check_counts(points, profile.scheduler_name)
    return Profile(
        scheduler_name=profile.scheduler_name,
        percentage_of_nodes_to_score=profile.percentage_of_nodes_to_score,
        points=points,
        score_weights=score_weights(profile.plugins, existing, version.facts),
        placement_weights=placement_weights(profile.plugins, existing),
        plugin_args=args,
        other_args=other,
    )


def _check_fit(name: str, args: NodeResourcesFitArgs, version: Version) -> None:
    """Check the arguments of NodeResourcesFit as its constructor does."""
    if problems := validate_fit_args(args, version.facts):
        raise ConfigurationError(f"initializing plugin {quote(name)}: {aggregate(problems)}")
    strategy = args.scoring_strategy
    if strategy.type == REQUESTED_TO_CAPACITY_RATIO and strategy.requested_to_capacity_ratio is None:
        raise ConfigurationError(
            f"initializing plugin {quote(name)}: scoringStrategy.requestedToCapacityRatio is missing",
            hint=f"kube-scheduler {version} crashes on this; give the shape.",
        )
