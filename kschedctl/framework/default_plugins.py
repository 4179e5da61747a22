"""The in-tree plugins: which extension points each has, and which run by default (spec 01 §2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from .versions import NEWEST, FeatureGates, Version


class ExtensionPoint(StrEnum):
    """A step of the scheduler that plugins take part in; the value is its key in a configuration."""

    PRE_ENQUEUE = "preEnqueue"
    QUEUE_SORT = "queueSort"
    PRE_FILTER = "preFilter"
    FILTER = "filter"
    POST_FILTER = "postFilter"
    PRE_SCORE = "preScore"
    SCORE = "score"
    RESERVE = "reserve"
    PERMIT = "permit"
    PRE_BIND = "preBind"
    BIND = "bind"
    POST_BIND = "postBind"
    PLACEMENT_GENERATE = "placementGenerate"
    PLACEMENT_SCORE = "placementScore"

    @property
    def plugin_type(self) -> str:
        """The name of the plugin interface in kube-scheduler's messages: `PreFilterPlugin`."""
        return f"{self.value[0].upper()}{self.value[1:]}Plugin"


Points = frozenset[ExtensionPoint]
Registry = Mapping[str, Points]
"""The plugins that exist, with the extension points that each implements."""


@dataclass(frozen=True, slots=True)
class DefaultPlugin:
    """An entry of the default `multiPoint` list; weight 0 means that none is given."""

    name: str
    weight: int = 0


_P = ExtensionPoint

POINTS: Final[Registry] = MappingProxyType(
    {
        "SchedulingGates": frozenset({_P.PRE_ENQUEUE}),
        "PrioritySort": frozenset({_P.QUEUE_SORT}),
        "NodeUnschedulable": frozenset({_P.FILTER}),
        "NodeName": frozenset({_P.FILTER}),
        "TaintToleration": frozenset({_P.FILTER, _P.PRE_SCORE, _P.SCORE}),
        "NodeAffinity": frozenset({_P.PRE_FILTER, _P.FILTER, _P.PRE_SCORE, _P.SCORE}),
        "NodePorts": frozenset({_P.PRE_FILTER, _P.FILTER}),
        "NodeResourcesFit": frozenset({_P.PRE_FILTER, _P.FILTER, _P.PRE_SCORE, _P.SCORE, _P.PLACEMENT_SCORE}),
        "VolumeRestrictions": frozenset({_P.PRE_FILTER, _P.FILTER}),
        "NodeVolumeLimits": frozenset({_P.PRE_FILTER, _P.FILTER}),
        "VolumeBinding": frozenset(
            {_P.PRE_FILTER, _P.FILTER, _P.PRE_SCORE, _P.SCORE, _P.RESERVE, _P.PRE_BIND}
        ),
        "VolumeZone": frozenset({_P.PRE_FILTER, _P.FILTER}),
        "PodTopologySpread": frozenset({_P.PRE_FILTER, _P.FILTER, _P.PRE_SCORE, _P.SCORE}),
        "InterPodAffinity": frozenset({_P.PRE_FILTER, _P.FILTER, _P.PRE_SCORE, _P.SCORE}),
        "DynamicResources": frozenset(
            {_P.PRE_ENQUEUE, _P.PRE_FILTER, _P.FILTER, _P.POST_FILTER, _P.SCORE, _P.RESERVE, _P.PRE_BIND}
        ),
        "DefaultPreemption": frozenset({_P.PRE_ENQUEUE, _P.POST_FILTER}),
        "NodeResourcesBalancedAllocation": frozenset({_P.PRE_SCORE, _P.SCORE}),
        "ImageLocality": frozenset({_P.SCORE}),
        "DefaultBinder": frozenset({_P.BIND}),
        "NodeDeclaredFeatures": frozenset({_P.PRE_FILTER, _P.FILTER}),
        "GangScheduling": frozenset({_P.PRE_ENQUEUE, _P.PERMIT}),
        "TopologyPlacementGenerator": frozenset({_P.PLACEMENT_GENERATE}),
        "PodGroupPodsCount": frozenset({_P.PLACEMENT_SCORE}),
    }
)
"""Every in-tree plugin of the newest version, those behind gates too, with its extension points."""

_NOT_IN_1_34: Final = frozenset(
    {"NodeDeclaredFeatures", "GangScheduling", "TopologyPlacementGenerator", "PodGroupPodsCount"}
)
_PLACEMENT: Final = frozenset({_P.PLACEMENT_GENERATE, _P.PLACEMENT_SCORE})

_POINTS_1_34: Final[Registry] = MappingProxyType(
    {name: points - _PLACEMENT for name, points in POINTS.items() if name not in _NOT_IN_1_34}
    | {"DynamicResources": POINTS["DynamicResources"] - {_P.SCORE}}
)

_BEFORE_PREEMPTION: Final = (
    DefaultPlugin("SchedulingGates"),
    DefaultPlugin("PrioritySort"),
    DefaultPlugin("NodeUnschedulable"),
    DefaultPlugin("NodeName"),
    DefaultPlugin("TaintToleration", 3),
    DefaultPlugin("NodeAffinity", 2),
    DefaultPlugin("NodePorts"),
    DefaultPlugin("NodeResourcesFit", 1),
    DefaultPlugin("VolumeRestrictions"),
    DefaultPlugin("NodeVolumeLimits"),
    DefaultPlugin("VolumeBinding"),
    DefaultPlugin("VolumeZone"),
    DefaultPlugin("PodTopologySpread", 2),
    DefaultPlugin("InterPodAffinity", 2),
)
_FROM_PREEMPTION: Final = (
    DefaultPlugin("DefaultPreemption"),
    DefaultPlugin("NodeResourcesBalancedAllocation", 1),
    DefaultPlugin("ImageLocality", 1),
    DefaultPlugin("DefaultBinder"),
)
_BEHIND_GATES: Final = (
    ("NodeDeclaredFeatures", DefaultPlugin("NodeDeclaredFeatures")),
    ("GangScheduling", DefaultPlugin("GangScheduling")),
    ("TopologyAwareWorkloadScheduling", DefaultPlugin("TopologyPlacementGenerator")),
    ("TopologyAwareWorkloadScheduling", DefaultPlugin("PodGroupPodsCount", 1)),
)


def points_of(version: Version) -> Registry:
    """The in-tree plugins of a version with the extension points they have there."""
    return POINTS if version is NEWEST else _POINTS_1_34


def default_plugins(version: Version, gates: FeatureGates) -> tuple[DefaultPlugin, ...]:
    """The default `multiPoint` list of a version in order."""
    dynamic: tuple[DefaultPlugin, ...] = ()
    if gates.enabled("DynamicResourceAllocation"):
        # It has no Score in 1.34, so it is listed there without a weight.
        dynamic = (DefaultPlugin("DynamicResources", 2 if version is NEWEST else 0),)
    gated = tuple(plugin for gate, plugin in _BEHIND_GATES if gates.enabled(gate))
    return (*_BEFORE_PREEMPTION, *dynamic, *_FROM_PREEMPTION, *gated)
