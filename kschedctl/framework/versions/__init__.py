"""What differs between releases of kube-scheduler, a file a version; nothing else compares versions (spec 06).

A version is a value: its gates, its default plugins, and named facts that plugins, volumes, devices and reports
read. Adding one is adding a file `v1_NN.py` here, which says how it follows from the one before.
"""

from .default_plugin import DefaultPlugin
from .facts import Facts, GroupCycle, ImageVolumes
from .feature_gates import FeatureGates, feature_gates, parse_feature_gates
from .gates import Gate, Stage
from .known import DEFAULT, NEWEST, OLDEST, SUPPORTED, is_version, parse_version, version_of
from .version import Version

__all__ = [
    "DEFAULT",
    "NEWEST",
    "OLDEST",
    "SUPPORTED",
    "DefaultPlugin",
    "Facts",
    "FeatureGates",
    "Gate",
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
