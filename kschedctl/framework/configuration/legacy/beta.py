"""KubeSchedulerConfiguration v1beta1 to v1beta3 as v1: what was renamed, what weighs otherwise, what is gone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kschedctl.errors import ConfigurationError
from kschedctl.framework.configuration.base import API_VERSION, GROUP
from kschedctl.framework.configuration.legacy.translation import (
    COUNTED_BY_DRIVER,
    REMOVED,
    Data,
    Remarks,
    Translation,
    label_affinity,
)
from kschedctl.framework.configuration.merge import EVERYTHING

VERSIONS: Final = ("v1beta1", "v1beta2", "v1beta3")

_FIT: Final = "NodeResourcesFit"
_STRATEGIES: Final[Mapping[str, str]] = {
    "NodeResourcesLeastAllocated": "LeastAllocated",
    "NodeResourcesMostAllocated": "MostAllocated",
    "RequestedToCapacityRatio": "RequestedToCapacityRatio",
}
"""Scoring plugins of v1beta1 -> the strategy of NodeResourcesFit since."""
_OLD_WEIGHTS: Final[Mapping[str, int]] = {"InterPodAffinity": 1, "NodeAffinity": 1, "TaintToleration": 1}
"""Default weights until v1beta2, of plugins that weigh more since."""
_ADDRESSES: Final = ("healthzBindAddress", "metricsBindAddress")
_LOCKS: Final = ("endpoints", "configmaps", "endpointsleases", "configmapsleases")


def translate_beta(data: Mapping[str, Any]) -> Translation:
    """Turn a configuration into one of v1.

    Raises:
        ConfigurationError: a part that is to be changed is not of its type.
    """
    remarks = Remarks.none()
    version = str(data["apiVersion"]).removeprefix(f"{GROUP}/")
    found: Data = {**data, "apiVersion": API_VERSION}
    for field in _ADDRESSES:
        if found.pop(field, None):
            remarks.notes.append(
                f"{field} is gone: the flags --bind-address and --secure-port say where to listen"
            )
    election = _mapping(found.get("leaderElection"), "leaderElection")
    if election.get("resourceLock") in _LOCKS:
        remarks.notes.append(f"leaderElection.resourceLock: leases in place of {election['resourceLock']}")
        found["leaderElection"] = {**election, "resourceLock": "leases"}
    written = _list(found.get("profiles"), "profiles") or [{}]
    profiles = [
        _Profile(_mapping(profile, f"profiles[{i}]"), version, f"profiles[{i}]", remarks).translated()
        for i, profile in enumerate(written)
    ]
    if any(profiles):
        found["profiles"] = profiles
    return Translation(found, tuple(remarks.lost), tuple(remarks.notes))


class _Profile:
    """A profile on its way."""

    def __init__(self, written: Data, version: str, where: str, remarks: Remarks) -> None:
        self._written = written
        self._version = version
        self._where = where
        self._remarks = remarks
        plugins = _mapping(written.get("plugins"), f"{where}.plugins")
        self._sets = {
            point: {
                change: [
                    _mapping(entry, f"{where}.plugins.{point}.{change}") for entry in _list(entries, where)
                ]
                for change, entries in _mapping(found, f"{where}.plugins.{point}").items()
            }
            for point, found in plugins.items()
        }
        self._args = {
            str(entry.get("name")): _mapping(entry.get("args"), f"{where}.pluginConfig")
            for entry in (
                _mapping(one, f"{where}.pluginConfig")
                for one in _list(written.get("pluginConfig"), f"{where}.pluginConfig")
            )
        }

    def translated(self) -> Data:
        """The profile in terms of v1."""
        self._move_labels()
        self._join_strategies()
        for point, changes in self._sets.items():
            for change, entries in changes.items():
                changes[change] = [e for e in entries if not self._is_gone(point, change, str(e.get("name")))]
        for name in REMOVED.keys() & self._args.keys():
            del self._args[name]
        spread = self._args.get("PodTopologySpread", {})
        if spread.get("defaultConstraints") and not spread.get("defaultingType"):
            self._args["PodTopologySpread"] = {**spread, "defaultingType": "List"}
        if self._version != VERSIONS[-1]:
            self._keep_weights()
        found = {key: value for key, value in self._written.items() if key not in ("plugins", "pluginConfig")}
        sets = {point: {c: e for c, e in changes.items() if e} for point, changes in self._sets.items()}
        if sets := {point: changes for point, changes in sets.items() if changes}:
            found["plugins"] = sets
        if self._args:
            found["pluginConfig"] = [{"name": n, "args": _untyped(args)} for n, args in self._args.items()]
        return found

    def _is_gone(self, point: str, change: str, name: str) -> bool:
        if name not in REMOVED:
            return False
        if change == "enabled" and name != "NodeLabel":
            text = f"{self._where}.plugins.{point}: {name} is gone: {REMOVED[name]}"
            (self._remarks.notes if name in COUNTED_BY_DRIVER else self._remarks.lost).append(text)
        return True

    def _names(self, point: str, change: str) -> list[str]:
        return [str(entry.get("name")) for entry in self._sets.get(point, {}).get(change, ())]

    def _move_labels(self) -> None:
        """Let NodeAffinity filter by labels of nodes, in the place of NodeLabel; it scores by none."""
        args = self._args.get("NodeLabel", {})
        if "NodeLabel" in self._names("score", "enabled"):
            self._remarks.lost.append(
                f"{self._where}.plugins.score: NodeLabel is gone: {REMOVED['NodeLabel']}"
            )
        if "NodeLabel" not in self._names("filter", "enabled"):
            return
        off = self._names("filter", "disabled")
        filters = "NodeAffinity" in self._names("filter", "enabled") or not {"NodeAffinity", EVERYTHING} & {
            *off
        }
        if not filters or "addedAffinity" in self._args.get("NodeAffinity", {}):
            self._remarks.lost.append(
                f"{self._where}.plugins.filter: NodeLabel is gone: {REMOVED['NodeLabel']}"
            )
            return
        affinity = label_affinity(list(args.get("presentLabels") or ()), list(args.get("absentLabels") or ()))
        self._args["NodeAffinity"] = {**self._args.get("NodeAffinity", {}), "addedAffinity": affinity}
        self._remarks.notes.append(
            f"{self._where}: the labels of NodeLabel are the addedAffinity of NodeAffinity"
        )

    def _join_strategies(self) -> None:
        """Let NodeResourcesFit score as the one of three plugins did that is in force."""
        score = self._sets.get("score", {})
        on = [name for name in self._names("score", "enabled") if name in _STRATEGIES]
        off = [name for name in self._names("score", "disabled") if name in _STRATEGIES]
        by_default = "NodeResourcesLeastAllocated"
        if self._version == VERSIONS[0] and not {by_default, EVERYTHING} & {
            *self._names("score", "disabled")
        }:
            on = [by_default, *(name for name in on if name != by_default)]
        taken = on[0] if on else None
        for name in on[1:]:
            self._remarks.lost.append(
                f"{self._where}.plugins.score: {name}: {_FIT} scores by one strategy in a profile, that of {taken}"
            )
        for change in ("enabled", "disabled"):
            kept = [
                e for e in score.get(change, ()) if e.get("name") not in _STRATEGIES or e.get("name") == taken
            ]
            kept = [{**e, "name": _FIT} if e.get("name") == taken else e for e in kept]
            if change in score:
                score[change] = kept
        if taken is None and off:
            score.setdefault("disabled", []).append({"name": _FIT})
        self._give_strategy(taken)

    def _give_strategy(self, taken: str | None) -> None:
        args = {name: self._args.pop(name) for name in _STRATEGIES if name in self._args}
        if taken is None or (_STRATEGIES[taken] == "LeastAllocated" and taken not in args):
            return
        own = args.get(taken, {})
        scoring: Data = {"type": _STRATEGIES[taken]}
        if own.get("resources"):
            scoring["resources"] = own["resources"]
        if "shape" in own:
            scoring["requestedToCapacityRatio"] = {"shape": own["shape"]}
        self._args[_FIT] = {**self._args.get(_FIT, {}), "scoringStrategy": scoring}
        self._remarks.notes.append(f"{self._where}: {taken} is the strategy {scoring['type']} of {_FIT}")

    def _keep_weights(self) -> None:
        """Write out the weights that were the default, where the plugins are in force by default."""
        disabled, enabled = self._names("score", "disabled"), self._names("score", "enabled")
        old = [
            {"name": name, "weight": weight}
            for name, weight in _OLD_WEIGHTS.items()
            if not {name, EVERYTHING} & {*disabled} and name not in enabled
        ]
        if old:
            score = self._sets.setdefault("score", {})
            score["enabled"] = [*score.get("enabled", ()), *old]
            names = ", ".join(str(entry["name"]) for entry in old)
            self._remarks.notes.append(f"{self._where}: {names} weigh 1, the default of {self._version}")


def _untyped(args: Data) -> Data:
    """Arguments without their version, which is that of the file."""
    return {key: value for key, value in args.items() if key not in ("apiVersion", "kind")}


def _mapping(value: Any, where: str) -> Data:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ConfigurationError(f"{where}: expected a mapping")
    return dict(value)


def _list(value: Any, where: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, (list, tuple)):
        raise ConfigurationError(f"{where}: expected a list")
    return list(value)
