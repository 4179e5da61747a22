"""Profiles without the plugins that nobody knows, where somebody would rather have an answer without them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from kschedctl.framework.configuration.merge import MergedPlugins
from kschedctl.framework.configuration.types import PluginRef, PluginSet
from kschedctl.framework.extension_points import ExtensionPoint

_STAND_IN: Final = {ExtensionPoint.QUEUE_SORT: "PrioritySort", ExtensionPoint.BIND: "DefaultBinder"}
"""Points at which a profile needs a plugin -> the one that is taken where the profile's own is not known."""


def unknown_in(plugins: MergedPlugins, known: Collection[str]) -> Iterator[str]:
    """The names that some set enables and nobody knows, in the order of the sets."""
    for plugin_set in (plugins.multi_point, *plugins.points.values()):
        yield from (entry.name for entry in plugin_set.enabled if entry.name not in known)


def without_unknown(plugins: MergedPlugins, known: Collection[str]) -> MergedPlugins:
    """The merged sets of a profile without what is not among the known ones."""
    if not any(True for _ in unknown_in(plugins, known)):
        return plugins
    points = {point: _known(plugin_set, known) for point, plugin_set in plugins.points.items()}
    for point, name in _STAND_IN.items():
        if not points[point].enabled:
            points[point] = PluginSet(enabled=(PluginRef(name=name),), disabled=points[point].disabled)
    return MergedPlugins(points=points, multi_point=_known(plugins.multi_point, known))


def _known(plugin_set: PluginSet, known: Collection[str]) -> PluginSet:
    enabled = tuple(entry for entry in plugin_set.enabled if entry.name in known)
    return PluginSet(enabled=enabled, disabled=plugin_set.disabled)
