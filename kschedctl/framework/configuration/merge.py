"""Merge of a profile's plugin sets with the built-in ones (spec 01 §1.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from kschedctl.framework.configuration.types import PluginRef, Plugins, PluginSet
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.versions import DefaultPlugin

EVERYTHING = "*"


class MergedPlugins(Struct, frozen=True):
    """The plugin sets of a profile after the merge, before `multiPoint` is expanded."""

    points: Mapping[ExtensionPoint, PluginSet]
    multi_point: PluginSet

    @property
    def enabled_anywhere(self) -> frozenset[str]:
        """Every plugin that some set enables: these are created, and get arguments."""
        sets = (*self.points.values(), self.multi_point)
        return frozenset(plugin.name for plugin_set in sets for plugin in plugin_set.enabled)


def merge_plugins(defaults: Sequence[DefaultPlugin], custom: Plugins) -> MergedPlugins:
    """The sets of a profile, merged with the default `multiPoint` list; no other point has defaults."""
    built_in = tuple(PluginRef(name=plugin.name, weight=plugin.weight) for plugin in defaults)
    return MergedPlugins(
        points={point: merge_set((), custom.at(point)) for point in ExtensionPoint},
        multi_point=merge_set(built_in, custom.multi_point),
    )


def merge_set(defaults: Sequence[PluginRef], custom: PluginSet) -> PluginSet:
    """One set: defaults keep their places, a re-listed one is replaced whole, the rest is appended.

    A default that is listed again loses its weight. Of several custom entries of one name the last replaces
    the default; the others stay, and are refused later.
    """
    disabled = tuple(PluginRef(name=plugin.name) for plugin in custom.disabled)
    off = {plugin.name for plugin in disabled}
    replacement = {plugin.name: i for i, plugin in enumerate(custom.enabled)}
    enabled: list[PluginRef] = []
    consumed: set[int] = set()
    if EVERYTHING not in off:
        for default in defaults:
            if default.name in off:
                continue
            index = replacement.get(default.name)
            if index is not None:
                consumed.add(index)
            enabled.append(default if index is None else custom.enabled[index])
    enabled += (plugin for i, plugin in enumerate(custom.enabled) if i not in consumed)
    return PluginSet(enabled=tuple(enabled), disabled=disabled)
