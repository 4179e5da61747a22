"""What might make a pod fit: what removes the last obstacles of some node, and what is about no single obstacle."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from typing import Final

import numpy as np

from kschedctl.advice.combinations import cheapest_first
from kschedctl.advice.costs import COSTS
from kschedctl.advice.measure import Measure, Measures, ObjectPatch, PodPatch
from kschedctl.advice.obstacles.attach_limits import attach_limits
from kschedctl.advice.obstacles.claims import claims
from kschedctl.advice.obstacles.departures import departures
from kschedctl.advice.obstacles.devices import devices
from kschedctl.advice.obstacles.host_ports import host_ports
from kschedctl.advice.obstacles.more_nodes import new_nodes
from kschedctl.advice.obstacles.node_affinity import node_affinity
from kschedctl.advice.obstacles.nodes import node_name, taints, uncordoning
from kschedctl.advice.obstacles.pod_affinity import pod_affinity
from kschedctl.advice.obstacles.resources import requests
from kschedctl.advice.obstacles.spread import spread
from kschedctl.advice.obstacles.whole import gates, priorities, profiles
from kschedctl.advice.situation import Ints, Situation

_Remedy = Callable[[Situation, Ints], Iterator[Measures]]


def _alone(remedy: Callable[[Situation, Ints], Iterator[Measure]]) -> _Remedy:
    """A remedy whose changes are each enough."""
    return lambda situation, rows: ((change,) for change in remedy(situation, rows))


_REMEDIES: Final[Mapping[str, _Remedy]] = {
    "NodeName": _alone(node_name),
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


class Remedies:
    """What is worth trying for a pod, in no order that matters.

    Args:
        situation: the pod, and why it fits nowhere.
        costs: what each kind of change costs.
        closed: nodes that somebody has just closed: to open them again is no candidate.
    """

    def __init__(
        self,
        situation: Situation,
        costs: Mapping[str, float] = COSTS,
        closed: frozenset[str] = frozenset(),
    ) -> None:
        self._situation, self._costs, self._closed = situation, costs, closed

    def anywhere(self) -> Iterator[Measures]:
        """What might let the pod have some node."""
        if self._situation.record.pod.spec.scheduling_gates:
            yield from ((change,) for change in gates(self._situation))
            return
        yield from self._open(self._anywhere())

    def on(self, row: int) -> Iterator[Measures]:
        """What might let it have this node."""
        refusing = [name for name, mask in self._situation.refusals.items() if mask[row]]
        found = islice(self._for_nodes(frozenset(refusing), np.array([row])), _MOST_TOGETHER)
        yield from self._open(found)

    def _open(self, found: Iterator[Measures]) -> Iterator[Measures]:
        """The changes, once each, but for those that open a node that is to stay closed."""
        seen: set[tuple[str, ...]] = set()
        for changes in found:
            key = tuple(change.text for change in changes)
            if key not in seen and not any(self._opens(change) for change in changes):
                seen.add(key)
                yield changes

    def _opens(self, change: Measure) -> bool:
        return any(
            isinstance(edit, ObjectPatch) and edit.target.kind == "Node" and edit.target.name in self._closed
            for edit in change.edits
        )

    def _anywhere(self) -> Iterator[Measures]:
        situation = self._situation
        kinds = list(islice(situation.obstacles(), 64))
        for plugins, rows in kinds[:_MOST_KINDS_OF_NODES]:
            yield from islice(self._for_nodes(plugins, rows), _MOST_TOGETHER)
        for plugins, rows in kinds[_MOST_KINDS_OF_NODES:]:
            if plugins <= situation.refusing_for_pods:
                yield from ((change,) for change in islice(departures(situation, rows, plugins), 6))
                break
        for found in (new_nodes(situation), priorities(situation), profiles(situation)):
            yield from ((change,) for change in found)

    def _for_nodes(self, plugins: frozenset[str], rows: Ints) -> Iterator[Measures]:
        """What removes all obstacles of nodes that exactly these plugins refuse, the cheapest first."""
        others = _remedies(plugins - self._situation.refusing_for_pods)
        by_pods = sorted(plugins & self._situation.refusing_for_pods)
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
