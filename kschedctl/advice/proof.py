"""Whether a change helps: the whole algorithm is run again in a fork of the cluster in which it is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kschedctl.admission.defaults import default_node
from kschedctl.admission.invalid import Invalid
from kschedctl.advice.composition import composed
from kschedctl.advice.json_patch import document_of
from kschedctl.advice.measure import (
    Addition,
    Consequence,
    Departure,
    Measure,
    Measures,
    Reference,
    Replacement,
)
from kschedctl.errors import UnsupportedError
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


class Prover:
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
        self._known: dict[object, Proof | None] = {}
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

        Raises:
            LookupError: a patch is about what is not there.
            msgspec.ValidationError: a patch makes something of an object that it cannot be.
        """
        key = _key(changes, preempting)
        if key not in self._known:
            self.trials += 1
            self._known[key] = self._proved(changes, preempting=preempting)
        return self._known[key]

    def knows(self, changes: Sequence[Measure]) -> bool:
        """Whether the changes were tried before, without preemption."""
        return _key(changes, False) in self._known

    def _proved(self, changes: Sequence[Measure], *, preempting: bool) -> Proof | None:
        cluster = self.session.cluster
        start = cluster.mark()
        try:
            # Of equal nodes that one is told that it would be if it were asked for anew, and not after other searches.
            cluster.advance_start(-cluster.next_start)
            pod = self._changed(changes)
            departures = [e for c in changes for e in c.edits if isinstance(e, Departure)]
            return self._judged(pod, departures, preempting=preempting)
        except UnsupportedError:  # what is not evaluated is no proof
            return None
        finally:
            cluster.undo_to(start)

    def _judged(self, pod: Pod, departures: Sequence[Departure], *, preempting: bool) -> Proof | None:
        """What becomes of the pod, in the changed cluster; None where the API server would refuse it."""
        cluster = self.session.cluster
        record = self.session.enter(pod)
        if isinstance(record, Invalid):
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
        feasible = [] if decision.feasible is None else decision.feasible.tolist()
        names = tuple(cluster.nodes.names[row] for row in feasible)
        node = decision.selected_node
        moves = self._moves(departures, decision) if departures else ()
        return Proof(node, names, victims, moves)

    def fitted(self, changes: Sequence[Measure]) -> Measures:
        """The changes with patches that are right one after the other."""
        return composed(changes, self._document).changes

    def _document(self, target: Reference | None) -> Any:
        return document_of(self.pod if target is None else self._found(target))

    def _found(self, target: Reference) -> TopLevel:
        cluster = self.session.cluster
        if target.kind == "Node":
            return cluster.nodes.objects[cluster.nodes.row_of[target.name]]
        kind = next(kind for kind in BY_TYPE.values() if kind.kind == target.kind)
        found = cluster.objects.find(kind.type, target.name, target.namespace)
        assert found is not None
        return found

    def _changed(self, changes: Sequence[Measure]) -> Pod:
        """The candidate as it is then, in the changed cluster."""
        made = composed(changes, self._document)
        pod = self.pod
        for target, document in made.documents.items():
            if target is None:
                pod = msgspec.convert(document, Pod)
            else:
                self._set(msgspec.convert(document, type(self._found(target))))
        for edit in (edit for change in made.changes for edit in change.edits):
            match edit:
                case Addition(objects) | Consequence(Addition(objects)):
                    self._add(objects)
                case Replacement(obj):
                    self._set(obj)
                case Departure():
                    self.session.cluster.remove(edit.pod)
        return pod

    def _set(self, obj: TopLevel) -> None:
        if isinstance(obj, Node):
            self.session.cluster.patch_nodes([default_node(obj)])
        else:
            self._set_objects([obj])

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
        return self._displacements(departures, targets, first=first)

    def _displacements(
        self, departures: Sequence[Departure], targets: Mapping[int, str], *, first: bool
    ) -> tuple[Displacement, ...]:
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


def _key(changes: Sequence[Measure], preempting: bool) -> object:
    return frozenset((change.kind, change.text) for change in changes), preempting
