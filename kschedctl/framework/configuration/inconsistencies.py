"""Profiles that kube-scheduler accepts and that then fail pods: half of a plugin is missing (spec 01 §1.4)."""

from __future__ import annotations

from typing import Final

from kschedctl.framework.default_plugins import ExtensionPoint

from .profile import Profile

_NEED_PRE_FILTER: Final = frozenset(
    {
        "DynamicResources",
        "InterPodAffinity",
        "NodeDeclaredFeatures",
        "NodePorts",
        "NodeResourcesFit",
        "PodTopologySpread",
        "VolumeBinding",
        "VolumeRestrictions",
    }
)
_NEED_PRE_SCORE: Final = frozenset({"InterPodAffinity", "PodTopologySpread", "TaintToleration"})

_HALVES: Final = (
    (ExtensionPoint.FILTER, ExtensionPoint.PRE_FILTER, _NEED_PRE_FILTER),
    (ExtensionPoint.SCORE, ExtensionPoint.PRE_SCORE, _NEED_PRE_SCORE),
)


def inconsistencies(profile: Profile) -> tuple[str, ...]:
    """One sentence for each plugin that runs without the step that prepares it, in the order of the profile.

    kube-scheduler starts with such a profile, since enabling one extension point does not enable another,
    but a pod that reaches the plugin fails with an error.
    """
    return tuple(
        f"{name} is enabled at {point} but not at {before}: a pod that reaches it fails with an error"
        for point, before, needing in _HALVES
        for name in profile.plugins(point)
        if name in needing and name not in profile.plugins(before)
    )
