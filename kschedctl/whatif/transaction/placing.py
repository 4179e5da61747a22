"""How a transaction places a pod: the decision, preemption at once, and the kubelet where a pod names its node."""

from __future__ import annotations

from kschedctl.cluster.pods import PodRecord
from kschedctl.scheduling import effects
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.post_filter import ASK_ALL, ASK_NOBODY
from kschedctl.whatif.queue.kubelet import Kubelet
from kschedctl.whatif.session import Session
from kschedctl.whatif.transaction.answers import PlacementAnswer
from kschedctl.whatif.transaction.diagnosis import Ints, diagnosis_of
from kschedctl.whatif.transaction.names import PodNames


class Placing:
    """Decides where pods go, and puts them there.

    Args:
        session: the cluster and its scheduler.
        names: who is there by which name.
        kubelet: admits pods that name their node.
        diagnose: whether answers tell which nodes fit and why every other one does not.
    """

    def __init__(self, session: Session, names: PodNames, kubelet: Kubelet, *, diagnose: bool) -> None:
        self._session, self._names, self._kubelet, self._diagnose = session, names, kubelet, diagnose

    def decide(self, record: PodRecord, scope: Ints | None, *, preempt: bool) -> Decision:
        """Take the decision, and once more after every claim that it frees."""
        scheduler = self._session.scheduler_asking(every_failure=self._diagnose)
        asked = ASK_ALL if preempt else ASK_NOBODY
        while True:
            decision = scheduler.decide(record, self._session.cluster, scope=scope, post_filter=asked)
            if not preempt or decision.makes_room or not effects.carry_out_post_filter(decision):
                return decision

    def place(self, record: PodRecord, scope: Ints | None, *, preempt: bool = False) -> PlacementAnswer:
        """Put a pod where kube-scheduler would, or on the node that it names; one that finds no node stays without.

        Args:
            record: a pod on no node.
            scope: the rows to look at, int64 (n,); None: all.
            preempt: whether pods of lower priority go for it, at once.
        """
        cluster = self._session.cluster
        if record.pod.node_name:
            return self._bind(record)
        decision = self.decide(record, scope, preempt=preempt)
        diagnosed = self._diagnose and decision.evaluation is not None
        diagnosis = diagnosis_of(decision, scope) if diagnosed else None
        evicted: tuple[int, ...] = ()
        start = cluster.mark()
        if preempt and decision.makes_room:
            evicted = _victims(decision)
            decision = effects.evict_and_retry(
                self._session.scheduler_asking(every_failure=False), decision, scope
            )
        if decision.outcome is Outcome.SCHEDULED and (refused := effects.place(decision)) is not None:
            decision = effects.after_refusal(decision, refused)
        if decision.outcome is not Outcome.SCHEDULED:
            cluster.undo_to(start)  # nobody goes in vain
            message = decision.event or decision.message
            return PlacementAnswer(record.full_name, decision.outcome, None, message, diagnosis=diagnosis)
        victims = [cluster.pods.records[pod] for pod in evicted]
        for victim in victims:
            self._names.leave(victim)
        self._names.come_back(record)
        names = tuple(victim.full_name for victim in victims)
        return PlacementAnswer(
            record.full_name, Outcome.SCHEDULED, decision.selected_node, "", names, diagnosis
        )

    def _bind(self, record: PodRecord) -> PlacementAnswer:
        """Put a pod on the node that it names."""
        cluster, node = self._session.cluster, record.pod.node_name
        refusal = self._kubelet.refusal(record, cluster)
        if refusal is not None:
            return PlacementAnswer(record.full_name, Outcome.UNSCHEDULABLE, message=str(refusal))
        cluster.assume(record.id, cluster.nodes.row_of[node])
        return PlacementAnswer(record.full_name, Outcome.SCHEDULED, node)


def _victims(decision: Decision) -> tuple[int, ...]:
    preemption = decision.preemption
    assert preemption is not None
    assert preemption.nominated is not None
    return tuple(preemption.candidates[preemption.nominated].evicted)
