"""Judge candidates one by one, each alone in the cluster as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.admission.invalid import Invalid
from kschedctl.cluster.group_members import GroupMembers
from kschedctl.cluster.pods import PodRecord
from kschedctl.objects.pod import Pod
from kschedctl.scheduling.decision import Decision
from kschedctl.whatif.judgement.group_membership import waits_for_others
from kschedctl.whatif.session import Session


@contextmanager
def judging(
    session: Session, pod: Pod | PodRecord, others: Sequence[Pod] | None = None
) -> Iterator[Decision | Invalid]:
    """The decision for a pod, or why the API server would refuse it; the cluster is left as it was.

    A new pod stands in the place of the one of its name, if the cluster has one; a running pod is judged as if
    it were to be placed anew. A pod of a group is judged alone, or, where `others` are given, in the cycle of its
    group: they are the pods that are asked about, it among them, in order, and not in the cluster. Texts of the
    decision are made from the cluster: read them inside the block.
    """
    if isinstance(pod, PodRecord):
        if others is not None and waits_for_others(session, pod) and not pod.pod.node_name:
            # The cycle of groups is loaded only where one is asked about.
            from kschedctl.whatif.judgement.group_question import judging_member

            with judging_member(session, pod) as decision:
                yield decision
            return
        with session.deciding(_anew(session, pod)) as decision:
            yield decision
        return
    start = session.cluster.mark()
    try:
        together = others is not None and waits_for_others(session, pod)
        for one in (pod, *(others or ())) if together else (pod,):
            take_out(session, session.find(one.namespace, one.name))
        if others is not None and together:
            from kschedctl.whatif.judgement.group_question import judging_new_member

            with judging_new_member(session, pod, others) as found:
                yield found
            return
        entered = session.enter(pod)
        if isinstance(entered, Invalid):
            yield entered
            return
        with session.deciding(entered) as decision:
            yield decision
    finally:
        session.cluster.undo_to(start)


def running_on(session: Session, pod: Pod | PodRecord) -> str | None:
    """The node that the pod, or the one whose place it takes, is on now."""
    record = pod if isinstance(pod, PodRecord) else session.find(pod.namespace, pod.name)
    return (record.pod.node_name or None) if record else None


def take_out(session: Session, record: PodRecord | None) -> None:
    """Let a pod be gone, for another one in its place: it is on no node, and no member of a group."""
    if record is None:
        return
    session.cluster.drop_nomination(record.id)
    GroupMembers.of(session.cluster).leave(record)
    if session.cluster.pods.node[record.id] >= 0:
        session.cluster.remove(record.id)


def _anew(session: Session, record: PodRecord) -> PodRecord:
    """A pod whose node is not in the cluster is judged without it, as one on a known node is."""
    if not record.pod.node_name or session.cluster.pods.node[record.id] >= 0:
        return record
    pod = record.pod
    unbound = AdmittedPod(pod.metadata, pod.spec, pod.status, "", pod.source)
    return PodRecord(record.id, unbound, record.pod_class)
