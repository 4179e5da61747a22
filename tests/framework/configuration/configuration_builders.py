"""Configurations in few words: only what a case is about, the rest is filled in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kschedctl.errors import ConfigurationError
from kschedctl.framework.configuration import SchedulerConfiguration, load_configuration
from kschedctl.framework.versions import feature_gates, version_of
from kschedctl.plugins.registry import IN_TREE

Data = dict[str, Any]


def configuration(*profiles: Data, **top: Any) -> Data:
    """A whole configuration file."""
    head = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    return head | ({"profiles": list(profiles)} if profiles else {}) | top


def plugin_set(*enabled: str, off: str = "") -> Data:
    """A plugin set from words: `Name` or `Name=weight` each; `off` names the disabled ones."""
    return {
        "enabled": [_plugin(word) for word in enabled],
        "disabled": [{"name": name} for name in off.split()],
    }


def plugins(**points: Data) -> Data:
    """A profile with these plugin sets."""
    return {"plugins": points}


def with_args(name: str, **args: Any) -> Data:
    """A profile with these arguments of one plugin."""
    return {"pluginConfig": [{"name": name, "args": args}]}


def load(
    data: Data | None, version: str = "1.36", gates: Mapping[str, bool] | None = None
) -> SchedulerConfiguration:
    """The loaded configuration."""
    parsed = version_of(version)
    return load_configuration(data, parsed, feature_gates(parsed, gates or {}), IN_TREE)


def refusal(data: Data, version: str = "1.36", gates: Mapping[str, bool] | None = None) -> str:
    """The message with which a configuration is refused; "" where it is accepted."""
    try:
        load(data, version, gates)
    except ConfigurationError as error:
        return error.message
    return ""


def _plugin(word: str) -> Data:
    name, equals, weight = word.partition("=")
    return {"name": name, "weight": int(weight)} if equals else {"name": name}
