"""What would make a group of pods fit that is scheduled as one: each suggestion is proved by its whole cycle."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kschedctl.admission.invalid import Invalid
from kschedctl.advice.costs import COSTS
from kschedctl.advice.group_proof import GroupProver
from kschedctl.advice.limits import BRIEF, Limits
from kschedctl.advice.measure import Measure, Measures, PodPatch
from kschedctl.advice.obstacles.groups import (
    domains_of,
    leaving_in,
    nodes_in,
    other_keys,
    smaller_minimum,
    smaller_requests,
)
from kschedctl.advice.remedies import Remedies
from kschedctl.advice.search import Search, Suggestion
from kschedctl.advice.situation import Situation, placed_anew
from kschedctl.cluster.pods import PodRecord
from kschedctl.gangs.decision import GroupOutcome
from kschedctl.objects.pod import Pod
from kschedctl.scheduling.group_answer import GroupAnswer
from kschedctl.whatif.judgement.explain import judging, take_out
from kschedctl.whatif.judgement.group_question import waiting_members
from kschedctl.whatif.session import Session

_HELPED: Final = (GroupOutcome.UNSCHEDULABLE.value, GroupOutcome.GATED.value)
_MOST_NODES: Final = 8
_LEFT_OUT: Final = ("priority", "new-node")
"""Members have the priority of their group; nodes are counted for the group."""


class GroupAdvice(Struct, frozen=True):
    """What would make a group fit.

    Attributes:
        found: the suggestions, cheapest first.
        alike: the members that a change of the pod changes.
    """

    found: list[Suggestion]
    alike: Sequence[Pod] = ()


def group_suggestions(
    session: Session,
    pod: Pod | PodRecord,
    others: Sequence[Pod] = (),
    *,
    limits: Limits = BRIEF,
    costs: Mapping[str, float] = COSTS,
    closed: Collection[str] = (),
) -> GroupAdvice:
    """What would make the group of a pod fit that is not placed; the pod has a node then.

    Args:
        session: the cluster, which is left as it is.
        pod: a member that waits, new or of the cluster.
        others: new pods that are asked about with it, itself among them.
        limits: how far to search.
        costs: what each kind of change costs.
        closed: nodes that somebody has just closed: to open them again is no suggestion.
    """
    start = session.cluster.mark()
    try:
        # Those that wait in the cluster make room for themselves as they would be created anew.
        waiting = [] if isinstance(pod, Pod) else waiting_members(session, pod)
        for record in waiting:
            take_out(session, record)
        members = list(others) if isinstance(pod, Pod) else _anew(waiting)
        subject = placed_anew(pod)
        if all(member.full_name != subject.full_name for member in members):
            members.append(subject)
        with judging(session, subject, members) as decision:
            answer = None if isinstance(decision, Invalid) else decision.group
        if answer is None or not answer.exists or answer.outcome not in _HELPED:
            return GroupAdvice([])
        search = _GroupSearch(session, answer, members, subject, waiting, costs, frozenset(closed))
        return search.run(limits)
    finally:
        session.cluster.undo_to(start)


def _anew(records: Sequence[PodRecord]) -> list[Pod]:
    return [placed_anew(record) for record in records if record.pod.source is not None]


class _Worth(Struct):
    """What is worth trying for a group.

    Attributes:
        changes: each by itself.
        ladders: changes that help the more the later they are: of each the first is wanted that is enough.
    """

    changes: list[Measures]
    ladders: list[list[Measure]]


class _GroupSearch:
    def __init__(
        self,
        session: Session,
        answer: GroupAnswer,
        members: Sequence[Pod],
        subject: Pod,
        replaced: Sequence[PodRecord],
        costs: Mapping[str, float],
        closed: frozenset[str],
    ) -> None:
        self._session, self._answer, self._costs, self._closed = session, answer, costs, closed
        self._members, self._most = members, 0
        failing = next((one.pod for one in answer.members if one.tried and one.node is None), None)
        gated = next((one for one in members if one.spec.scheduling_gates), None)
        self._failing = next((one for one in members if one.full_name == failing), gated)
        self._prover = GroupProver(session, self._failing or subject, members, subject, replaced)

    def run(self, limits: Limits) -> GroupAdvice:
        """The suggestions."""
        cluster, answer, prover = self._session.cluster, self._answer, self._prover
        placements = max(1, len(answer.placements))
        self._most = limits.for_group(len(self._members), cluster.nodes.count, placements)
        if not self._most:
            return GroupAdvice([])
        worth = self._worth() or _Worth([], [])
        enough = [self._smaller_minimum()]
        enough += [self._first_that_helps(len(ladder), ladder.__getitem__) for ladder in worth.ladders]
        changes = [*worth.changes, *((change,) for change in other_keys(cluster, answer))]
        changes += [(found,) for found in enough if found is not None]
        limits = replace(limits, trials=self._most)
        return GroupAdvice(Search(prover, limits, self._costs).run(changes), prover.alike)

    def _smaller_minimum(self) -> Measure | None:
        """The largest minimum that is small enough; there may be billions."""
        cluster, answer = self._session.cluster, self._answer
        below = (answer.minimum or 1) - 1
        if below < 1 or smaller_minimum(cluster, answer, below) is None:
            return None

        def rung(at: int) -> Measure:
            change = smaller_minimum(cluster, answer, below - at)
            assert change is not None
            return change

        return self._first_that_helps(below, rung)

    def _first_that_helps(self, length: int, rung: Callable[[int], Measure]) -> Measure | None:
        """The first rung of a ladder that is enough."""
        low, high = 0, length
        while low < high:
            if self._prover.trials >= self._most:
                return None
            middle = (low + high) // 2
            if self._prover.prove((rung(middle),)) is None:
                low = middle + 1
            else:
                high = middle
        return rung(low) if low < length else None

    def _worth(self) -> _Worth | None:
        """What might help the first member that finds no room, seen while those before it are on their nodes."""
        session, asked = self._session, self._members
        if self._failing is None:
            return None
        before = self._placed()
        with judging(session, self._failing, asked) as decision:
            if isinstance(decision, Invalid) or decision.framework is None:
                return None
            situation = Situation(session, self._failing, decision, self._placed() - before)
            found = list(Remedies(situation, self._costs, self._closed).anywhere())
            worth = _Worth([one for one in found if not any(change.kind in _LEFT_OUT for change in one)], [])
            worth.changes += _on_several_nodes(worth.changes)
            for domain, rows in domains_of(situation, self._answer):
                worth.changes += _one_by_one(leaving_in(situation, rows))
                worth.ladders.append(smaller_requests(situation, rows, len(asked)))
                worth.ladders.append(nodes_in(situation, rows, domain, _MOST_NODES))
        each = len(self._prover.alike)
        worth.changes = [tuple(_of_each(change, each) for change in one) for one in worth.changes]
        worth.ladders = [[_of_each(change, each) for change in ladder] for ladder in worth.ladders]
        return worth

    def _placed(self) -> frozenset[int]:
        """Ids of the pods that are on a node."""
        return frozenset(np.flatnonzero(self._session.cluster.pods.node >= 0).tolist())


def _one_by_one(changes: Sequence[Measure]) -> list[Measures]:
    """The first, the first two, and so on."""
    return [tuple(changes[: count + 1]) for count in range(len(changes))]


def _on_several_nodes(found: Sequence[Measures]) -> list[Measures]:
    """Changes of one kind for one node each, made for several."""
    kinds: dict[str, list[Measure]] = {}
    for changes in found:
        if len(changes) == 1 and changes[0].row is not None and not changes[0].topic:
            kinds.setdefault(changes[0].kind, []).append(changes[0])
    return [several for alike in kinds.values() for several in _one_by_one(alike)[1:]]


def _of_each(change: Measure, members: int) -> Measure:
    """A change of a member, told as one of all that are written like it."""
    if members < 2 or not any(isinstance(edit, PodPatch) for edit in change.edits):
        return change
    return replace(
        change, text=f"{change.text} for each of its {members} pods", topic=change.topic or change.text
    )
