"""Suggestions made by hand: the objects as a person would write them after the change, explained from scratch."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import msgspec

from kschedctl.admission.invalid import Invalid
from kschedctl.advice.groups import GroupAdvice
from kschedctl.advice.json_patch import patched
from kschedctl.advice.measure import (
    Addition,
    Consequence,
    Departure,
    ObjectPatch,
    PodPatch,
    Reference,
    Replacement,
)
from kschedctl.advice.search import Suggestion
from kschedctl.objects.kinds import BY_GVK
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.objects.written import with_written
from kschedctl.scheduling.decision import Outcome
from kschedctl.scheduling.effects import evict_and_retry
from kschedctl.whatif.judgement.explain import judging
from kschedctl.whatif.session import Session

Data = dict[str, Any]


def changed(objects: Sequence[Data], pod: Data, suggestion: Suggestion) -> tuple[list[Data], Data]:
    """The manifests with a suggestion made."""
    found, candidate = deepcopy(list(objects)), deepcopy(pod)
    for change in suggestion.changes:
        for edit in change.edits:
            match edit.edit if isinstance(edit, Consequence) else edit:
                case PodPatch(operations):
                    candidate = patched(candidate, operations)
                case ObjectPatch(target, operations):
                    at = next(i for i, obj in enumerate(found) if _is(obj, target))
                    found[at] = patched(found[at], operations)
                case Addition(added):
                    found += map(_written, added)
                case Replacement(made):
                    at = next(i for i, obj in enumerate(found) if _is(obj, _reference(made)))
                    found[at] = _written(made)
                case Departure(target=target):
                    gone = next(obj for obj in found if _is(obj, target))
                    found.remove(gone)
                    _release(found, gone)
    return found, candidate


def group_holds(
    objects: Sequence[Data], pods: Sequence[Data], advice: GroupAdvice, like: Session
) -> list[str]:
    """The suggestions for the group of the first pod that do not hold once they are made, as text.

    Args:
        objects: the cluster.
        pods: those that are asked about, as they were written.
        advice: for the first of them.
        like: a session of the same scheduler.
    """
    alike = {pod.full_name for pod in advice.alike}
    broken = []
    first = next((pod for pod in pods if full_name(pod) in alike), pods[0])
    for one in advice.found:
        found, _ = changed(objects, first, one)
        asked = [changed(objects, pod, one)[1] if full_name(pod) in alike else pod for pod in pods]
        session = _session([typed(obj) for obj in found], like)
        made = [with_written(msgspec.convert(pod, Pod), pod) for pod in asked]
        with judging(session, made[0], made) as decision:
            group = None if isinstance(decision, Invalid) else decision.group
        placed = group is not None and group.outcome in ("Scheduled", "WaitingForPreemption")
        node = group.node_of(full_name(pods[0])) if group is not None and placed else None
        if node != one.proof.node:
            broken.append(f"{one.text}: {node}, not {one.proof.node}")
    return broken


def full_name(pod: Data) -> str:
    """Namespace and name of a pod as it was written."""
    return f"{pod['metadata'].get('namespace') or 'default'}/{pod['metadata']['name']}"


def _session(objects: Sequence[Any], like: Session, **more: Any) -> Session:
    return Session(
        objects,
        like.scheduler.configuration,
        like.scheduler.options,
        missing_classes_refuse=like.admission.context.missing_classes_refuse,
        looked_at=like.cluster.looked_at,
        **more,
    )


def _written(obj: TopLevel) -> Data:
    data: Data = msgspec.json.decode(msgspec.json.encode(obj))
    return data


def _reference(obj: TopLevel) -> Reference:
    return Reference(obj.kind, obj.metadata.namespace, obj.name)


def _is(obj: Data, target: Reference) -> bool:
    metadata = obj["metadata"]
    space = metadata.get("namespace") or "default"
    return obj["kind"] == target.kind and metadata["name"] == target.name and target.namespace in ("", space)


def _release(objects: list[Data], pod: Data) -> None:
    """What the controller of claims does when a pod is gone."""
    space, name = pod["metadata"].get("namespace") or "default", pod["metadata"]["name"]
    uid = pod["metadata"].get("uid") or f"{space}/{name}"
    for claim in objects:
        status = claim.get("status") or {}
        users = status.get("reservedFor") or []
        left = [user for user in users if user.get("uid") != uid]
        if claim["kind"] == "ResourceClaim" and len(left) < len(users):
            status["reservedFor"] = left
            if not left:
                status.pop("allocation", None)


def typed(data: Data) -> Any:
    """The typed object of a manifest, which knows how it was written."""
    return with_written(msgspec.convert(data, BY_GVK[data["apiVersion"], data["kind"]].type), data)


def explained(objects: Sequence[Data], pod: Data, like: Session, **more: Any) -> str | None:
    """The node on which the pod ends, by preemption if need be; None: on none."""
    session = _session([typed(obj) for obj in objects], like, **more)
    candidate: Pod = msgspec.convert(pod, Pod)
    with judging(session, with_written(candidate, pod)) as found:
        if isinstance(found, Invalid):
            return None
        if (
            found.outcome is Outcome.UNSCHEDULABLE
            and found.preemption
            and found.preemption.nominated is not None
        ):
            return evict_and_retry(session.scheduler, found).selected_node
        return found.selected_node


def holds(objects: Sequence[Data], pod: Data, suggestion: Suggestion, like: Session) -> bool:
    """Whether the pod goes where the suggestion says once it is made."""
    return explained(*changed(objects, pod, suggestion), like) == suggestion.proof.node
