"""Old configurations in few words, and what they become."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kschedctl.framework.configuration import Profile, SchedulerConfiguration, load_configuration
from kschedctl.framework.configuration.legacy import Translation, translate
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.versions import feature_gates, version_of
from kschedctl.plugins.registry import IN_TREE

Data = dict[str, Any]
VERSION = version_of("1.36")
GATES = feature_gates(VERSION, {})


def policy(**fields: Any) -> Data:
    """A Policy; without predicates and priorities it has the defaults of old."""
    return {"kind": "Policy", "apiVersion": "v1", **fields}


def beta(version: str, *profiles: Data, **top: Any) -> Data:
    """A configuration of a beta version."""
    head = {"apiVersion": f"kubescheduler.config.k8s.io/{version}", "kind": "KubeSchedulerConfiguration"}
    return head | ({"profiles": list(profiles)} if profiles else {}) | top


def named(*names: str, **arguments: Data) -> list[Data]:
    """Predicates by name, and some of one's own with their argument."""
    return [{"name": name} for name in names] + [
        {"name": name, "argument": argument} for name, argument in arguments.items()
    ]


def weighing(**weights: int) -> list[Data]:
    """Priorities with their weights."""
    return [{"name": name, "weight": weight} for name, weight in weights.items()]


def translated(data: Mapping[str, Any]) -> Translation:
    """What a configuration becomes."""
    return translate(data, VERSION, GATES, IN_TREE)


def loaded(data: Mapping[str, Any]) -> SchedulerConfiguration:
    """The scheduler of today that a configuration becomes."""
    return load_configuration(translated(data).configuration, VERSION, GATES, IN_TREE)


def profile_of(data: Mapping[str, Any]) -> Profile:
    """Its only profile."""
    (profile,) = loaded(data).profiles
    return profile


def filters(data: Mapping[str, Any]) -> set[str]:
    """The plugins that filter."""
    return set(profile_of(data).plugins(ExtensionPoint.FILTER))


def scores(data: Mapping[str, Any]) -> dict[str, int]:
    """The plugins that score, with their weights."""
    profile = profile_of(data)
    return {name: profile.weight(name) for name in profile.plugins(ExtensionPoint.SCORE)}
