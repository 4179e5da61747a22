"""Which older configurations there are, and what each becomes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kschedctl.errors import ConfigurationError
from kschedctl.framework.configuration.base import API_VERSION, GROUP, KIND
from kschedctl.framework.configuration.legacy.beta import VERSIONS, translate_beta
from kschedctl.framework.configuration.legacy.policy import translate_policy
from kschedctl.framework.configuration.legacy.translation import Translation
from kschedctl.framework.registry import Registry
from kschedctl.framework.versions import FeatureGates, Version

_BETA: Final = tuple(f"{GROUP}/{version}" for version in VERSIONS)
_POLICY: Final = "Policy"
_POLICY_GROUPS: Final = ("v1", f"{GROUP}/v1")
_POLICY_KEY: Final = "policy.cfg"
"""The key under which kube-scheduler found a Policy in a ConfigMap."""


def is_legacy(data: Mapping[str, Any]) -> bool:
    """Whether this is a configuration that `translate` takes, or a ConfigMap with one."""
    return _is_policy(data) or _is_beta(data) or policy_text(data) is not None


def policy_text(data: Mapping[str, Any]) -> str | None:
    """The text of the Policy in a ConfigMap; None where this is no such thing."""
    held = data.get("data")
    if data.get("kind") != "ConfigMap" or not isinstance(held, Mapping):
        return None
    text = held.get(_POLICY_KEY)
    return text if isinstance(text, str) else None


def translate(
    data: Mapping[str, Any], version: Version, gates: FeatureGates, registry: Registry
) -> Translation:
    """Turn a configuration of an older kube-scheduler into one of today.

    Args:
        data: a Policy, or a KubeSchedulerConfiguration v1beta1 to v1beta3.
        version: the version of kube-scheduler that it is for.
        gates: its feature gates.
        registry: the plugins that there are.

    Raises:
        ConfigurationError: it is neither, or cannot be read.
    """
    if _is_policy(data):
        return translate_policy(data, version.default_plugins(gates.enabled), version.points(registry.points))
    if _is_beta(data):
        return translate_beta(data)
    kind, api_version = data.get("kind"), data.get("apiVersion")
    if (kind, api_version) == (KIND, API_VERSION):
        raise ConfigurationError(f"this is {KIND} {API_VERSION} already")
    raise ConfigurationError(
        f"there is no way from kind {kind} of {api_version} to {API_VERSION}",
        hint=f"Known are Policy (v1), a ConfigMap that holds one as {_POLICY_KEY}, and {KIND} {', '.join(VERSIONS)}.",
    )


def _is_policy(data: Mapping[str, Any]) -> bool:
    return data.get("kind") == _POLICY and data.get("apiVersion") in _POLICY_GROUPS


def _is_beta(data: Mapping[str, Any]) -> bool:
    return data.get("kind") == KIND and data.get("apiVersion") in _BETA
