"""A pod that is scheduled together with the others of its group (spec 07): what its group comes to, and it in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec.structs import replace

from kschedctl.admission.invalid import Invalid
from kschedctl.cluster.group_members import GroupKey, GroupMembers, gang_of, group_of
from kschedctl.cluster.group_tree import AnyGroup, ancestry, leaves_below
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.gangs.decision import GroupDecision, GroupOutcome, MemberDecision
from kschedctl.gangs.group import Group
from kschedctl.gangs.run import QueueRun
from kschedctl.objects.groups import CompositePodGroup, PodGroup
from kschedctl.objects.pod import Pod
from kschedctl.plugins.gang_scheduling import GangScheduling
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import place
from kschedctl.scheduling.group_answer import GroupAnswer, GroupPlacementAnswer, MemberAnswer
from kschedctl.whatif.judgement.gang_question import gang_members, judging_gang_member
from kschedctl.whatif.judgement.group_membership import OTHERS_GATED
from kschedctl.whatif.session import Session


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
        if gang_of(pod) is not None and group_of(pod) is None and not _is_kept_out(session, pod):
            with judging_gang_member(session, pod) as found:
                yield found
            return
        decision = _of_group(session, pod)
        if decision is None:
            yield _without_cycle(session, pod)
            return
        answer = group_answer(decision)  # before earlier members are on their nodes
        member = next(found for found in decision.members() if found.pod.id == pod.id)
        for earlier in decision.members():
            if earlier.pod.id == pod.id:
                break
            if earlier.attempt is not None and earlier.attempt.placed is not None:
                place(earlier.attempt.decision)
        yield _in_group(member, decision).with_(group=answer)
    finally:
        cluster.undo_to(start)


def _is_kept_out(session: Session, pod: PodRecord) -> bool:
    """Whether a member is not even tried."""
    framework = session.scheduler.framework(pod.pod.spec.scheduler_name)
    return framework is None or pod.pod.is_terminating or bool(framework.pre_enqueue(pod, session.cluster))


def waiting_members(session: Session, pod: PodRecord) -> list[PodRecord]:
    """The pods of the cluster that wait together with one of them, in order of arrival; itself among them."""
    if group_of(pod) is None:
        return gang_members(session, pod)
    start = session.cluster.mark()
    try:
        GroupMembers.of(session.cluster).arrive(pod)
        return _members(session, pod)
    finally:
        session.cluster.undo_to(start)


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


def group_answer(decision: GroupDecision) -> GroupAnswer:
    """What becomes of a group that was tried."""
    root, names, records = decision.root, decision.cluster.nodes.names, decision.cluster.pods.records
    members = GroupMembers.of(decision.cluster)
    leaves = list(root.leaves())
    waiting = any(verdict.outcome is GroupOutcome.WAITING for verdict in decision.verdicts)
    return GroupAnswer(
        kind="CompositePodGroup" if root.is_composite else "PodGroup",
        name=root.full_name,
        exists=root.spec_of is not None,
        minimum=root.minimum if _gangs_count(decision) else None,
        topology_key=root.topology_key,
        known=sum(len(members.known(leaf.key)) for leaf in leaves),
        running=sum(len(members.scheduled(leaf.key)) for leaf in leaves),
        outcome=decision.verdict.outcome.value,
        message=decision.verdict.message,
        placement=decision.verdict.placement,
        placements=tuple(
            GroupPlacementAnswer(found.placement.name, found.feasible, found.message, found.total)
            for found in decision.verdict.placements
        ),
        members=tuple(
            _member_answer(member, verdict.group, names, waiting=waiting)
            for verdict in decision.verdicts
            for member in verdict.members
        ),
        victims=tuple(sorted(records[pod].full_name for pod in decision.victims)),
    )


def _gangs_count(decision: GroupDecision) -> bool:
    """Whether minCount means anything: the plugin that looks at it may be left out."""
    return decision.framework is None or decision.framework.has(GangScheduling.spec.name)


def _member_answer(
    member: MemberDecision, group: Group, names: Sequence[str], *, waiting: bool
) -> MemberAnswer:
    attempt = member.attempt
    row = member.selected
    if row is None and attempt is not None:
        row = attempt.placed
    node = None if row is None else names[row]
    return MemberAnswer(
        pod=member.pod.full_name,
        group=group.full_name,
        node=member.nomination or node if waiting else node,
        bound=member.selected is not None,
        tried=attempt is not None,
        text="" if member.selected is not None else member.text,
    )


def _without_cycle(session: Session, pod: PodRecord) -> Decision:
    """The decision for a member whose group is not tried: what keeps it back, or another one of the group."""
    alone = session.scheduler.decide(pod, session.cluster)
    key = group_of(pod)
    if key is None or alone.outcome in (Outcome.NO_PROFILE, Outcome.TERMINATING):
        return alone
    if alone.outcome is not Outcome.GATED:
        alone = Decision(pod, session.cluster, Outcome.GATED, OTHERS_GATED, alone.framework)
    return replace(alone, group=_gated_answer(session.cluster, key, alone.message))


def _gated_answer(cluster: ClusterState, key: GroupKey, text: str) -> GroupAnswer:
    """A group that has no cycle yet: the topmost one that is there, or the one that is missing."""
    members = GroupMembers.of(cluster)
    above = ancestry(cluster, key)
    root = above[-1] if above else None
    leaves = list(leaves_below(cluster, root)) if root is not None else []
    keys = [(leaf.namespace, leaf.name) for leaf in leaves] or [key]
    composite = isinstance(root, CompositePodGroup)
    return GroupAnswer(
        kind="CompositePodGroup" if composite else "PodGroup",
        name="/".join(key) if root is None else root.full_name,
        exists=root is not None,
        minimum=_minimum(root),
        topology_key=None if root is None else root.spec.topology_key,
        known=sum(len(members.known(one)) for one in keys),
        running=sum(len(members.scheduled(one)) for one in keys),
        outcome=GroupOutcome.GATED.value,
        message=text,
    )


def _minimum(group: AnyGroup | None) -> int | None:
    match group:
        case PodGroup():
            return group.spec.min_count
        case CompositePodGroup():
            return group.spec.min_group_count
        case None:
            return None
