"""Victims on nodes with pods of groups, node by node: what goes together may be on several nodes (spec 07 §7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.group_members import group_of
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.runtime import Framework
from kschedctl.framework.status import Code, Status
from kschedctl.preemption.result import Candidates
from kschedctl.preemption.units import VictimUnit, by_importance, reprieve, split_by_budgets, victim_units

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

Found = tuple[tuple[int, ...], frozenset[int]]
"""The victims of a node, the most important first, and those of them that break a disruption budget."""


def with_groups(framework: Framework, cluster: ClusterState, potential: Ints) -> Mask:
    """Which of the nodes, int64 (R,), have pods that preemption takes by the rules of their groups: bool (R,)."""
    if not framework.takes_groups:
        return np.zeros(len(potential), bool)
    records = cluster.pods.records
    listed = (cluster.usage.pods[row] for row in potential.tolist())
    return np.array([any(group_of(records[pod]) for pod in pods) for pods in listed], bool)


class NodeTrial(Struct, frozen=True):
    """The search for victims on one node.

    Attributes:
        framework: the preemptor's profile.
        pod: the preemptor.
        cluster: the cluster; what is tried is taken back.
        row: the node.
        no_victims: the status where no pod may be taken.
    """

    framework: Framework
    pod: PodRecord
    cluster: ClusterState
    row: int
    no_victims: Status

    def run(self) -> Found | Status:
        """The victims, or why there are none that help."""
        units = victim_units(self.cluster, [self.row], by_root=True)
        potential = [unit for unit in units if unit.priority < self.pod.priority]
        if not potential:
            return self.no_victims
        mark = self.cluster.mark()
        try:
            return self._select(potential)
        finally:
            self.cluster.undo_to(mark)

    def _select(self, potential: Sequence[VictimUnit]) -> Found | Status:
        rows = {pod: int(self.cluster.pods.node[pod]) for unit in potential for pod in unit.pods}
        for unit in potential:
            self._take_out(unit)
        if (status := self._misfit()) is not None:
            return status

        def stays(unit: VictimUnit) -> bool:
            for pod in unit.pods:
                self.cluster.assume(pod, rows[pod])
            if self._misfit() is None:
                return True
            self._take_out(unit)
            return False

        violating, others, breaking = split_by_budgets(
            self.cluster, by_importance(potential), stops_at_first=False
        )
        victims = reprieve(violating, others, stays)
        if violating and others:
            victims = by_importance(victims)
        if not victims:
            name = self.cluster.nodes.names[self.row]
            return Status(Code.ERROR, (f'expected at least one victim pod on node "{name}"',))
        pods = tuple(pod for unit in victims for pod in unit.pods)
        return pods, breaking.intersection(pods)

    def _take_out(self, unit: VictimUnit) -> None:
        for pod in unit.pods:
            self.cluster.remove(pod, for_good=False)

    def _misfit(self) -> Status | None:
        """Why the pod does not fit on the node as things are."""
        phase = self.framework.run_pre_filter(self.pod, self.cluster)
        if phase.status is not None:
            return phase.status
        rows = Rows(self.cluster, np.array([self.row]))
        found = self.framework.run_filters_with_nominated(self.pod, phase, rows)
        status = found.status_of(0)
        if status is not None and status.code is Code.ERROR:
            return Status(Code.ERROR, (found.error_of(0) or "",), status.plugin)
        return status


def merged(candidates: Candidates, more: Mapping[int, Found], order: Ints) -> Candidates:
    """Candidates with those of more nodes, in the order in which the nodes are tried, int64 (R,)."""
    found = dict(more)
    for row, candidate in candidates.items():
        found[row] = candidate.victims, candidate.breaking
    rows = [row for row in order.tolist() if row in found]
    victims = [pod for row in rows for pod in found[row][0]]
    breaking = [pod in found[row][1] for row in rows for pod in found[row][0]]
    bounds = np.cumsum([0, *(len(found[row][0]) for row in rows)])
    return Candidates(
        np.array(rows, np.int64),
        bounds.astype(np.int64),
        np.array(victims, np.int64),
        np.array(breaking, bool),
    )
