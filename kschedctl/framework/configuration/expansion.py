"""Expansion of `multiPoint` into the extension points, and the weights of scores (spec 01 §1.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from kschedctl.errors import ConfigurationError
from kschedctl.framework.configuration.merge import EVERYTHING, MergedPlugins
from kschedctl.framework.configuration.types import PluginRef, PluginSet
from kschedctl.framework.extension_points import ExtensionPoint, PointsByPlugin
from kschedctl.framework.versions import Facts
from kschedctl.objects.go import INT64_MAX, quote, wrap_int64

_P = ExtensionPoint

PROCESSING_ORDER: Final = (
    _P.PRE_FILTER,
    _P.FILTER,
    _P.POST_FILTER,
    _P.RESERVE,
    _P.PRE_SCORE,
    _P.SCORE,
    _P.PRE_BIND,
    _P.BIND,
    _P.POST_BIND,
    _P.PERMIT,
    _P.PRE_ENQUEUE,
    _P.QUEUE_SORT,
    _P.PLACEMENT_GENERATE,
    _P.PLACEMENT_SCORE,
    _P.POD_GROUP_POST_FILTER,
)
"""The order in which kube-scheduler goes through the points; it decides which error is seen."""

_MAX_NODE_SCORE: Final = 100


def expand(plugins: MergedPlugins, existing: PointsByPlugin) -> Mapping[ExtensionPoint, tuple[str, ...]]:
    """The ordered plugins of every extension point.

    Raises:
        ConfigurationError: a plugin does not exist, is listed where it has nothing to do, or twice.
    """
    for point in PROCESSING_ORDER:
        _check_listed(point, plugins.points[point], existing)
    multi_point = plugins.multi_point.enabled
    return {
        point: _expand_point(point, plugins.points[point], multi_point, existing)
        for point in PROCESSING_ORDER
    }


def check_counts(expanded: Mapping[ExtensionPoint, tuple[str, ...]], scheduler_name: str) -> None:
    """Check that the points which need exactly, at least or at most one plugin have it.

    Raises:
        ConfigurationError: they have not.
    """
    profile = f"for profile with scheduler name {quote(scheduler_name)}"
    sorts = len(expanded[_P.QUEUE_SORT])
    if sorts != 1:
        raise ConfigurationError(f"only one queue sort plugin required {profile}, but got {sorts}")
    if not expanded[_P.BIND]:
        raise ConfigurationError(f"at least one bind plugin is needed {profile}")
    if len(expanded[_P.PLACEMENT_GENERATE]) > 1:
        raise ConfigurationError(f"at most one placement generate plugin is allowed {profile}")


def score_weights(plugins: MergedPlugins, existing: PointsByPlugin, facts: Facts) -> Mapping[str, int]:
    """The weight of every plugin that implements Score, also of those that are disabled there.

    Raises:
        ConfigurationError: the weights could overflow a total, or a running sum is negative before its end.
    """
    prefix = "score plugins: " if facts.overflow_names_the_scores else ""
    return _weights(_P.SCORE, plugins, existing, prefix)


def placement_weights(plugins: MergedPlugins, existing: PointsByPlugin) -> Mapping[str, int]:
    """The weight of every plugin that implements PlacementScore.

    Raises:
        ConfigurationError: as for `score_weights`.
    """
    return _weights(_P.PLACEMENT_SCORE, plugins, existing, "placement score plugins: ")


def _check_listed(point: ExtensionPoint, plugin_set: PluginSet, existing: PointsByPlugin) -> None:
    seen = set()
    for plugin in plugin_set.enabled:
        if plugin.name not in existing:
            raise _does_not_exist(point, plugin)
        if point not in existing[plugin.name]:
            raise ConfigurationError(
                f"plugin {quote(plugin.name)} does not extend {point.plugin_type} plugin"
            )
        if plugin.name in seen:
            raise _registered_twice(point, plugin)
        seen.add(plugin.name)


def _expand_point(
    point: ExtensionPoint, plugin_set: PluginSet, multi_point: Iterable[PluginRef], existing: PointsByPlugin
) -> tuple[str, ...]:
    """Overrides in the order of the list, then what only `multiPoint` has, then the rest of the list."""
    listed = tuple(plugin.name for plugin in plugin_set.enabled)
    disabled = {plugin.name for plugin in plugin_set.disabled}
    if EVERYTHING in disabled:
        return listed
    overrides: set[str] = set()
    added: dict[str, None] = {}
    for plugin in multi_point:
        if plugin.name not in existing:
            raise _does_not_exist(point, plugin)
        if point not in existing[plugin.name] or plugin.name in disabled:
            continue
        if plugin.name in listed:
            overrides.add(plugin.name)
        elif plugin.name in added:
            raise _registered_twice(point, plugin)
        else:
            added[plugin.name] = None
    return (
        *(name for name in listed if name in overrides),
        *added,
        *(name for name in listed if name not in overrides),
    )


def _weights(
    point: ExtensionPoint, plugins: MergedPlugins, existing: PointsByPlugin, prefix: str
) -> Mapping[str, int]:
    weights: dict[str, int] = {}
    total = 0
    for plugin in (*plugins.points[point].enabled, *plugins.multi_point.enabled):
        if plugin.name in weights or point not in existing.get(plugin.name, ()):
            continue
        weights[plugin.name] = plugin.weight or 1
        highest = weights[plugin.name] * _MAX_NODE_SCORE
        # The difference wraps where the running sum is negative, which then fails for any further plugin.
        if highest > wrap_int64(INT64_MAX - total):
            raise ConfigurationError(f"{prefix}total score of Score plugins could overflow")
        total += highest
    return weights


def _does_not_exist(point: ExtensionPoint, plugin: PluginRef) -> ConfigurationError:
    return ConfigurationError(
        f"{point.plugin_type} {quote(plugin.name)} does not exist",
        hint="A plugin of your own comes from a package with an entry point of the group kschedctl.plugins, or by "
        "--plugin MODULE:CLASS; --ignore-unknown-plugins leaves it out.",
    )


def _registered_twice(point: ExtensionPoint, plugin: PluginRef) -> ConfigurationError:
    return ConfigurationError(f"plugin {quote(plugin.name)} already registered as {quote(point.plugin_type)}")
