"""Filling a cluster with equal pods: in lockstep over all nodes where that is exact, else one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.group_members import group_of
from kschedctl.cluster.pods import PodRecord
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.objects.go import INT64_MAX
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import after_refusal, place
from kschedctl.scheduling.node_search import confined_rows
from kschedctl.whatif.capacity.copies import (
    MOST_WORLDS,
    OF_THE_ROW,
    KindInSet,
    leading,
    sets_that_fit,
    worlds_with,
)
from kschedctl.whatif.queue.simulator import Inspect
from kschedctl.whatif.session import Session

Ints = npt.NDArray[np.int64]

_SHORT: Final = 64
"""With so many pods on one node after another it is asked whether it takes more sets at a time."""


class Supply(Struct):
    """The pods of one kind, to be had one after another.

    Attributes:
        records: pods that differ in more than their names, entered already; used up in order.
        model: for equal pods: the admitted pod of which all are copies.
        share: how many make up one set.
        in_groups: whether they are members of a group, of which every set has one of its own.
        handed: how many were handed out.
        of_set: the number of the last set that was begun, and the model in its group.
    """

    share: int
    in_groups: bool = False
    records: Sequence[PodRecord] = ()
    model: AdmittedPod | None = None
    handed: int = 0
    of_set: tuple[int, AdmittedPod] | None = None

    def next(self, session: Session) -> PodRecord | None:
        """The next pod, None where none is left."""
        if self.model is None:
            self.handed += 1
            return self.records[self.handed - 1] if self.handed <= len(self.records) else None
        model = self.model
        if self.in_groups:
            model = self._model_of_set(session, model)
        return session.cluster.add_pod(self.copy_of(model))

    def copy_of(self, pod: AdmittedPod) -> AdmittedPod:
        """The next pod, made like another of this kind."""
        assert self.model is not None
        self.handed += 1
        metadata = replace(pod.metadata, name=f"{self.model.name}-{self.handed}", uid="")
        return AdmittedPod(metadata, pod.spec, pod.status, "", pod.source)

    def _model_of_set(self, session: Session, model: AdmittedPod) -> AdmittedPod:
        number = self.handed // self.share
        if self.of_set is None or self.of_set[0] != number:
            from kschedctl.whatif.capacity.groups import in_group_of_set  # loaded only where there are groups

            self.of_set = number, in_group_of_set(session, model, number)
        return self.of_set[1]


class Filling(Struct):
    """What a cluster took.

    Attributes:
        sets: whole sets that were placed.
        by_node: node -> how many pods of each kind it got.
        blocking: the kind whose pod was the first to find no node; None where a limit ended it.
        outcome: how that pod's decision ended.
        message: why it found no node.
        inspected: what `inspect` made of its decision.
        exhausted: whether a supply ran out before the cluster did.
    """

    sets: int = 0
    by_node: dict[str, list[int]] = field(default_factory=dict)
    blocking: int | None = None
    outcome: Outcome | None = None
    message: str = ""
    inspected: Any = None
    exhausted: bool = False


def fill(session: Session, supplies: Sequence[Supply], limit: int, inspect: Inspect | None) -> Filling:
    """Place whole sets until a pod finds no node, or up to a limit of sets.

    A set of which not every pod finds a node is taken back. Nobody is preempted.
    """
    filling = Filling()
    alone = len(supplies) == 1 and supplies[0].share == 1 and not supplies[0].in_groups
    if alone and supplies[0].model is not None:
        _fill_in_lockstep(session, supplies[0], limit, filling)
    in_groups = [supply.in_groups for supply in supplies]
    stretch = _Stretch(supplies) if all(s.model is not None and not s.in_groups for s in supplies) else None
    while filling.sets < limit:
        drawn = [
            (kind, supply.next(session)) for kind, supply in enumerate(supplies) for _ in range(supply.share)
        ]
        mark = session.cluster.mark()
        placed = list(_place_set(session, drawn, filling, inspect, in_groups=in_groups))
        if filling.blocking is not None or filling.exhausted:
            session.cluster.undo_to(mark)
            return filling
        filling.sets += 1
        for kind, node in placed:
            _count(filling, node, kind, len(supplies))
        if stretch is not None:
            stretch.go_on(session, filling, [node for _, node in placed], [one for _, one in drawn], limit)
    return filling


class _Stretch:
    """Sets that come to one node, again and again: many of them at a time, where that is all that matters.

    Args:
        supplies: where their pods come from, all of them equal pods.
    """

    def __init__(self, supplies: Sequence[Supply]) -> None:
        self._supplies = supplies
        self._node, self._length, self._next_try = "", 0, _SHORT
        """The node that had the last set, how many pods it had one after another, and with how many to ask."""

    def go_on(
        self,
        session: Session,
        filling: Filling,
        nodes: Sequence[str],
        placed: Sequence[PodRecord | None],
        limit: int,
    ) -> None:
        """Place what can be placed at a time after a set, of which the nodes and pods are given."""
        if nodes.count(self._node) < len(nodes):
            self._node, self._length, self._next_try = nodes[0], 0, _SHORT
            return
        self._length += len(nodes)
        if self._length < self._next_try:
            return
        row = session.cluster.nodes.row_of[self._node]
        kinds = []
        for supply, first in zip(self._supplies, _firsts(self._supplies), strict=True):
            one = placed[first]
            assert one is not None
            assert supply.model is not None
            kinds.append(KindInSet(supply.model, session.cluster.pods.records[one.id], supply.share))
        while sets := sets_that_fit(session, kinds, row, limit - filling.sets):
            self._place(session, filling, kinds, sets)
            self._length += sets * len(nodes)
        self._next_try = 2 * self._length

    def _place(self, session: Session, filling: Filling, kinds: Sequence[KindInSet], sets: int) -> None:
        each = [
            (kind, supply)
            for kind, supply in zip(kinds, self._supplies, strict=True)
            for _ in range(kind.share)
        ]
        copies = [supply.copy_of(kind.placed.pod) for _ in range(sets) for kind, supply in each]
        session.cluster.assume_copies([kind.placed.id for kind, _ in each], copies)
        filling.sets += sets
        for i, kind in enumerate(kinds):
            filling.by_node[self._node][i] += sets * kind.share


def _firsts(supplies: Sequence[Supply]) -> Iterator[int]:
    """Where in a set the pods of each kind begin."""
    at = 0
    for supply in supplies:
        yield at
        at += supply.share


def _place_set(
    session: Session,
    drawn: Sequence[tuple[int, PodRecord | None]],
    filling: Filling,
    inspect: Inspect | None,
    *,
    in_groups: Sequence[bool],
) -> Iterator[tuple[int, str]]:
    kinds = {record.id: kind for kind, record in drawn if record is not None}
    records = [record for _, record in drawn if record is not None]
    if len(records) < len(drawn):
        filling.exhausted = True
        return
    placed: dict[int, str] = {}
    for record in records:
        kind = kinds[record.id]
        if in_groups[kind] and record.id not in placed:
            mates = [mate for mate in records if group_of(mate) == group_of(record)]
            placed |= _place_group(session, mates, kinds, filling, inspect)
        elif not in_groups[kind]:
            decision = session.scheduler.decide(record, session.cluster)
            if decision.outcome is Outcome.SCHEDULED and (refused := place(decision)) is not None:
                decision = after_refusal(decision, refused)
            if decision.outcome is not Outcome.SCHEDULED:
                _block(filling, kind, decision, inspect)
                return
            assert decision.selected_node is not None
            placed[record.id] = decision.selected_node
        if filling.blocking is not None:
            return
        yield kind, placed[record.id]


def _place_group(
    session: Session,
    members: Sequence[PodRecord],
    kinds: Mapping[int, int],
    filling: Filling,
    inspect: Inspect | None,
) -> Mapping[int, str]:
    from kschedctl.whatif.capacity.groups import place_group  # loaded only where there are groups
    from kschedctl.whatif.judgement.group_question import judging_member

    found = place_group(session, members)
    if found.blocking is not None:
        with judging_member(session, found.blocking) as decision:
            _block(filling, kinds[found.blocking.id], decision, inspect)
    return found.nodes


def _block(filling: Filling, kind: int, decision: Decision, inspect: Inspect | None) -> None:
    """Note the first pod that finds no node."""
    filling.blocking, filling.outcome = kind, decision.outcome
    filling.message = decision.event or decision.message
    filling.inspected = inspect(decision) if inspect else None


def _count(filling: Filling, node: str, kind: int, kinds: int) -> None:
    filling.by_node.setdefault(node, [0] * kinds)[kind] += 1


def _fill_in_lockstep(session: Session, supply: Supply, limit: int, filling: Filling) -> None:
    """Where each node decides by itself how many it takes: all of them are asked at a time.

    Each pass of the filters is over worlds in which the nodes have more and more pods. Not done where the limit is
    reached, since then it matters which nodes are taken first, if there are several.
    """
    assert supply.model is not None
    probe = session.cluster.add_pod(supply.model)
    room = room_per_node(session, probe, limit)
    if room is None or (int(room.sum()) > limit and np.count_nonzero(room) > 1):
        return
    room = np.minimum(room, min(limit, INT64_MAX))
    for row in np.flatnonzero(room).tolist():
        node = session.cluster.nodes.names[row]
        filling.by_node[node] = [int(room[row])]
        first = supply.next(session)
        assert first is not None
        session.cluster.assume(first.id, row)
        bound = session.cluster.pods.records[first.id].pod
        copies = [supply.copy_of(bound) for _ in range(int(room[row]) - 1)]
        session.cluster.assume_copies([first.id], copies)
    filling.sets = int(room.sum())


def room_per_node(session: Session, pod: PodRecord, most: int) -> Ints | None:
    """How many copies of a pod each node takes, int64 (N,); None where nodes do not decide by themselves.

    Args:
        session: the cluster.
        pod: on no node.
        most: stop counting where there are more than so many together.
    """
    framework, cluster = session.scheduler.framework(pod.pod.spec.scheduler_name), session.cluster
    if framework is None or framework.pre_enqueue(pod, cluster) is not None or not cluster.nodes.count:
        return None
    if session.scheduler.extenders.interested(pod.pod):
        return None  # they see all nodes at a time
    phase = framework.run_pre_filter(pod, cluster)
    filters = [p for p in framework.at(ExtensionPoint.FILTER) if p.name not in phase.skipped]
    if phase.status is not None or any(p.spec.reads not in OF_THE_ROW for p in filters):
        return None
    if not framework.counts_pods(phase):
        return None
    alive, room = confined_rows(phase, cluster), np.zeros(cluster.nodes.count, np.int64)
    step = 1
    while len(alive):
        times = room[alive].repeat(step) + np.tile(np.arange(step), len(alive))
        worlds = worlds_with(framework, phase, cluster, alive.repeat(step), {pod.id: times})
        found = framework.run_filters_with_nominated(pod, phase, worlds)
        taken = leading(found.feasible.reshape(len(alive), step))
        room[alive] += taken
        if int(room.sum()) > most:
            break
        alive = alive[taken == step]
        step = max(min(2 * step, MOST_WORLDS // max(len(alive), 1)), 1)
    return room
