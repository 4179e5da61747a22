"""The configuration as the scheduler uses it: every list expanded, every default applied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from msgspec import Struct

from kschedctl.framework.configuration.args import PluginArgs
from kschedctl.framework.configuration.types import ClientConnection, Extender, LeaderElection
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.registry import Registry
from kschedctl.framework.versions import FeatureGates, Version

A = TypeVar("A", bound=PluginArgs)


class Profile(Struct, frozen=True):
    """One scheduler of a configuration."""

    scheduler_name: str
    percentage_of_nodes_to_score: int | None
    """Replaces the value of the configuration where it is given, even by 0 (adaptive)."""
    points: Mapping[ExtensionPoint, tuple[str, ...]]
    """The ordered plugins of every extension point."""
    score_weights: Mapping[str, int]
    """Weight of every enabled plugin that implements Score, also of those that are disabled there."""
    placement_weights: Mapping[str, int]
    """The same for PlacementScore."""
    plugin_args: Mapping[str, PluginArgs]
    """Arguments of the plugins that have a type for them, in the order of `pluginConfig`."""
    other_args: Mapping[str, object]
    """Arguments given for any other name; they pass untouched and nothing reads them."""

    def plugins(self, point: ExtensionPoint) -> tuple[str, ...]:
        """The names of the plugins of an extension point, in order."""
        return self.points[point]

    def points_of(self, name: str) -> frozenset[ExtensionPoint]:
        """The extension points at which a plugin is run."""
        return frozenset(point for point, names in self.points.items() if name in names)

    def weight(self, name: str) -> int:
        """The weight of a Score plugin.

        Raises:
            KeyError: the plugin is not enabled, or has no Score.
        """
        return self.score_weights[name]

    def args(self, name: str) -> PluginArgs | None:
        """The typed arguments of a plugin; None where it takes none, or is neither enabled nor configured."""
        return self.plugin_args.get(name)

    def args_of(self, kind: type[A]) -> A:
        """The arguments of the plugin that takes this kind of them.

        Raises:
            KeyError: the plugin is neither enabled nor configured.
        """
        for args in self.plugin_args.values():
            if isinstance(args, kind):
                return args
        raise KeyError(kind.__name__)


class SchedulerConfiguration(Struct, frozen=True):
    """A whole configuration, valid for one version and its gates."""

    version: Version
    gates: FeatureGates
    registry: Registry
    """The plugins that profiles may name."""
    profiles: tuple[Profile, ...]
    parallelism: int
    percentage_of_nodes_to_score: int
    """0 stands for the adaptive percentage."""
    pod_initial_backoff_seconds: int
    pod_max_backoff_seconds: int
    extenders: tuple[Extender, ...]
    """In the order in which they are called: those that are ignorable come last."""
    delay_cache_until_active: bool
    enable_profiling: bool
    enable_contention_profiling: bool
    leader_election: LeaderElection
    client_connection: ClientConnection
    ignored_plugins: tuple[str, ...] = ()
    """Plugins that profiles name and nobody knows, left out since somebody asked for it."""
    origin: str | None = None
    """The file it comes from, None for the defaults."""
