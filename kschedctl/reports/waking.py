"""What may get a pod tried again, in words: the events that the plugins which rejected it hear of (spec 08 §2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from kschedctl.framework.cluster_event import Action, Interest, Resource
from kschedctl.framework.plugin import AnyPlugin

_SHOWN: Final = 3

_NODE: Final = {
    Action.ADD: "a node is added",
    Action.UPDATE_NODE_ALLOCATABLE: "what a node has to give changes",
    Action.UPDATE_NODE_LABEL: "labels of a node change",
    Action.UPDATE_NODE_TAINT: "a node is uncordoned or its taints change",
    Action.UPDATE_NODE_DECLARED_FEATURE: "the features of a node change",
}
_ASSIGNED_POD: Final = {
    Action.DELETE: "a pod on a node ends",
    Action.ADD: "a pod is bound",
    Action.UPDATE_POD_LABEL: "labels of a pod on a node change",
    Action.UPDATE_POD_SCALE_DOWN: "a pod on a node asks for less",
}
_ITSELF: Final = {
    Action.UPDATE_POD_LABEL: "its labels change",
    Action.UPDATE_POD_SCALE_DOWN: "it asks for less",
    Action.UPDATE_POD_TOLERATION: "its tolerations change",
    Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED: "its scheduling gates are removed",
    Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM: "its resource claims are made",
}
_BY_RESOURCE: Final = {
    Resource.NODE: _NODE,
    Resource.ASSIGNED_POD: _ASSIGNED_POD,
    Resource.TARGET_POD: _ITSELF,
}


def wakers(plugins: Iterable[AnyPlugin]) -> list[str]:
    """What the plugins hear of that rejected a pod, each once: `a node is added`, `a pod on a node ends`."""
    return list(dict.fromkeys(text for plugin in plugins for i in plugin.interests() for text in _texts(i)))


def _texts(interest: Interest) -> list[str]:
    if interest.resource is Resource.UNSCHEDULED_POD:
        return ["a pod of its group comes"]
    words = _BY_RESOURCE.get(interest.resource)
    if words is None:
        kind = interest.resource.value.rpartition("/")[2]
        article = "an" if kind[0] in "AEIOU" else "a"
        return [f"{article} {kind} is added or changes"]
    return [text for action, text in words.items() if action in interest.actions]


def tried_again(wakes: Sequence[str]) -> str:
    """The sentence: `tried again when a node is added or a pod on a node ends`."""
    if not wakes:
        return "tried again after a back-off of at most 10 s"
    if len(wakes) > _SHOWN + 1:
        return f"tried again when {', '.join(wakes[:_SHOWN])}, or by {len(wakes) - _SHOWN} other events"
    told = wakes[0] if len(wakes) == 1 else f"{', '.join(wakes[:-1])} or {wakes[-1]}"
    return f"tried again when {told}"
