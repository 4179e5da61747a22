"""The search for suggestions: what removes the last obstacles of some node, cheapest first, proved one by one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

import numpy as np
from msgspec import Struct

from kschedctl.advice.combinations import cheapest_first
from kschedctl.advice.costs import COSTS, cost_of
from kschedctl.advice.json_patch import document_of
from kschedctl.advice.limits import BRIEF, Limits
from kschedctl.advice.measure import Measure, Measures, ObjectPatch, PodPatch
from kschedctl.advice.obstacles.attach_limits import attach_limits
from kschedctl.advice.obstacles.claims import claims
from kschedctl.advice.obstacles.departures import PODS_DECIDE, departures
from kschedctl.advice.obstacles.devices import devices
from kschedctl.advice.obstacles.host_ports import host_ports
from kschedctl.advice.obstacles.node_affinity import node_affinity
from kschedctl.advice.obstacles.nodes import taints, uncordoning
from kschedctl.advice.obstacles.pod_affinity import pod_affinity
from kschedctl.advice.obstacles.resources import requests
from kschedctl.advice.obstacles.spread import spread
from kschedctl.advice.obstacles.whole import gates, new_nodes, priorities, profiles, winning
from kschedctl.advice.proof import Court, Proof
from kschedctl.advice.situation import Ints, Situation, placed_anew
from kschedctl.cluster.pods import PodRecord
from kschedctl.objects.pod import Pod
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.whatif.session import Session

_Remedy = Callable[[Situation, Ints], Iterator[Measures]]


def _alone(remedy: Callable[[Situation, Ints], Iterator[Measure]]) -> _Remedy:
    """A remedy whose changes are each enough."""
    return lambda situation, rows: ((change,) for change in remedy(situation, rows))


_REMEDIES: Final[Mapping[str, _Remedy]] = {
    "NodeUnschedulable": uncordoning,
    "TaintToleration": taints,
    "NodeAffinity": node_affinity,
    "NodeResourcesFit": requests,
    "NodePorts": _alone(host_ports),
    "PodTopologySpread": _alone(spread),
    "InterPodAffinity": pod_affinity,
    "VolumeBinding": claims,
    "VolumeZone": claims,
    "VolumeRestrictions": claims,
    "NodeVolumeLimits": attach_limits,
    "DynamicResources": _alone(devices),
}
"""Plugin -> what can be done where it refuses nodes, beside letting pods leave."""

_MOST_KINDS_OF_NODES: Final = 6
_MOST_REMEDIES: Final = 48
"""Changes that are looked at for one obstacle."""
_MOST_TOGETHER: Final = 60
"""Combinations of changes for the nodes that the same plugins refuse."""
_MOST_COMBINED: Final = 4 * _MOST_TOGETHER
"""The same, those included that are for different nodes."""


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
    situation = Situation(session, anew, decision)
    court = Court(session, anew)
    return _Search(situation, court, limits, costs, closed=frozenset(closed)).run()


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
    situation = Situation(session, anew, decision)
    return _Search(situation, Court(session, anew), BRIEF, costs, row).run()


def preferences_for_node(
    session: Session, pod: Pod | PodRecord, row: int, rivals: Sequence[int]
) -> list[Suggestion]:
    """What would let a feasible node win: a wish of the pod for it, or its rivals cordoned; each is proved."""
    anew = placed_anew(pod)
    court, node = Court(session, anew), session.cluster.nodes.objects[row]
    found = []
    for changes in winning(document_of(anew), node, [session.cluster.nodes.objects[r] for r in rivals]):
        proof = court.prove(changes)
        if proof is not None and proof.node == node.name:
            found.append(Suggestion(court.fitted(changes), cost_of(changes), proof))
    return found


class _Search:
    """Candidates in order of cost, tried until enough are found."""

    def __init__(
        self,
        situation: Situation,
        court: Court,
        limits: Limits,
        costs: Mapping[str, float],
        row: int | None = None,
        closed: frozenset[str] = frozenset(),
    ) -> None:
        self._situation, self._court, self._limits, self._costs = situation, court, limits, costs
        self._row, self._closed = row, closed
        self._node = None if row is None else situation.cluster.nodes.names[row]

    def run(self) -> list[Suggestion]:
        candidates = sorted(self._candidates(), key=lambda changes: cost_of(changes, self._costs))
        found: dict[object, Suggestion] = {}
        for changes in candidates:
            cost = cost_of(changes, self._costs)
            if self._court.trials >= self._limits.trials:
                break
            if len(found) >= self._limits.enough and cost >= self._dearest(found):
                break
            subject = _subject(changes)
            if subject in found or any(_contains(changes, known.changes) for known in found.values()):
                continue
            proof = self._court.prove(changes, preempting=changes[0].kind == "priority")
            if proof is None or (self._node is not None and self._node not in proof.nodes):
                continue
            changes, proof = self._needed(changes, proof)
            subject = _subject(changes)
            if subject not in found:
                cost = self._settled(changes, proof)
                found[subject] = Suggestion(self._court.fitted(changes), cost, proof)
        return sorted(found.values(), key=lambda s: s.cost)[: self._limits.enough]

    def _dearest(self, found: Mapping[object, Suggestion]) -> float:
        """What the last one costs of those that are enough."""
        return sorted(suggestion.cost for suggestion in found.values())[self._limits.enough - 1]

    def _needed(self, changes: Measures, proof: Proof) -> tuple[Measures, Proof]:
        """The changes without those that are not needed."""
        for change in changes if len(changes) > 1 else ():
            fewer = tuple(other for other in changes if other is not change)
            found = self._court.prove(fewer)
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

    def _candidates(self) -> Iterator[Measures]:
        situation = self._situation
        if situation.record.pod.spec.scheduling_gates:
            yield from ((change,) for change in gates(situation))
            return
        seen: set[tuple[str, ...]] = set()
        for changes in self._all():
            key = tuple(change.text for change in changes)
            if key not in seen and not any(self._opens(change) for change in changes):
                seen.add(key)
                yield changes

    def _opens(self, change: Measure) -> bool:
        """Whether a change opens a node that is to stay closed."""
        return any(
            isinstance(edit, ObjectPatch) and edit.target.kind == "Node" and edit.target.name in self._closed
            for edit in change.edits
        )

    def _all(self) -> Iterator[Measures]:
        situation = self._situation
        if self._row is not None:
            refusing = [name for name, mask in situation.refusals.items() if mask[self._row]]
            yield from islice(self._for_nodes(frozenset(refusing), np.array([self._row])), _MOST_TOGETHER)
            return
        kinds = list(islice(situation.obstacles(), 64))
        for plugins, rows in kinds[:_MOST_KINDS_OF_NODES]:
            yield from islice(self._for_nodes(plugins, rows), _MOST_TOGETHER)
        if any(plugins <= PODS_DECIDE for plugins, _ in kinds[_MOST_KINDS_OF_NODES:]):
            for plugins, rows in kinds[_MOST_KINDS_OF_NODES:]:
                if plugins <= PODS_DECIDE:
                    yield from ((change,) for change in islice(departures(situation, rows, plugins), 6))
                    break
        for found in (new_nodes(situation), priorities(situation), profiles(situation)):
            yield from ((change,) for change in found)

    def _for_nodes(self, plugins: frozenset[str], rows: Ints) -> Iterator[Measures]:
        """What removes all obstacles of nodes that exactly these plugins refuse, the cheapest first."""
        others = _remedies(plugins - PODS_DECIDE)
        by_pods = sorted(plugins & PODS_DECIDE)
        more = [remedy for remedy in _remedies(by_pods) if remedy not in others]
        ways = [self._parts([*more, *others], rows)]
        if by_pods:
            leaving: list[Measures] = [
                (change,) for change in islice(departures(self._situation, rows, by_pods), 10)
            ]
            ways.append([leaving, *self._parts(others, rows)])
        for way in ways:
            for changes in islice(cheapest_first(way, self._costs), _MOST_COMBINED):
                if (together := _consistent(changes)) is not None:
                    yield together

    def _parts(self, remedies: Collection[_Remedy], rows: Ints) -> list[list[Measures]]:
        """What can be done about each obstacle; a limit may be as it should be once a claim is another one."""
        parts = {remedy: list(islice(remedy(self._situation, rows), _MOST_REMEDIES)) for remedy in remedies}
        if claims in parts and attach_limits in parts:
            parts[attach_limits].append(())
        return list(parts.values())


def _remedies(plugins: Collection[str]) -> list[_Remedy]:
    """What can be done about obstacles, once each."""
    return list(dict.fromkeys(_REMEDIES.get(plugin, _nothing) for plugin in sorted(plugins)))


def _nothing(situation: Situation, rows: Ints) -> Iterator[Measures]:
    """What can be done about plugins that are not known here."""
    return iter(())


def _consistent(changes: Measures) -> Measures | None:
    """Measures that can be made together, each once; None where they are for different nodes."""
    rows = {change.row for change in changes if change.row is not None}
    if len(rows) > 1 or not changes:
        return None
    unique = {change.text: change for change in changes}
    return tuple(sorted(unique.values(), key=lambda c: not any(isinstance(e, PodPatch) for e in c.edits)))


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
