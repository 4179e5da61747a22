"""What becomes of the victims of a preemption: who finds a place where, who waits, who evicts further pods."""

from __future__ import annotations

import heapq
from enum import StrEnum
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.pod import PodStatus
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import evict_and_retry, place
from kschedctl.workloads.controllers import is_static
from kschedctl.workloads.daemon_set import pinned

_MOST_DECIDED: Final = 200
"""After so many pods a person has seen enough, and a cascade through a large cluster has not yet cost much."""


class Fate(StrEnum):
    """What becomes of an evicted pod."""

    MOVES = "Moves"
    """Its controller makes it anew, and the new one finds room as things are."""
    PREEMPTS = "Preempts"
    """Its controller makes it anew, and the new one makes room by evicting others."""
    PENDING = "Pending"
    """Its controller makes it anew, and the new one finds no place."""
    GONE = "Gone"
    """Nothing controls it: it does not come back."""
    LEAVING = "Leaving"
    """Its deletion had begun before."""
    STATIC = "Static"
    """The kubelet runs it from a file of its own: only its image in the API is deleted, and made anew."""
    UNKNOWN = "Unknown"
    """The cascade was cut before its turn."""


class Evicted(Struct, frozen=True):
    """A victim and what follows from its eviction.

    Attributes:
        pod: the victim as it was.
        origin: the node it was on.
        breaks_budget: whether its eviction breaks a disruption budget.
        fate: what becomes of it.
        node: the node of the pod that is made in its place.
        message: why that one waits, without what preemption says.
        victims: the pods that it evicts in turn, the most important first.
    """

    pod: PodRecord
    origin: str
    breaks_budget: bool
    fate: Fate
    node: str | None = None
    message: str = ""
    victims: tuple[Evicted, ...] = ()

    @property
    def keeps_claims(self) -> bool:
        """Whether claims that were made for the victim stood for those that would be made anew."""
        pod = self.pod.pod
        made = any(volume.ephemeral is not None for volume in pod.spec.volumes)
        return self.fate in _MADE_ANEW and (made or bool(pod.status.resource_claim_statuses))


_MADE_ANEW: Final = (Fate.MOVES, Fate.PREEMPTS, Fate.PENDING)


class Cascade(Struct, frozen=True):
    """All that a preemption sets in motion.

    Attributes:
        placed_on: the node that the preemptor gets, None where it is refused even after the evictions.
        message: why it is refused.
        victims: its victims, the most important first.
        dropped: pending pods of lower priority that lose their nomination to the node.
        decided: pods that were decided in all.
        cut: whether it was ended before everybody had their turn.
    """

    placed_on: str | None
    message: str
    victims: tuple[Evicted, ...]
    dropped: tuple[PodRecord, ...]
    decided: int
    cut: bool


def cascade(scheduler: Scheduler, decision: Decision, *, most: int = _MOST_DECIDED) -> Cascade:
    """Carry out a preemption and schedule its victims anew; the cluster is left as it was.

    Victims queue up by priority, as in kube-scheduler, and in order of importance where that is equal. So no pod
    is evicted twice and the cascade ends: who preempts has a higher priority than all that come after.

    Args:
        scheduler: the scheduler that took the decision.
        decision: one whose preemption nominates a node.
        most: end after so many pods.
    """
    start = decision.cluster.mark()
    try:
        return _Run(scheduler, decision.cluster, most).follow(decision)
    finally:
        decision.cluster.undo_to(start)


class _Victim(Struct):
    """A node of the tree while it grows."""

    pod: PodRecord
    origin: str
    breaks_budget: bool
    fate: Fate
    node: str | None = None
    message: str = ""
    victims: list[_Victim] = field(default_factory=list)

    def frozen(self) -> Evicted:
        return Evicted(
            self.pod,
            self.origin,
            self.breaks_budget,
            self.fate,
            self.node,
            self.message,
            tuple(victim.frozen() for victim in self.victims),
        )


