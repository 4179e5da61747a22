"""What differs between releases of kube-scheduler, a file a version; nothing else compares versions (spec 06).

A version is a value: its gates, its default plugins, and named facts that plugins, volumes, devices and reports
read. Adding one is adding a file `v1_NN.py` here, which says how it follows from the one before.
"""

from kschedctl.framework.versions.default_plugin import DefaultPlugin
from kschedctl.framework.versions.facts import Facts, GroupCycle, ImageVolumes
from kschedctl.framework.versions.feature_gates import FeatureGates, feature_gates, parse_feature_gates
from kschedctl.framework.versions.gates import FeatureGate, Stage
from kschedctl.framework.versions.known import (
    DEFAULT,
    NEWEST,
    OLDEST,
    SUPPORTED,
    is_version,
    parse_version,
    version_of,
)
from kschedctl.framework.versions.version import Version

__all__ = [
    "DEFAULT",
    "NEWEST",
    "OLDEST",
    "SUPPORTED",
    "DefaultPlugin",
    "Facts",
    "FeatureGate",
    "FeatureGates",
    "GroupCycle",
    "ImageVolumes",
    "Stage",
    "Version",
    "feature_gates",
    "is_version",
    "parse_feature_gates",
    "parse_version",
    "version_of",
]
