"""A pod that is scheduled together with the others of its group (spec 07): what its group comes to, and it in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from kschedctl.admission.invalid import Invalid
from kschedctl.cluster.group_members import GroupMembers, group_of
from kschedctl.cluster.group_tree import ancestry
from kschedctl.cluster.pods import PodRecord
from kschedctl.gangs.decision import GroupDecision, GroupOutcome, MemberDecision
from kschedctl.gangs.group import Group
from kschedctl.gangs.run import QueueRun
from kschedctl.objects.phrases import names_text
from kschedctl.objects.pod import Pod
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import place
from kschedctl.whatif.session import Session

_NAMED = 6
"""So many names are told."""


@contextmanager
def judging_new_member(session: Session, pod: Pod, asked: Sequence[Pod]) -> Iterator[Decision | Invalid]:
    """The same for a member that might be created, or why the API server would refuse it.

    Args:
        session: the cluster and its scheduler.
        pod: the member.
        asked: pods that are created with it, in order, itself among them or not.
    """
    start = session.cluster.mark()
    try:
        entered = {id(one): session.enter(one) for one in (asked if pod in asked else (*asked, pod))}
        found = entered[id(next((one for one in asked if one == pod), pod))]
        if isinstance(found, Invalid):
            yield found
            return
        for record in entered.values():
            if not isinstance(record, Invalid):
                GroupMembers.of(session.cluster).arrive(record)
        with judging_member(session, found) as decision:
            yield decision
    finally:
        session.cluster.undo_to(start)


@contextmanager
def judging_member(session: Session, pod: PodRecord) -> Iterator[Decision]:
    """The decision for a member; inside, the cluster is as the member's own evaluation found it.

    Args:
        session: the cluster and its scheduler.
        pod: the member, on no node.
    """
    cluster = session.cluster
    start = cluster.mark()
    try:
        GroupMembers.of(cluster).arrive(pod)
        decision = _of_group(session, pod)
        if decision is None:
            yield _without_cycle(session, pod)
            return
        member = next(found for found in decision.members() if found.pod.id == pod.id)
        for earlier in decision.members():
            if earlier.pod.id == pod.id:
                break
            if earlier.attempt is not None and earlier.attempt.placed is not None:
                place(earlier.attempt.decision)
        yield _in_group(member, decision).with_(group=group_sentence(decision))
    finally:
        cluster.undo_to(start)


def _of_group(session: Session, pod: PodRecord) -> GroupDecision | None:
    """The decision for the group of a pod, as if nothing else waited; None where it is not tried."""
    if group_of(pod) is None:
        return None
    run = QueueRun(session.scheduler, session.cluster)
    for record in _members(session, pod):
        if session.scheduler.framework(record.pod.spec.scheduler_name) is not None:
            run.enter(record)
    entity = run.pop()
    if not isinstance(entity, Group) or all(member.id != pod.id for member in entity.pods()):
        return None
    decision = run.decide(entity)
    return decision if isinstance(decision, GroupDecision) else None


def _members(session: Session, pod: PodRecord) -> list[PodRecord]:
    """The queued pods of the tree that a pod belongs to, in order of arrival."""
    cluster, members = session.cluster, GroupMembers.of(session.cluster)
    key = group_of(pod)
    assert key is not None
    root = ancestry(cluster, key)[-1:]
    found = []
    for record in cluster.pods.records:
        own = group_of(record)
        if own is None or (own != key and ancestry(cluster, own)[-1:] != root):
            continue
        if record.id in members.known(own) and cluster.pods.node[record.id] < 0 and not record.pod.node_name:
            found.append(record)
    return found


def _in_group(member: MemberDecision, group: GroupDecision) -> Decision:
    """The decision for a member, with the end that its group gives it."""
    if member.attempt is None:
        outcome = Outcome.ERROR if member.error else Outcome.UNSCHEDULABLE
        message = member.text if member.error else ""
        return Decision(
            member.pod, group.cluster, outcome, message, group.framework, event="" if message else member.text
        )
    own = member.attempt.decision
    if member.selected is not None or (member.own and not member.error):
        return own
    if member.error:
        return own.with_(outcome=Outcome.ERROR, message=member.text, selected=None)
    return own.with_(outcome=Outcome.UNSCHEDULABLE, event=member.text, selected=None, tied=None, scores=None)


def group_sentence(decision: GroupDecision) -> str:
    """What becomes of a group, in a sentence."""
    verdict, names = decision.verdict, decision.cluster.nodes.names
    members = list(decision.members())
    placed = [f"{m.pod.name} on {names[m.selected]}" for m in members if m.selected is not None]
    kind = "composite pod group" if decision.root.is_composite else "pod group"
    head = f"{kind} {decision.root.full_name} is scheduled as one ({_size(decision.root, len(members))})"
    if verdict.outcome is GroupOutcome.SCHEDULED:
        left = [m.pod.name for m in members if m.selected is None]
        rest = f"; not {names_text(left, _NAMED)}" if left else ""
        return f"{head}: {len(placed)} of {len(members)} are placed, {names_text(placed, _NAMED)}{rest}"
    if verdict.outcome is GroupOutcome.WAITING:
        records = decision.cluster.pods.records
        victims = sorted(records[pod].full_name for pod in decision.victims)
        return f"{head}: none is placed before {names_text(victims, _NAMED)} are evicted for it"
    return f"{head}: none is placed, {verdict.message}"


def _size(group: Group, waiting: int) -> str:
    needed = group.minimum
    pods = f"{waiting} pods wait" if waiting != 1 else "1 pod waits"
    if needed is None:
        return pods
    return f"{'minGroupCount' if group.is_composite else 'minCount'} {needed}, {pods}"


def _without_cycle(session: Session, pod: PodRecord) -> Decision:
    """The decision for a member whose group is not tried: what keeps it back, or another one of the group."""
    alone = session.scheduler.decide(pod, session.cluster)
    key = group_of(pod)
    if key is None or alone.outcome in (Outcome.NO_PROFILE, Outcome.TERMINATING):
        return alone
    if alone.outcome is not Outcome.GATED:
        text = "another pod of its group is kept out of the queue"
        alone = Decision(pod, session.cluster, Outcome.GATED, text, alone.framework)
    known = len(GroupMembers.of(session.cluster).known(key))
    there = f"{known} {'pod of it is' if known == 1 else 'pods of it are'} there"
    return alone.with_(group=f"pod group {'/'.join(key)} is not tried yet: {alone.message} ({there})")
