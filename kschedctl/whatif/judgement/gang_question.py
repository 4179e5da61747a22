"""A member of a gang of a workload, as 1.35 has them: it is bound once minCount members have a node (spec 07 §13)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kschedctl.cluster.group_members import GangKey, GroupMembers, gang_of
from kschedctl.cluster.pods import PodRecord
from kschedctl.gangs.decision import GroupOutcome
from kschedctl.objects.groups import Workload
from kschedctl.plugins.gang_scheduling import PATIENCE, TOO_FEW_PLACED, GangScheduling
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import place
from kschedctl.scheduling.group_answer import GroupAnswer, MemberAnswer
from kschedctl.whatif.session import Session

_GIVES_UP = (
    f"rejected due to timeout after waiting {PATIENCE // 60:.0f}m0s at plugin {GangScheduling.spec.name}"
)


@contextmanager
def judging_gang_member(session: Session, pod: PodRecord) -> Iterator[Decision]:
    """The decision for a member; inside, the cluster is as the member's own evaluation found it.

    Args:
        session: the cluster and its scheduler.
        pod: the member, on no node, which nothing keeps out of the queue.
    """
    cluster, key = session.cluster, gang_of(pod)
    assert key is not None
    minimum = _minimum(session, key)
    if minimum is None:
        yield session.scheduler.decide(pod, cluster)
        return
    members = GroupMembers.of(cluster)
    running = len(members.scheduled(key))
    start = cluster.mark()
    answers = [_tried(session, record) for record in _waiting(session, key)]
    cluster.undo_to(start)
    complete = running + sum(answer.node is not None for answer in answers) >= minimum
    group = GroupAnswer(
        kind="Workload",
        name="/".join(part for part in key if part),
        exists=True,
        minimum=minimum,
        topology_key=None,
        known=running + len(answers),
        running=running,
        outcome=(GroupOutcome.SCHEDULED if complete else GroupOutcome.UNSCHEDULABLE).value,
        message="" if complete else TOO_FEW_PLACED,
        members=tuple(_settled(answer, complete=complete) for answer in answers),
    )
    for earlier in _waiting(session, key):
        if earlier.id == pod.id:
            break
        _tried(session, earlier)
    own = session.scheduler.decide(pod, cluster)
    if own.outcome is Outcome.SCHEDULED and not complete:
        own = own.with_(outcome=Outcome.UNSCHEDULABLE, event=_GIVES_UP, selected=None, tied=None, scores=None)
    yield own.with_(group=group)


def _minimum(session: Session, key: GangKey) -> int | None:
    """minCount, None for a group that is no gang."""
    workload = session.cluster.objects.find(Workload, key[1], key[0])
    groups = () if workload is None else workload.spec.pod_groups
    policy = next((group.policy for group in groups if group.name == key[2]), None)
    return None if policy is None or policy.gang is None else policy.gang.min_count


def gang_members(session: Session, pod: PodRecord) -> list[PodRecord]:
    """The members of a pod's gang that wait, in the order in which they are tried; none for a pod of no gang."""
    key = gang_of(pod)
    return [] if key is None else _waiting(session, key)


def _waiting(session: Session, key: GangKey) -> list[PodRecord]:
    """The members in the queue, in the order in which they are tried."""
    cluster, members = session.cluster, GroupMembers.of(session.cluster)
    placed = set(members.scheduled(key))
    records = [cluster.pods.records[pod] for pod in members.known(key) if pod not in placed]
    return sorted(records, key=lambda record: (-record.priority, record.id))


def _tried(session: Session, pod: PodRecord) -> MemberAnswer:
    """Where a member finds room, which it keeps."""
    decision = session.scheduler.decide(pod, session.cluster)
    node = None
    if decision.outcome is Outcome.SCHEDULED and place(decision) is None:
        node = decision.selected_node
    text = "" if node is not None else decision.event or decision.message
    return MemberAnswer(pod.full_name, pod.pod.spec.pod_group, node, bound=False, tried=True, text=text)


def _settled(answer: MemberAnswer, *, complete: bool) -> MemberAnswer:
    if answer.node is None:
        return answer
    text = "" if complete else TOO_FEW_PLACED
    return MemberAnswer(answer.pod, answer.group, answer.node, bound=complete, tried=True, text=text)
