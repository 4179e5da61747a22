"""A profile of today that filters and scores by given plugins; it says what differs from the defaults alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from kschedctl.framework.configuration.legacy.policy_names import FILTERS, SCORES
from kschedctl.framework.configuration.legacy.translation import Data
from kschedctl.framework.extension_points import ExtensionPoint, PointsByPlugin
from kschedctl.framework.versions import DefaultPlugin

FIT: Final = "NodeResourcesFit"
_FILTERING: Final = frozenset(name for names in FILTERS.values() for name in names)
_SCORING: Final = frozenset(SCORES.values()) | {FIT}
_FILTER_POINTS: Final = (ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER)
_SCORE_POINTS: Final = (ExtensionPoint.PRE_SCORE, ExtensionPoint.SCORE)


def profile(
    filters: Collection[str],
    scores: Mapping[str, int],
    args: Mapping[str, Data],
    defaults: Sequence[DefaultPlugin],
    points: PointsByPlugin,
) -> Data:
    """The profile as data.

    Args:
        filters: plugins that filter.
        scores: plugin that scores -> its weight.
        args: plugin -> its arguments.
        defaults: the default list; plugins of it that a Policy never had are left alone.
        points: plugin -> its extension points.
    """
    order = ("multiPoint", *(point.value for point in ExtensionPoint))
    sets: dict[str, dict[str, list[dict[str, Any]]]] = {point: {} for point in order}

    def add(point: str, change: str, entry: dict[str, Any]) -> None:
        sets[point].setdefault(change, []).append(entry)

    for plugin in defaults:
        name = plugin.name
        if name not in _FILTERING | _SCORING:
            continue
        if name not in filters and name not in scores:
            add("multiPoint", "disabled", {"name": name})
            continue
        if name in scores and scores[name] != (plugin.weight or 1):
            add("multiPoint", "enabled", {"name": name, "weight": scores[name]})
        off = _FILTER_POINTS * (name in _FILTERING - set(filters)) + _SCORE_POINTS * (
            name in _SCORING - scores.keys()
        )
        for point in off:
            if point in points.get(name, ()):
                add(point.value, "disabled", {"name": name})
    changed = {point: changes for point, changes in sets.items() if changes}
    found: Data = {"schedulerName": "default-scheduler", "plugins": changed}
    if args:
        found["pluginConfig"] = [{"name": name, "args": dict(args[name])} for name in sorted(args)]
    return found
