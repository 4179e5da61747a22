"""The effective configuration as plain data, in the form of a configuration file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from kschedctl.framework.configuration.base import API_VERSION, KIND
from kschedctl.framework.configuration.duration import Duration
from kschedctl.framework.configuration.merge import EVERYTHING
from kschedctl.framework.configuration.profile import Profile, SchedulerConfiguration
from kschedctl.framework.extension_points import ExtensionPoint

_SECRET: Final = frozenset({"certData", "keyData", "caData"})
_REDACTED: Final = "(redacted)"


def effective(config: SchedulerConfiguration) -> dict[str, Any]:
    """The complete configuration: defaults applied, every extension point written out with its weights.

    `multiPoint` is spent, so it disables everything: read as a configuration again, the result is the same
    scheduler. Data of certificates and keys is not shown.
    """
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "parallelism": config.parallelism,
        "percentageOfNodesToScore": config.percentage_of_nodes_to_score,
        "podInitialBackoffSeconds": config.pod_initial_backoff_seconds,
        "podMaxBackoffSeconds": config.pod_max_backoff_seconds,
        "delayCacheUntilActive": config.delay_cache_until_active,
        "enableProfiling": config.enable_profiling,
        "enableContentionProfiling": config.enable_contention_profiling,
        "leaderElection": _plain(config.leader_election),
        "clientConnection": _plain(config.client_connection),
        "profiles": [_profile(profile) for profile in config.profiles],
        "extenders": [_plain(extender) for extender in config.extenders],
    }


def _profile(profile: Profile) -> dict[str, Any]:
    shown: dict[str, Any] = {"schedulerName": profile.scheduler_name}
    if profile.percentage_of_nodes_to_score is not None:
        shown["percentageOfNodesToScore"] = profile.percentage_of_nodes_to_score
    shown["plugins"] = {
        point.value: _point(profile, point) for point in ExtensionPoint if profile.plugins(point)
    }
    shown["plugins"]["multiPoint"] = {"disabled": [{"name": EVERYTHING}]}
    shown["pluginConfig"] = [
        {"name": name, "args": {"apiVersion": API_VERSION, "kind": f"{name}Args", **_plain(args)}}
        for name, args in profile.plugin_args.items()
    ] + [{"name": name, "args": args} for name, args in profile.other_args.items()]
    return shown


def _point(profile: Profile, point: ExtensionPoint) -> dict[str, Any]:
    weights: Mapping[str, int] = {}
    if point is ExtensionPoint.SCORE:
        weights = profile.score_weights
    elif point is ExtensionPoint.PLACEMENT_SCORE:
        weights = profile.placement_weights
    return {
        "enabled": [
            {"name": name, "weight": weights[name]} if name in weights else {"name": name}
            for name in profile.plugins(point)
        ]
    }


def _plain(value: msgspec.Struct) -> dict[str, Any]:
    """A typed part as plain data without what is absent."""
    plain: dict[str, Any] = _clean(msgspec.to_builtins(value, enc_hook=str))
    return plain


def _clean(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _clean(_hidden(k, v)) for k, v in value.items() if v is not None}
    if isinstance(value, (list, tuple)):
        return [_clean(item) for item in value]
    return str(value) if isinstance(value, Duration) else value


def _hidden(key: str, value: Any) -> Any:
    return _REDACTED if key in _SECRET and value else value
