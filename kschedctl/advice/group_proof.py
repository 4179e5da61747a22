"""Whether a change helps a group of pods that is scheduled as one: its whole cycle is run again."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Final

import msgspec

from kschedctl.admission.invalid import Invalid
from kschedctl.advice.json_patch import document_of
from kschedctl.advice.measure import Departure
from kschedctl.advice.proof import Displacement, Proof, Prover
from kschedctl.cluster.pods import PodRecord
from kschedctl.gangs.decision import GroupOutcome
from kschedctl.objects.pod import Pod
from kschedctl.scheduling.group_answer import GroupAnswer
from kschedctl.whatif.judgement.explain import judging, take_out

if TYPE_CHECKING:
    from kschedctl.whatif.session import Session


_PLACED: Final = (GroupOutcome.SCHEDULED.value, GroupOutcome.WAITING.value)


class GroupProver(Prover):
    """Tries changes on a member and on all that are written like it; the group has to be placed.

    Args:
        session: the cluster.
        pod: the member that is changed, as it would be created anew.
        members: all that wait, in order of arrival, itself among them.
        subject: the member of them that has to have a node.
        replaced: pods of the cluster in the place of which they stand.
    """

    def __init__(
        self,
        session: Session,
        pod: Pod,
        members: Sequence[Pod],
        subject: Pod,
        replaced: Sequence[PodRecord] = (),
    ) -> None:
        super().__init__(session, pod)
        self._written = document_of(pod)["spec"]
        self._members = [(member, document_of(member)) for member in members]
        self._subject = subject
        self._replaced = replaced
        # The same cluster, of which every node is asked up to its first failure. Preemption is asked for, too: of 1.36
        # members that fail have victims, and a group that is large enough without them waits until those are gone.
        self._asked = copy(session)
        self._asked.scheduler = self._scheduler

    @property
    def alike(self) -> list[Pod]:
        """The members that a change of the pod changes."""
        return [member for member, document in self._members if document["spec"] == self._written]

    def _judged(self, pod: Pod, departures: Sequence[Departure], *, preempting: bool) -> Proof | None:
        for (
            record
        ) in self._replaced:  # where objects are exchanged, who belongs to which group is counted anew
            take_out(self.session, record)
        members = self._members_like(pod)
        answer = self._answer(members)
        if answer is None:
            return None
        node = answer.node_of(self._subject.full_name)
        placed = [member.node for member in answer.members if member.node is not None]
        if node is None:
            return None
        moves = self._moves_beside(departures, members, answer) if departures else ()
        return Proof(node, tuple(dict.fromkeys(placed)), answer.victims, moves)

    def _members_like(self, pod: Pod) -> list[Pod]:
        """The members, those that are written like the pod changed as it is."""
        spec = document_of(pod)["spec"]
        if spec == self._written:
            return [member for member, _ in self._members]
        return [
            msgspec.convert({**document, "spec": spec}, Pod) if document["spec"] == self._written else member
            for member, document in self._members
        ]

    def _answer(self, members: Sequence[Pod]) -> GroupAnswer | None:
        """What becomes of the group; None where it is not placed, or a member would be refused."""
        subject = next(member for member in members if member.full_name == self._subject.full_name)
        with judging(self._asked, subject, members) as decision:
            if isinstance(decision, Invalid) or decision.group is None:
                return None
            found = decision.group
            return found if found.outcome in _PLACED else None

    def _moves_beside(
        self, departures: Sequence[Departure], members: Sequence[Pod], answer: GroupAnswer
    ) -> tuple[Displacement, ...]:
        """What becomes of the pods that leave: their successors come before the group, or after it."""
        cluster = self.session.cluster
        start = cluster.mark()
        ahead = self._places(departures)
        first = self._answer(members) is not None
        cluster.undo_to(start)
        if first and all(ahead.get(d.pod) for d in departures if d.returns):
            return self._displacements(departures, ahead, first=True)
        nodes = {member.pod: member.node for member in answer.members}
        for member in members:
            node = nodes.get(member.full_name)
            entered = self.session.enter(member)
            if node is not None and not isinstance(entered, Invalid):
                cluster.assume(entered.id, cluster.nodes.row_of[node])
        targets = self._places(departures)
        cluster.undo_to(start)
        return self._displacements(departures, targets, first=first)
