"""Filling a cluster with equal pods: in lockstep over all nodes where that is exact, else one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.group_members import group_of
from kschedctl.cluster.pods import PodRecord
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin_spec import Reads
from kschedctl.objects.go import INT64_MAX
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import after_refusal, place
from kschedctl.scheduling.node_search import confined_rows
from kschedctl.whatif.queue.simulator import Inspect
from kschedctl.whatif.session import Session

Ints = npt.NDArray[np.int64]


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
        self.handed += 1
        if self.model is None:
            return self.records[self.handed - 1] if self.handed <= len(self.records) else None
        model = self.model
        if self.in_groups:
            model = self._model_of_set(session, model)
        metadata = replace(model.metadata, name=f"{model.name}-{self.handed}", uid="")
        copy = AdmittedPod(metadata, model.spec, model.status, "", model.source)
        return session.cluster.add_pod(copy)

    def _model_of_set(self, session: Session, model: AdmittedPod) -> AdmittedPod:
        number = (self.handed - 1) // self.share
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
    return filling


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
    """Where each node decides by itself how many it takes: one more on every node per step.

    Each step is one pass of the filters over hypothetical nodes. Not done where the limit is reached, since then it
    matters which nodes are taken first, if there are several.
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
        for _ in range(int(room[row])):
            record = supply.next(session)
            assert record is not None
            session.cluster.assume(record.id, row)
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
    if phase.status is not None or any(
        p.spec.reads not in (Reads.NODES, Reads.USAGE, Reads.ROW) for p in filters
    ):
        return None
    index = confined_rows(phase, cluster)
    rows = framework.hypothetical(phase, cluster, index)
    room = np.zeros(cluster.nodes.count, np.int64)
    alive = np.ones(len(index), bool)
    while alive.any():
        alive = framework.run_filters_with_nominated(pod, phase, rows, among=alive).feasible & alive
        room[index[alive]] += 1
        if int(room.sum()) > most:
            break
        framework.change(phase, rows, np.where(alive, pod.id, -1), 1)
    return room
