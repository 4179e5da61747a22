"""Configurations of older kube-schedulers, turned into one of today: the Policy API, and v1beta1 to v1beta3."""

from kschedctl.framework.configuration.legacy.translate import is_legacy, policy_text, translate
from kschedctl.framework.configuration.legacy.translation import Translation

__all__ = ["Translation", "is_legacy", "policy_text", "translate"]
