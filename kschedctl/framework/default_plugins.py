"""The extension points, and which of them each in-tree plugin has (spec 01 §2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final


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
    POD_GROUP_POST_FILTER = "podGroupPostFilter"

    @property
    def plugin_type(self) -> str:
        """The name of the plugin interface in kube-scheduler's messages: `PreFilterPlugin`."""
        return f"{self.value[0].upper()}{self.value[1:]}Plugin"


Points = frozenset[ExtensionPoint]
Registry = Mapping[str, Points]
"""The plugins that exist, with the extension points that each implements."""


@dataclass(frozen=True, slots=True)
class DefaultPlugin:
    """An entry of the default `multiPoint` list of a version.

    Attributes:
        name: the plugin.
        weight: 0 means that none is given.
        gate: the feature gate that puts it into the list, empty: it is always there.
    """

    name: str
    weight: int = 0
    gate: str = ""


_P = ExtensionPoint

POINTS: Final[Registry] = MappingProxyType(
    {
        "SchedulingGates": frozenset({_P.PRE_ENQUEUE}),
        "PrioritySort": frozenset({_P.QUEUE_SORT}),
        "NodeUnschedulable": frozenset({_P.PRE_FILTER, _P.FILTER}),
        "NodeName": frozenset({_P.PRE_FILTER, _P.FILTER}),
        "TaintToleration": frozenset({_P.PRE_FILTER, _P.FILTER, _P.PRE_SCORE, _P.SCORE}),
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
            {
                _P.PRE_ENQUEUE,
                _P.PRE_FILTER,
                _P.FILTER,
                _P.POST_FILTER,
                _P.SCORE,
                _P.RESERVE,
                _P.PRE_BIND,
                _P.POD_GROUP_POST_FILTER,
            }
        ),
        "DefaultPreemption": frozenset({_P.PRE_ENQUEUE, _P.POST_FILTER, _P.POD_GROUP_POST_FILTER}),
        "DeferredPodScheduling": frozenset({_P.PRE_FILTER, _P.FILTER, _P.PERMIT}),
        "NodeResourcesBalancedAllocation": frozenset({_P.PRE_SCORE, _P.SCORE}),
        "ImageLocality": frozenset({_P.SCORE}),
        "DefaultBinder": frozenset({_P.BIND}),
        "NodeDeclaredFeatures": frozenset({_P.PRE_FILTER, _P.FILTER}),
        "GangScheduling": frozenset({_P.PRE_ENQUEUE, _P.RESERVE, _P.PERMIT}),
        "TopologyPlacementGenerator": frozenset({_P.PLACEMENT_GENERATE}),
        "PodGroupPodsCount": frozenset({_P.PLACEMENT_SCORE}),
    }
)
"""Every in-tree plugin with the extension points that it has in some version; versions say what they lack."""
