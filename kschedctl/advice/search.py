"""The search for suggestions: candidates proved one by one, the cheapest first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct

from kschedctl.advice.costs import COSTS, cost_of
from kschedctl.advice.json_patch import document_of
from kschedctl.advice.limits import BRIEF, Limits
from kschedctl.advice.measure import Measure, Measures
from kschedctl.advice.obstacles.whole import winning
from kschedctl.advice.proof import Proof, Prover
from kschedctl.advice.remedies import Remedies
from kschedctl.advice.situation import Situation, placed_anew
from kschedctl.cluster.pods import PodRecord
from kschedctl.objects.pod import Pod
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.whatif.session import Session


class Suggestion(Struct, frozen=True):
    """Measures that make the pod fit, and what kube-scheduler then decides.

    Attributes:
        changes: what is changed; all of it is needed.
        cost: what it costs, by the table.
        proof: the decision with the changes made.
    """

    changes: Measures
    cost: float
    proof: Proof

    @property
    def text(self) -> str:
        """The conditions under which the pod fits."""
        return " and ".join(change.text for change in self.changes)


def suggestions(
    session: Session,
    pod: Pod | PodRecord,
    decision: Decision,
    *,
    limits: Limits = BRIEF,
    costs: Mapping[str, float] = COSTS,
    closed: Collection[str] = (),
) -> list[Suggestion]:
    """What would make a pod fit that fits nowhere, cheapest first; each is proved.

    To be asked for while the cluster is as it was decided; it is left so.

    Args:
        session: the cluster.
        pod: the candidate, new or of the cluster.
        decision: what was decided for it.
        limits: how far to search.
        costs: what each kind of change costs.
        closed: nodes that somebody has just closed: to open them again is no suggestion.
    """
    gated = decision.outcome is Outcome.GATED
    if decision.framework is None or (decision.outcome is not Outcome.UNSCHEDULABLE and not gated):
        return []
    if not session.cluster.nodes.count or _asks_extenders(session, decision):
        return []
    anew = placed_anew(pod)
    candidates = Remedies(Situation(session, anew, decision), costs, frozenset(closed))
    return Search(Prover(session, anew), limits, costs).run(candidates.anywhere())


def _asks_extenders(session: Session, decision: Decision) -> bool:
    """Whether each trial would be a call to somebody else's server, who may count them."""
    scheduler = session.scheduler
    return scheduler.transport is not None and bool(scheduler.extenders.interested(decision.pod.pod))


def suggestions_for_node(
    session: Session,
    pod: Pod | PodRecord,
    decision: Decision,
    row: int,
    *,
    costs: Mapping[str, float] = COSTS,
) -> list[Suggestion]:
    """What would let a pod have one node that it cannot have, cheapest first; each is proved.

    The pod may then go to another node all the same, if that scores higher. Arguments as for `suggestions`.
    """
    if _asks_extenders(session, decision):
        return []
    anew = placed_anew(pod)
    candidates = Remedies(Situation(session, anew, decision), costs)
    search = Search(Prover(session, anew), BRIEF, costs, session.cluster.nodes.names[row])
    return search.run(candidates.on(row))


def preferences_for_node(
    session: Session, pod: Pod | PodRecord, row: int, rivals: Sequence[int]
) -> list[Suggestion]:
    """What would let a feasible node win: a wish of the pod for it, or its rivals cordoned; each is proved."""
    anew = placed_anew(pod)
    prover, node = Prover(session, anew), session.cluster.nodes.objects[row]
    found = []
    for changes in winning(document_of(anew), node, [session.cluster.nodes.objects[r] for r in rivals]):
        proof = prover.prove(changes)
        if proof is not None and proof.node == node.name:
            found.append(Suggestion(prover.fitted(changes), cost_of(changes), proof))
    return found


class Search:
    """Candidates in order of cost, tried until enough are found.

    Args:
        prover: where they are tried.
        limits: how far to search.
        costs: what each kind of change costs.
        node: the node that the pod has to be able to have; None: any.
    """

    def __init__(
        self, prover: Prover, limits: Limits, costs: Mapping[str, float] = COSTS, node: str | None = None
    ) -> None:
        self._prover, self._limits, self._costs, self._node = prover, limits, costs, node

    def run(self, candidates: Iterable[Measures]) -> list[Suggestion]:
        """What helps, cheapest first."""
        found: dict[object, Suggestion] = {}
        for changes in sorted(candidates, key=lambda changes: cost_of(changes, self._costs)):
            cost = cost_of(changes, self._costs)
            if self._prover.trials >= self._limits.trials and not self._prover.knows(changes):
                continue
            if len(found) >= self._limits.enough and cost >= self._dearest(found):
                break
            subject = _subject(changes)
            if subject in found or any(_contains(changes, known.changes) for known in found.values()):
                continue
            proof = self._prover.prove(changes, preempting=changes[0].kind == "priority")
            if proof is None or (self._node is not None and self._node not in proof.nodes):
                continue
            changes, proof = self._needed(changes, proof)
            subject = _subject(changes)
            if subject not in found:
                cost = self._settled(changes, proof)
                found[subject] = Suggestion(self._prover.fitted(changes), cost, proof)
        return sorted(found.values(), key=lambda s: s.cost)[: self._limits.enough]

    def _dearest(self, found: Mapping[object, Suggestion]) -> float:
        """What the last one costs of those that are enough."""
        return sorted(suggestion.cost for suggestion in found.values())[self._limits.enough - 1]

    def _needed(self, changes: Measures, proof: Proof) -> tuple[Measures, Proof]:
        """The changes without those that are not needed."""
        for change in changes if len(changes) > 1 else ():
            fewer = tuple(other for other in changes if other is not change)
            found = self._prover.prove(fewer)
            if found is not None and (self._node is None or self._node in found.nodes):
                return self._needed(fewer, found)
        return changes, proof

    def _settled(self, changes: Measures, proof: Proof) -> float:
        """The price once it is known whom it costs their place."""
        cost = cost_of(changes, self._costs)
        if any(change.kind == "move" for change in changes):
            lost = sum(1 for move in proof.moves if move.target is None)
            cost += lost * (self._costs["evict"] - self._costs["move"])
        return round(cost + 0.5 * len(proof.victims), 2)


def _subject(changes: Measures) -> object:
    """What a suggestion is about: of the same change for several nodes one is enough."""
    return tuple((c.kind, "" if c.row is not None else c.topic or c.text) for c in changes)


def _contains(changes: Measures, known: Measures) -> bool:
    """Whether changes hold others that are enough by themselves."""
    return all(any(_covers(change, other) for change in changes) for other in known)


def _covers(change: Measure, other: Measure) -> bool:
    """Whether a change does all that another one does: requests that are lowered further do."""
    if change.kind == other.kind == "request" and change.topic == other.topic:
        return change.size >= other.size
    return change.text == other.text
