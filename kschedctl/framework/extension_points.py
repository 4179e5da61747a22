"""The extension points: the steps of the scheduler that plugins take part in (spec 01 §2)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


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
PointsByPlugin = Mapping[str, Points]
"""The plugins that exist, with the extension points that each implements."""
