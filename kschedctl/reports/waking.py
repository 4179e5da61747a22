"""What gets a pod tried again, in words: the events that plugins hear of, and those that came (spec 08 §2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from kschedctl.framework.cluster_event import Action, Interest, Resource
from kschedctl.framework.plugin import AnyPlugin
from kschedctl.framework.versions import SUPPORTED

_SHOWN: Final = 3


class _Words(NamedTuple):
    """An event, before and after.

    Attributes:
        awaited: what has to happen: `tried again when a node is added`; empty: nobody waits for just this.
        happened: that it did: `is tried again: there is another node`.
    """

    awaited: str
    happened: str


_NODE: Final = {
    Action.ADD: _Words("a node is added", "there is another node"),
    Action.DELETE: _Words("", "a node is gone"),
    Action.UPDATE_NODE_ALLOCATABLE: _Words(
        "what a node has to give changes", "what a node has to give has changed"
    ),
    Action.UPDATE_NODE_LABEL: _Words("labels of a node change", "the labels of a node have changed"),
    Action.UPDATE_NODE_TAINT: _Words(
        "a node is uncordoned or its taints change", "a node was uncordoned, or its taints have changed"
    ),
    Action.UPDATE_NODE_CONDITION: _Words("", "the conditions of a node have changed"),
    Action.UPDATE_NODE_ANNOTATION: _Words("", "the annotations of a node have changed"),
    Action.UPDATE_NODE_DECLARED_FEATURE: _Words(
        "the features of a node change", "the features of a node have changed"
    ),
    Action.UPDATE: _Words("", "a node has changed"),
}
_ASSIGNED_POD: Final = {
    Action.DELETE: _Words("a pod on a node ends", "room is free that was in use or kept"),
    Action.ADD: _Words("a pod is bound", "a pod was bound"),
    Action.UPDATE_POD_LABEL: _Words(
        "labels of a pod on a node change", "the labels of a pod on a node have changed"
    ),
    Action.UPDATE_POD_SCALE_DOWN: _Words("a pod on a node asks for less", "a pod on a node asks for less"),
    Action.UPDATE_POD_TOLERATION: _Words("", "the tolerations of a pod on a node have changed"),
    Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED: _Words(
        "", "a pod on a node has lost its scheduling gates"
    ),
    Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM: _Words(
        "", "the resource claims of a pod on a node have changed"
    ),
    Action.UPDATE: _Words("", "a pod on a node has changed"),
}
_ITSELF: Final = {
    Action.UPDATE_POD_LABEL: _Words("its labels change", "its labels have changed"),
    Action.UPDATE_POD_SCALE_DOWN: _Words("it asks for less", "it asks for less"),
    Action.UPDATE_POD_TOLERATION: _Words("its tolerations change", "its tolerations have changed"),
    Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED: _Words(
        "its scheduling gates are removed", "its scheduling gates were removed"
    ),
    Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM: _Words(
        "its resource claims are made", "its resource claims were made"
    ),
    Action.UPDATE: _Words("", "it has changed"),
}
_ANOTHER_POD: Final = {
    Action.ADD: _Words("a pod of its group comes", "a pod of its group has come"),
    Action.UPDATE: _Words("", "it has changed"),
}
_BY_RESOURCE: Final[Mapping[Resource, Mapping[Action, _Words]]] = {
    Resource.NODE: _NODE,
    Resource.ASSIGNED_POD: _ASSIGNED_POD,
    Resource.UNSCHEDULED_POD: _ANOTHER_POD,
    Resource.TARGET_POD: _ITSELF,
}


def wakers(plugins: Iterable[AnyPlugin]) -> list[str]:
    """What the plugins hear of that rejected a pod, each once: `a node is added`, `a pod on a node ends`."""
    return list(dict.fromkeys(text for plugin in plugins for i in plugin.interests() for text in _texts(i)))


def _texts(interest: Interest) -> list[str]:
    if interest.resource is Resource.UNSCHEDULED_POD:
        return [_ANOTHER_POD[Action.ADD].awaited]
    words = _BY_RESOURCE.get(interest.resource)
    if words is None:
        return [f"{_a_kind(interest.resource)} is added or changes"]
    return [event.awaited for action, event in words.items() if event.awaited and action in interest.actions]


def _a_kind(resource: Resource) -> str:
    """`a StorageClass`."""
    kind = resource.value.rpartition("/")[2]
    return f"{'an' if kind[0] in 'AEIOU' else 'a'} {kind}"


def tried_again(wakes: Sequence[str]) -> str:
    """The sentence: `tried again when a node is added or a pod on a node ends`."""
    if not wakes:
        return "tried again after a back-off of at most 10 s"
    if len(wakes) > _SHOWN + 1:
        return f"tried again when {', '.join(wakes[:_SHOWN])}, or by {len(wakes) - _SHOWN} other events"
    told = wakes[0] if len(wakes) == 1 else f"{', '.join(wakes[:-1])} or {wakes[-1]}"
    return f"tried again when {told}"


def woken_by(event: str) -> str:
    """What happened, in words, by the name that any version of kube-scheduler gives it; a name of none as it is."""
    return _happened().get(event, event)


@cache
def _happened() -> Mapping[str, str]:
    from kschedctl.run.event_names import (
        EventNames,  # explain, which awaits events, needs nothing of the loop
    )
    from kschedctl.run.queue import BACKOFF_COMPLETE, FORCE_ACTIVATE, UNSCHEDULABLE_TIMEOUT

    found = {
        BACKOFF_COMPLETE: "the back-off is over",
        FORCE_ACTIVATE: "its group, or a plugin, asks for it",
        UNSCHEDULABLE_TIMEOUT.name: "five minutes are over",
    }
    for facts in (version.facts for version in SUPPORTED):
        names = EventNames(facts.target_pod_event, facts.unscheduled_pod_event)
        for resource in Resource:
            words = _BY_RESOURCE.get(resource) or _words_of_kind(_a_kind(resource))
            found |= {names.name(resource, action): event.happened for action, event in words.items()}
    return found


def _words_of_kind(kind: str) -> Mapping[Action, _Words]:
    return {
        Action.ADD: _Words("", f"there is {kind} that was not there"),
        Action.UPDATE: _Words("", f"{kind} has changed"),
        Action.DELETE: _Words("", f"{kind} is gone"),
    }
