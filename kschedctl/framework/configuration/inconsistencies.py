"""Profiles that kube-scheduler accepts and that then fail pods: half of a plugin is missing (spec 01 §1.4)."""

from __future__ import annotations

from kschedctl.framework.configuration.profile import Profile
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.registry import Registry


def inconsistencies(profile: Profile, registry: Registry) -> tuple[str, ...]:
    """One sentence for each plugin that runs without the step that prepares it, in the order of the profile.

    kube-scheduler starts with such a profile, since enabling one extension point does not enable another,
    but a pod that reaches the plugin fails with an error.
    """
    specs = [plugin.spec for plugin in registry.values()]
    halves = (
        (
            ExtensionPoint.FILTER,
            ExtensionPoint.PRE_FILTER,
            {spec.name for spec in specs if spec.filter_state_missing is not None},
        ),
        (
            ExtensionPoint.SCORE,
            ExtensionPoint.PRE_SCORE,
            {spec.name for spec in specs if spec.score_state_missing is not None},
        ),
    )
    return tuple(
        f"{name} is enabled at {point} but not at {before}: a pod that reaches it fails with an error"
        for point, before, needing in halves
        for name in profile.plugins(point)
        if name in needing and name not in profile.plugins(before)
    )
