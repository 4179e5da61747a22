"""Whether a change helps: the whole algorithm is run again in a fork of the cluster in which it is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.admission.defaults import default_node
from kschedctl.admission.invalid import Invalid
from kschedctl.advice.json_patch import Operation, patched_object
from kschedctl.advice.measure import Addition, Departure, Measure, ObjectPatch, PodPatch, Reference
from kschedctl.cluster.pods import PodRecord
from kschedctl.objects.kinds import BY_TYPE
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import evict_and_retry, place
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.world.world import successor

if TYPE_CHECKING:
    from kschedctl.whatif.session import Session


def _merged(patches: Iterable[ObjectPatch]) -> Iterator[ObjectPatch]:
    """One patch an object: each was made for the object as it is, so what leaves a list leaves it from the end on."""
    by_target: dict[Reference, list[Operation]] = {}
    for patch in patches:
        by_target.setdefault(patch.target, []).extend(patch.operations)
    for target, operations in by_target.items():
        kept = [operation for operation in operations if _place_in_list(operation) < 0]
        removed = [operation for operation in operations if _place_in_list(operation) >= 0]
        yield ObjectPatch(target, (*kept, *sorted(removed, key=_place_in_list, reverse=True)))


def _place_in_list(operation: Operation) -> int:
    """Where in its list an item is that is removed, -1 for every other operation."""
    last = operation["path"].rpartition("/")[2]
    return int(last) if operation["op"] == "remove" and last.isdecimal() else -1


class Displacement(Struct, frozen=True):
    """A pod that leaves its node for the change.

    Attributes:
        pod: its full name.
        source: the node it was on.
        target: the node on which its successor is placed; None: it finds none, or nothing makes it anew.
        first: whether its successor may come first, and leaves the room all the same.
        returns: whether its controller makes a successor.
    """

    pod: str
    source: str
    target: str | None
    first: bool
    returns: bool


class Proof(Struct, frozen=True):
    """What kube-scheduler decides once a change is made.

    Attributes:
        node: where the pod goes.
        nodes: all nodes that are feasible, in the order of the search.
        victims: running pods that it preempts.
        moves: pods that leave their nodes for it.
    """

    node: str
    nodes: tuple[str, ...]
    victims: tuple[str, ...] = ()
    moves: tuple[Displacement, ...] = ()


class Court:
    """Tries changes in forks of the cluster; the candidate is out of the way in it.

    Args:
        session: the cluster.
        pod: the candidate as it would be created anew.

    Attributes:
        trials: how many changes were tried.
    """

    def __init__(self, session: Session, pod: Pod) -> None:
        self.session = session
        self.pod = pod
        self.trials = 0
        options = replace(session.scheduler.options, every_failure=False, reuse=False)
        self._scheduler = self._like(options)
        self._without_preemption = self._like(replace(options, preemption=False))

    def _like(self, options: SchedulingOptions) -> Scheduler:
        known = self.session.scheduler
        return Scheduler(known.configuration, options, known.transport)

    def prove(self, changes: Sequence[Measure], *, preempting: bool = False) -> Proof | None:
        """What becomes of the pod with the changes made; None where it still fits nowhere, or is refused.

        Args:
            changes: what is changed, all of it.
            preempting: whether it may take the place of others.
        """
        self.trials += 1
        cluster = self.session.cluster
        start = cluster.mark()
        try:
            record = self._made(changes)
            if record is None:
                return None
            decision = (self._scheduler if preempting else self._without_preemption).decide(record, cluster)
            victims: tuple[str, ...] = ()
            if decision.outcome is Outcome.UNSCHEDULABLE and preempting:
                preemption = decision.preemption
                if preemption is None or preemption.nominated is None:
                    return None
                gone = preemption.candidates[preemption.nominated].victims
                victims = tuple(cluster.pods.records[pod].full_name for pod in gone)
                decision = evict_and_retry(self._scheduler, decision)
            if decision.outcome is not Outcome.SCHEDULED or decision.selected_node is None:
                return None
            departures = [e for c in changes for e in c.edits if isinstance(e, Departure)]
            feasible = [] if decision.feasible is None else decision.feasible.tolist()
            names = tuple(cluster.nodes.names[row] for row in feasible)
            node = decision.selected_node
            moves = self._moves(departures, decision) if departures else ()
            return Proof(node, names, victims, moves)
        finally:
            cluster.undo_to(start)

    def _made(self, changes: Sequence[Measure]) -> PodRecord | None:
        """The candidate in the changed cluster; None where the API server would refuse it."""
        pod = self.pod
        edits = [edit for change in changes for edit in change.edits]
        for patch in _merged(edit for edit in edits if isinstance(edit, ObjectPatch)):
            self._patch(patch)
        for edit in edits:
            match edit:
                case PodPatch(operations):
                    try:
                        pod = patched_object(pod, operations)
                    except (LookupError, ValueError):
                        return None
                case Addition(objects):
                    self._add(objects)
                case Departure():
                    self.session.cluster.remove(edit.pod)
        entered = self.session.enter(pod)
        return None if isinstance(entered, Invalid) else entered

    def _patch(self, edit: ObjectPatch) -> None:
        cluster, target = self.session.cluster, edit.target
        if target.kind == "Node":
            row = cluster.nodes.row_of[target.name]
            cluster.patch_nodes([default_node(patched_object(cluster.nodes.objects[row], edit.operations))])
            return
        kind = next(kind for kind in BY_TYPE.values() if kind.kind == target.kind)
        found = cluster.objects.find(kind.type, target.name, target.namespace)
        assert found is not None
        self._set_objects([patched_object(found, edit.operations)])

    def _add(self, objects: Sequence[TopLevel]) -> None:
        cluster = self.session.cluster
        if nodes := [default_node(obj) for obj in objects if isinstance(obj, Node)]:
            cluster.set_nodes(sorted([*cluster.nodes_by_addition(), *nodes], key=lambda node: node.name))
        if others := [obj for obj in objects if not isinstance(obj, (Node, Pod))]:
            self._set_objects(others)
        for pod in objects:
            if isinstance(pod, Pod):
                self._start(pod)

    def _start(self, pod: Pod) -> None:
        """A pod that comes with a new node: on it, or placed there by kube-scheduler."""
        cluster = self.session.cluster
        bound = replace(pod, spec=replace(pod.spec, node_name=""))
        entered = self.session.enter(bound)
        if isinstance(entered, Invalid):
            return
        if pod.spec.node_name:
            cluster.assume(entered.id, cluster.nodes.row_of[pod.spec.node_name])
            return
        decision = self._without_preemption.decide(entered, cluster)
        if decision.outcome is Outcome.SCHEDULED:
            place(decision)

    def _set_objects(self, changed: Sequence[TopLevel]) -> None:
        objects = self.session.cluster.objects
        for obj in changed:
            objects = objects.with_object(self.session.admission.admit_object(obj))
        self.session.set_objects(objects)

    def _moves(self, departures: Sequence[Departure], decision: Decision) -> tuple[Displacement, ...]:
        """What becomes of the pods that leave: their successors come after the candidate, or before it."""
        cluster = self.session.cluster
        start = cluster.mark()
        targets = {} if place(decision) is not None else self._places(departures)
        cluster.undo_to(start)
        ahead = self._places(departures)
        again = self._without_preemption.decide(decision.pod, cluster)
        first = again.outcome is Outcome.SCHEDULED
        cluster.undo_to(start)
        if first and all(ahead.get(d.pod) for d in departures if d.returns):
            targets = ahead
        return tuple(
            Displacement(
                f"{d.target.namespace}/{d.target.name}", self._source(d), targets.get(d.pod), first, d.returns
            )
            for d in departures
        )

    def _source(self, departure: Departure) -> str:
        return self.session.cluster.pods.records[departure.pod].pod.node_name

    def _places(self, departures: Sequence[Departure]) -> dict[int, str]:
        """Pod -> the node on which its successor is placed; those that find none are left out."""
        cluster, found = self.session.cluster, dict[int, str]()
        for departure in departures:
            source = cluster.pods.records[departure.pod].pod.source
            if not departure.returns or source is None:
                continue
            entered = self.session.enter(successor(source))
            if isinstance(entered, Invalid):
                continue
            decision = self._without_preemption.decide(entered, cluster)
            if decision.outcome is Outcome.SCHEDULED and decision.selected_node is not None:
                found[departure.pod] = decision.selected_node
                place(decision)
        return found
