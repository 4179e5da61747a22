"""The plugins that exist. A registry is a value that is handed in: the framework knows no plugin by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from kschedctl.framework.extension_points import PointsByPlugin
from kschedctl.framework.plugin import AnyPlugin

if TYPE_CHECKING:
    from kschedctl.framework.configuration.args import PluginArgs


class Registry(Mapping[str, type[AnyPlugin]]):
    """Plugins by name.

    Args:
        plugins: their classes, each with its spec.

    Raises:
        ValueError: two plugins have one name.
    """

    def __init__(self, plugins: Iterable[type[AnyPlugin]]) -> None:
        found: dict[str, type[AnyPlugin]] = {}
        for plugin in plugins:
            if found.setdefault(plugin.spec.name, plugin) is not plugin:
                raise ValueError(f"two plugins have the name {plugin.spec.name}")
        self._plugins = found

    def __getitem__(self, name: str) -> type[AnyPlugin]:
        return self._plugins[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._plugins)

    def __len__(self) -> int:
        return len(self._plugins)

    def with_plugins(self, *plugins: type[AnyPlugin]) -> Registry:
        """This registry with other plugins, which take the place of those of the same name."""
        return Registry({**self._plugins, **{plugin.spec.name: plugin for plugin in plugins}}.values())

    @property
    def points(self) -> PointsByPlugin:
        """The extension points of every plugin, in whatever version."""
        return MappingProxyType({name: plugin.spec.points for name, plugin in self._plugins.items()})

    @property
    def args_types(self) -> Mapping[str, type[PluginArgs]]:
        """The type of the arguments of every plugin that takes some."""
        specs = (plugin.spec for plugin in self._plugins.values())
        return MappingProxyType({spec.name: spec.args for spec in specs if spec.args is not None})

    def score_title(self, name: str) -> str:
        """What stands over the column of a plugin's scores: its name, where it says nothing shorter."""
        plugin = self._plugins.get(name)
        return (plugin.spec.score_title if plugin is not None else "") or name
