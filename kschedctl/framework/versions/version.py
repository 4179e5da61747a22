"""A version of kube-scheduler as a value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from kschedctl.framework.extension_points import ExtensionPoint, Points, PointsByPlugin
from kschedctl.framework.versions.default_plugin import DefaultPlugin
from kschedctl.framework.versions.facts import Facts
from kschedctl.framework.versions.gates import FeatureGate


class PatchRelease(Struct, frozen=True):
    """What the first patch releases of a minor version did otherwise.

    Attributes:
        until: the last patch release that this holds for.
        facts: the facts that differed, by name.
        gates: the gates that differed.
    """

    until: int
    facts: Mapping[str, Any] = field(default_factory=dict)
    gates: Mapping[str, FeatureGate] = field(default_factory=dict)


class Version(Struct, frozen=True, eq=False):
    """A version of kube-scheduler; equal where minor and patch are.

    Attributes:
        minor: such as `1.36`.
        gates: the feature gates that it knows.
        plugins: the default `multiPoint` list in order.
        lacking: extension points that a plugin has in other versions and not in this one; `None`: the plugin
            does not exist.
        facts: its rules.
        patches: what its first patch releases did otherwise.
        patch: the patch release, None for the newest.
        asked: the version that was asked for, where that one is not known and this one stands in for it.
        emulated: the minor version whose gates it has, where they are not its own.
    """

    minor: str
    gates: Mapping[str, FeatureGate]
    plugins: tuple[DefaultPlugin, ...]
    lacking: Mapping[str, Points | None]
    facts: Facts
    patches: tuple[PatchRelease, ...] = ()
    patch: int | None = None
    asked: str = ""
    emulated: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __str__(self) -> str:
        own = self.minor if self.patch is None else f"{self.minor}.{self.patch}"
        return f"{own} emulating {self.emulated}" if self.emulated else own

    @property
    def _key(self) -> tuple[str, int | None, str, str]:
        return self.minor, self.patch, self.asked, self.emulated

    def answers_for(self, running: Version) -> bool:
        """Whether this is what a cluster is asked about: its version up to patches, or what stands in for it."""
        if running.asked:
            return running.asked == self.asked
        return (running.minor, running.emulated) == (self.minor, self.emulated)

    def emulating(self, older: Version) -> Version:
        """This version with `--emulated-version`: its own code, and the gates of an older one (spec 06 §1.1).

        A gate exists where both know it; which others it needs is a matter of the code.
        """
        gates = {
            name: gate.needing(*self.gates[name].needs)
            for name, gate in older.gates.items()
            if name in self.gates
        }
        return replace(self, gates=gates, emulated=older.minor)

    def at_patch(self, patch: int | None) -> Version:
        """This version in one of its patch releases."""
        found = self
        for older in self.patches if patch is not None else ():
            if patch is not None and patch <= older.until:
                found = replace(
                    found, gates={**found.gates, **older.gates}, facts=replace(found.facts, **older.facts)
                )
        return replace(found, patch=patch)

    def successor(
        self,
        minor: str,
        *,
        gates: Mapping[str, FeatureGate] | None = None,
        without_gates: Iterable[str] = (),
        plugins: Callable[[tuple[DefaultPlugin, ...]], tuple[DefaultPlugin, ...]] = lambda before: before,
        lacking: Mapping[str, Points | None] | None = None,
        patches: tuple[PatchRelease, ...] = (),
        **facts: Any,
    ) -> Version:
        """The version after this one, told by what is not the same.

        Args:
            minor: its name.
            gates: gates that are new or changed; None: as before.
            without_gates: gates that are gone.
            plugins: makes its default list of the one before.
            lacking: as in the class; None: as before.
            patches: what its first patch releases did otherwise.
            facts: the facts that changed, by name.
        """
        gone = frozenset(without_gates)
        return Version(
            minor=minor,
            gates={name: gate for name, gate in {**self.gates, **(gates or {})}.items() if name not in gone},
            plugins=plugins(self.plugins),
            lacking=self.lacking if lacking is None else lacking,
            facts=replace(self.facts, **facts),
            patches=patches,
        )

    def default_plugins(self, enabled: Callable[[str], bool]) -> tuple[DefaultPlugin, ...]:
        """The default `multiPoint` list, those plugins left out whose gate is off.

        Args:
            enabled: whether a gate is on.
        """
        return tuple(plugin for plugin in self.plugins if not plugin.gate or enabled(plugin.gate))

    def points(self, plugins: PointsByPlugin) -> PointsByPlugin:
        """Those of some plugins that exist in this version, with the extension points they have there."""
        found: dict[str, Points] = {}
        for name, points in plugins.items():
            lacking = self.lacking.get(name, frozenset[ExtensionPoint]())
            if lacking is not None:
                found[name] = points - lacking
        return found
