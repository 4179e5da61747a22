"""What the gates of a version are set to, and the refusals of kube-scheduler (spec 06 §1.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from kschedctl.errors import UsageError
from kschedctl.framework.versions.facts import GroupCycle
from kschedctl.framework.versions.known import SUPPORTED
from kschedctl.framework.versions.version import Version

_OF_ANY_VERSION: Final = frozenset[str]().union(*(version.gates for version in SUPPORTED))


class FeatureGates(Mapping[str, bool]):
    """What every gate of one version is set to; hashable, equal for equal settings.

    `gates[name]` fails for a gate that the version does not know; `enabled(name)` says False for it.
    """

    __slots__ = ("on", "version")

    def __init__(self, version: Version, on: frozenset[str]) -> None:
        self.version = version
        self.on = on

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FeatureGates) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[Version, frozenset[str]]:
        return self.version, self.on

    def __getitem__(self, name: str) -> bool:
        if name not in self.version.gates:
            raise KeyError(name)
        return name in self.on

    def __iter__(self) -> Iterator[str]:
        return iter(self.version.gates)

    def __len__(self) -> int:
        return len(self.version.gates)

    def enabled(self, name: str) -> bool:
        """Whether a gate is on; a gate that only another version knows is off.

        Raises:
            KeyError: no version knows the gate.
        """
        if name not in _OF_ANY_VERSION and name not in self.version.gates:
            raise KeyError(name)
        return name in self.on

    @property
    def group_cycle(self) -> GroupCycle:
        """How groups of pods are scheduled: as the version does it, where the gate for groups is on."""
        return self.version.facts.group_cycle if self.enabled("GenericWorkload") else GroupCycle.NONE

    @property
    def changed(self) -> dict[str, bool]:
        """The gates that differ from the defaults of the version."""
        return {name: self[name] for name, gate in self.version.gates.items() if self[name] != gate.default}


def feature_gates(version: Version, overrides: Mapping[str, bool] = MappingProxyType({})) -> FeatureGates:
    """The gates of a version: its defaults, changed by `overrides`.

    Raises:
        UsageError: the version does not know a gate, a gate is locked, or one that is on needs another one
            that is off; what kube-scheduler says of it is part of the message.
    """
    for name, value in overrides.items():
        _check_change(version, name, value)
    on = frozenset(name for name, gate in version.gates.items() if overrides.get(name, gate.default))
    if problems := list(_unmet_needs(version, on)):
        text = problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"
        raise UsageError(text, hint="kube-scheduler would refuse to start with these feature gates.")
    return FeatureGates(version, on)


def parse_feature_gates(text: str) -> dict[str, bool]:
    """The changes written as `A=true,B=false`, the form of kube-scheduler's own flag; the last one counts.

    Raises:
        UsageError: an entry is not of the form `Name=true` or `Name=false`.
    """
    changes = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (part.strip() for part in entry.partition("="))
        if not name or not equals or value.lower() not in ("true", "false"):
            raise UsageError(
                f"feature gate {entry!r} is not of the form Name=true or Name=false",
                hint="Write several gates with commas between them: A=true,B=false.",
            )
        changes[name] = value.lower() == "true"
    return changes


def _unmet_needs(version: Version, on: frozenset[str]) -> Iterator[str]:
    """What kube-scheduler says of gates that are on without those that they need, in order of name."""
    for name in sorted(on):
        off = [needed for needed in version.gates[name].needs if needed not in on]
        if off:
            yield f"{name} is enabled, but depends on features that are disabled: [{' '.join(off)}]"


def _check_change(version: Version, name: str, value: bool) -> None:
    gate = version.gates.get(name)
    if gate is None:
        raise UsageError(_unknown(version, name), hint=_similar(version.gates, name))
    if gate.locked and value != gate.default:
        state = "on" if gate.default else "off"
        raise UsageError(f"feature gate {name} is locked: it is always {state} in kube-scheduler {version}")


def _unknown(version: Version, name: str) -> str:
    if name in _OF_ANY_VERSION:
        return f"feature gate {name} does not exist in kube-scheduler {version}"
    return f"feature gate {name!r} is unknown, or none that a scheduling decision depends on"


def _similar(known: Iterable[str], name: str) -> str:
    """The gate that was probably meant, else all of them."""
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1, cutoff=0.8)
    return f"Did you mean {close[0]}?" if close else f"The known ones are {_listing(known)}."


def _listing(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