class _Run:
    """One cascade: the queue of victims that are made anew."""

    def __init__(self, scheduler: Scheduler, cluster: ClusterState, most: int) -> None:
        self._scheduler = scheduler
        self._cluster = cluster
        self._most = most
        self._queue: list[tuple[int, int, _Victim]] = []
        self._queued = 0
        self._decided = 0

    def follow(self, decision: Decision) -> Cascade:
        dropped = self._nominations_below(decision)
        placed_on, message, victims = self._preempt(decision)
        while self._queue and self._decided < self._most:
            self._decided += 1
            self._make_anew(heapq.heappop(self._queue)[2])
        frozen = tuple(victim.frozen() for victim in victims)
        return Cascade(placed_on, message, frozen, dropped, self._decided, bool(self._queue))

    def _nominations_below(self, decision: Decision) -> tuple[PodRecord, ...]:
        assert decision.preemption is not None
        assert decision.preemption.nominated is not None
        listed = self._cluster.nominations.get(self._cluster.nodes.names[decision.preemption.nominated], ())
        records = (self._cluster.pods.records[pod] for pod in listed)
        return tuple(record for record in records if record.priority < decision.pod.priority)

    def _preempt(self, decision: Decision) -> tuple[str | None, str, list[_Victim]]:
        """Evict the victims of a decision, queue them up, and place its pod."""
        assert decision.preemption is not None
        assert decision.preemption.nominated is not None
        candidate = decision.preemption.candidates[decision.preemption.nominated]
        node = self._cluster.nodes.names[candidate.row]
        victims = [self._evicted(pod, node, pod in candidate.breaking) for pod in candidate.evicted]
        retried = evict_and_retry(self._scheduler, decision)
        placed_on, message = self._placed(retried)
        return placed_on, message, victims

    def _evicted(self, pod: int, node: str, breaks_budget: bool) -> _Victim:
        record = self._cluster.pods.records[pod]
        victim = _Victim(record, node, breaks_budget, _fate_without_room(record.pod))
        if victim.fate is Fate.UNKNOWN:
            heapq.heappush(self._queue, (-record.priority, self._queued, victim))
            self._queued += 1
        return victim

    def _make_anew(self, victim: _Victim) -> None:
        """Schedule the pod that a controller makes in the place of a victim."""
        pod = self._cluster.add_pod(_made_anew(victim.pod.pod, victim.origin))
        decision = self._scheduler.decide(pod, self._cluster)
        if decision.outcome is Outcome.UNSCHEDULABLE and decision.makes_room:
            victim.node, victim.message, victim.victims = self._preempt(decision)
            victim.fate = Fate.PREEMPTS
            return
        victim.node, victim.message = self._placed(decision)
        victim.fate = Fate.PENDING if victim.node is None else Fate.MOVES

    def _placed(self, decision: Decision) -> tuple[str | None, str]:
        """Place the pod of a decision: its node, or why it gets none."""
        if decision.outcome is not Outcome.SCHEDULED:
            return None, decision.event.removesuffix(decision.message).rstrip() or decision.message
        refused = place(decision)
        return (decision.selected_node, "") if refused is None else (None, refused.message)


def _fate_without_room(pod: AdmittedPod) -> Fate:
    """The fate that is known before anybody looks for room; UNKNOWN for a pod that is made anew."""
    if is_static(pod):
        return Fate.STATIC
    if pod.is_terminating:
        return Fate.LEAVING
    return Fate.GONE if pod.metadata.controller is None else Fate.UNKNOWN


def _made_anew(pod: AdmittedPod, node: str) -> AdmittedPod:
    """The pod that a controller makes in the place of one that was on a node.

    It keeps name and uid to be recognised by, and the claims that were made for the old pod: they stand for those
    that would be made for the new one. A daemon is made for its node.
    """
    status = PodStatus(resource_claim_statuses=pod.status.resource_claim_statuses)
    metadata = replace(pod.metadata, deletion_timestamp=None)
    controller = pod.metadata.controller
    daemon = controller is not None and controller.kind == "DaemonSet"
    return AdmittedPod(metadata, pinned(pod.spec, node) if daemon else pod.spec, status, "", pod.source)
