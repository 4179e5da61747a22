"""Validation of a configuration as kube-scheduler does it before it creates anything (spec 01 §1.1 to §1.6).

All problems are collected, in the order of the real one, and told as one text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from kschedctl.framework.configuration.args import PluginArgs
from kschedctl.framework.configuration.args_validation import validate_args
from kschedctl.framework.configuration.base import API_VERSION
from kschedctl.framework.configuration.field_errors import duplicate, invalid, label_name, required
from kschedctl.framework.configuration.merge import MergedPlugins
from kschedctl.framework.configuration.types import (
    ClientConnection,
    Extender,
    KubeSchedulerConfiguration,
    LeaderElection,
    PluginRef,
    PluginSet,
)
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.versions import FeatureGates
from kschedctl.objects.pod_requests import is_extended_resource

_REMOVED: Final = frozenset({"AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"})
_REMOVED_TEXT: Final = f'was invalid in version "v1" (KubeSchedulerConfiguration is version "{API_VERSION}")'

_P = ExtensionPoint
_CHECKED_FOR_REMOVED: Final = (
    _P.PRE_ENQUEUE,
    _P.QUEUE_SORT,
    _P.PRE_FILTER,
    _P.FILTER,
    _P.POST_FILTER,
    _P.PRE_SCORE,
    _P.SCORE,
    _P.RESERVE,
    _P.PERMIT,
    _P.PRE_BIND,
    _P.BIND,
    _P.POST_BIND,
)


class ConfiguredArgs(Struct, frozen=True):
    """An entry of `pluginConfig`: typed arguments, or whatever stands there for a name without a type."""

    name: str
    args: PluginArgs | None
    raw: object = None


class MergedProfile(Struct, frozen=True):
    """A profile after defaulting and merge."""

    scheduler_name: str
    percentage_of_nodes_to_score: int | None
    plugins: MergedPlugins
    plugin_config: tuple[ConfiguredArgs, ...]


def validate(
    config: KubeSchedulerConfiguration, profiles: Sequence[MergedProfile], gates: FeatureGates
) -> list[str]:
    """The texts of all problems of a configuration after defaulting."""
    problems = _client_connection(config.client_connection)
    problems += _leader_election(config.leader_election)
    if config.parallelism <= 0:
        detail = "should be an integer value greater than zero"
        problems.append(invalid("parallelism", config.parallelism, detail))
    first_of: set[str] = set()
    for i, profile in enumerate(profiles):
        path = f"profiles[{i}]"
        problems += _profile(profile, path, gates)
        if profile.scheduler_name in first_of:
            # The real one prints the path of the first profile, which has nothing that prints.
            problems.append(f"{path}.schedulerName: Duplicate value: {{}}")
        first_of.add(profile.scheduler_name)
    problems += _common_queue_sort([profile.plugins.points[_P.QUEUE_SORT] for profile in profiles])
    problems += _percentage(config.percentage_of_nodes_to_score, "percentageOfNodesToScore")
    initial, maximum = config.pod_initial_backoff_seconds, config.pod_max_backoff_seconds
    if initial <= 0:
        problems.append(invalid("podInitialBackoffSeconds", initial, "must be greater than 0"))
    if maximum < initial:
        detail = "must be greater than or equal to PodInitialBackoffSeconds"
        problems.append(invalid("podMaxBackoffSeconds", maximum, detail))
    return problems + _extenders(config.extenders)


def _client_connection(connection: ClientConnection) -> list[str]:
    if connection.burst >= 0:
        return []
    return [invalid("clientConnection.burst", connection.burst, "must be non-negative")]


def _leader_election(election: LeaderElection) -> list[str]:
    if not election.leader_elect:
        return []
    durations = {
        "leaseDuration": election.lease_duration,
        "renewDeadline": election.renew_deadline,
        "retryPeriod": election.retry_period,
    }
    problems = [
        invalid(f"leaderElection.{name}", str(duration), "must be greater than zero")
        for name, duration in durations.items()
        if duration <= 0
    ]
    if election.lease_duration < election.renew_deadline:
        detail = "must be greater than `RenewDeadline`"
        problems.append(invalid("leaderElection.leaseDuration", str(election.lease_duration), detail))
    if election.resource_lock != "leases":
        detail = 'resourceLock value must be "leases"'
        problems.append(invalid("leaderElection.resourceLock", election.resource_lock, detail))
    return problems


def _percentage(percentage: int | None, path: str) -> list[str]:
    if percentage is None or 0 <= percentage <= 100:
        return []
    return [invalid(path, percentage, "not in valid range [0-100]")]


def _profile(profile: MergedProfile, path: str, gates: FeatureGates) -> list[str]:
    problems = [] if profile.scheduler_name else [required(f"{path}.schedulerName")]
    problems += _percentage(profile.percentage_of_nodes_to_score, f"{path}.percentageOfNodesToScore")
    for point in _CHECKED_FOR_REMOVED:
        for i, plugin in enumerate(profile.plugins.points[point].enabled):
            if plugin.name in _REMOVED:
                problems.append(invalid(f"{path}.plugins.{point}.enabled[{i}]", plugin.name, _REMOVED_TEXT))
    return problems + _plugin_config(profile.plugin_config, path, gates)


def _plugin_config(entries: Sequence[ConfiguredArgs], path: str, gates: FeatureGates) -> list[str]:
    problems = []
    seen = set()
    for i, entry in enumerate(entries):
        at = f"{path}.pluginConfig[{i}]"
        if entry.name in seen:
            problems.append(duplicate(at, entry.name))
        seen.add(entry.name)
        if entry.name in _REMOVED:
            problems.append(invalid(at, entry.name, _REMOVED_TEXT))
        elif entry.args is not None:
            problems += validate_args(entry.args, f"{at}.args", gates)
    return problems


def _common_queue_sort(sets: Sequence[PluginSet]) -> list[str]:
    """Queue sort must be the same everywhere; the sets are compared before `multiPoint` is expanded."""
    problems = []
    if len(sets[0].enabled) > 1:
        detail = "only one queue sort plugin can be enabled"
        problems.append(invalid("profiles[0].plugins.queueSort.Enabled", len(sets[0].enabled), detail))
    for i, other in enumerate(sets):
        if other != sets[0]:
            path, shown = f"profiles[{i}].plugins.queueSort", _shown(other)
            problems.append(f"{path}: Invalid value: {shown}: must be the same for all profiles")
    return problems


def _shown(plugin_set: PluginSet) -> str:
    """A set as the real one prints it: with the names of the Go fields, `null` for an empty list."""

    def plugins(refs: Sequence[PluginRef]) -> list[Mapping[str, object]] | None:
        return [{"Name": ref.name, "Weight": ref.weight} for ref in refs] or None

    body = {"Enabled": plugins(plugin_set.enabled), "Disabled": plugins(plugin_set.disabled)}
    return msgspec.json.encode(body).decode()


def _extenders(extenders: Sequence[Extender]) -> list[str]:
    problems: list[str] = []
    resources: set[str] = set()
    for i, extender in enumerate(extenders):
        if extender.prioritize_verb and extender.weight <= 0:
            detail = "must have a positive weight applied to it"
            problems.append(invalid(f"extenders[{i}].weight", extender.weight, detail))
        for j, resource in enumerate(extender.managed_resources):
            at = f"extenders[{i}].managedResources[{j}].name"
            problems += _extended_resource(resource.name, at)
            if resource.name in resources:
                problems.append(invalid(at, resource.name, "duplicate extender managed resource name"))
            resources.add(resource.name)
    binders = sum(bool(extender.bind_verb) for extender in extenders)
    if binders > 1:
        found = f"found {binders} extenders implementing bind"
        problems.append(invalid("extenders", found, "only one extender can implement bind"))
    return problems


def _extended_resource(name: str, path: str) -> Iterator[str]:
    if problems := label_name(path, name):
        yield from problems
    elif not is_extended_resource(name):
        yield invalid(path, name, "is an invalid extended resource name")
