"""The nodes of a cluster that can go: emptied in forks of one cluster, way after way, until the least is kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from kschedctl.objects.pod import Pod
from kschedctl.observer import Observer
from kschedctl.whatif.disruption.losses import Losses
from kschedctl.whatif.fleet.failures import Survival
from kschedctl.whatif.fleet.fixed_nodes import Held, Hold
from kschedctl.whatif.fleet.least_kept import LeastKept, least_kept
from kschedctl.whatif.queue.simulator import Inspect
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.workloads import WorkloadKey
from kschedctl.workloads.controllers import is_recreated

_NOTHING: Final = 1e-9
_ROUNDS: Final = 4
"""So often what was found is begun anew with the nodes closed that it lets go."""


class RemovalSearch:
    """Empties nodes in forks of one cluster.

    Args:
        session: the cluster, with everything placed that can be.
        workload_of: whose pod a pod is.
        price: node that may go -> its price.
        survival: what may fail at once, in the end.
        walks: how many ways were tried before.
        most_walks: how many may be tried in all.
        observer: is told how many nodes were tried.
    """

    def __init__(
        self,
        session: Session,
        workload_of: Callable[[Pod], WorkloadKey],
        price: Mapping[str, float],
        survival: Survival,
        walks: int,
        most_walks: int,
        observer: Observer,
    ) -> None:
        self._session = session
        self._workload_of = workload_of
        self._price = price
        self._survival = survival
        self._observer = observer
        self._losses = Losses(session, workload_of)
        self._tried = 0
        self._last_fatal: set[str] = set()
        self.walks = walks
        # Half of what is left is for rounds after this one.
        self._last_walk = walks + max((most_walks - walks) // 2, 1)
        row_of = session.cluster.nodes.row_of
        self.least: LeastKept | None = least_kept(
            session, {row_of[name]: price for name, price in price.items()}
        )

    def nodes(self) -> list[str]:
        """The nodes that go, of the best way that was found."""
        best: list[str] = []
        if not self._price:
            return best
        for closed, order in self._ways():
            if not self.may_go_on or self._is_least(best):
                break
            best = self._better(best, self._steady(self._walk(order, closed)))
        return self._swapped(best)

    def why_not(self, stuck: Collection[str], inspect: Inspect | None) -> dict[str, Held]:
        """Node that might go and does not -> what would become of its pods; `stuck`: a drain got stuck there."""
        cluster = self._session.cluster
        found = {}
        for name in self._price:
            mark = cluster.mark()
            self._losses.cordon([name])
            found[name] = self._held(name, self._losses.empty(name, inspect), stuck)
            cluster.undo_to(mark)
        return found

    def _held(self, name: str, tasks: Sequence[Task], stuck: Collection[str]) -> Held:
        pending = [task for task in tasks if not task.placed]
        back = [task for task in tasks if task.node == name]
        if pending:
            names = tuple(task.name for task in pending)
            return Held(Hold.ROOM, "its pods would find no other node", names, pending[0].inspected)
        if back:
            return Held(Hold.RETURN, "its pods tolerate the cordon", tuple(task.name for task in back))
        if fatal := self._fatal([name]):
            return Held(Hold.FAILURE, f"the failure of {' and '.join(fatal)} would not be survived")
        if name in stuck:
            return Held(Hold.DRAIN, "its drain gets stuck")
        return Held(Hold.TRIALS, "the search was cut off")

    def _ways(self) -> list[tuple[Collection[str], list[str]]]:
        """Nodes to close at first, and nodes in the order in which they are tried."""
        by_worth = sorted(self._price, key=self._worth)
        by_fill = sorted(self._price, key=lambda name: (self._fill(name), name))
        ways: list[tuple[Collection[str], list[str]]] = []
        target = self._target()
        if target:
            rest = [name for name in by_worth if name not in target]
            ways.append((target, [*(name for name in by_worth if name in target), *rest]))
        ways += [((), by_worth), ((), by_fill)]
        return ways

    def _target(self) -> set[str]:
        """The nodes that the relaxation does without, of equal ones those with the fewest pods to move."""
        names = self._session.cluster.nodes.names
        target: set[str] = set()
        for rows, kept in self.least.kept if self.least is not None else ():
            alike = sorted((names[row] for row in rows), key=self._worth)
            target.update(alike[: len(alike) - kept])
        return target

    def _walk(self, order: Sequence[str], closed: Collection[str]) -> list[str]:
        """The nodes that can be emptied one after the other while some take no pods from the beginning."""
        self.walks += 1
        cluster = self._session.cluster
        start = cluster.mark()
        self._losses.cordon(closed)
        gone: list[str] = []
        for name in order:
            self._tried += 1
            self._observer.progress("nodes tried", self._tried, None)
            mark = cluster.mark()
            if name not in closed:
                self._losses.cordon([name])
            shut = {*closed, *gone, name}
            if all(task.placed and task.node not in shut for task in self._losses.empty(name)) and not (
                self._fatal([*gone, name])
            ):
                gone.append(name)
                continue
            cluster.undo_to(mark)
            if name in closed:
                self._losses.cordon([name], cordoned=False)
        cluster.undo_to(start)
        return gone

    def _steady(self, nodes: Sequence[str]) -> list[str]:
        """The nodes of a way that can go where all of them are closed from the beginning, and what goes besides."""
        going = sorted(nodes, key=self._worth)
        for _ in range(_ROUNDS):
            rest = sorted((name for name in self._price if name not in going), key=self._worth)
            found = sorted(self._walk([*going, *rest], going), key=self._worth)
            if found == going or not self.may_go_on:
                break
            going = found
        # Pods of nodes that joined may have been waited for by others: only those that go together count.
        for _ in range(_ROUNDS):
            found = self._walk(going, going)
            if found == going:
                break
            going = found
        return going

    def _swapped(self, nodes: list[str]) -> list[str]:
        """The nodes with a dear one in the place of a cheap one, where that works."""
        moved = True
        while moved and not self._is_least(nodes):
            moved = False
            pairs = sorted(
                (self._price[back] - self._price[name], back, name)
                for back in nodes
                for name in self._price
                if name not in nodes and self._price[name] > self._price[back] + _NOTHING
            )
            for _, back, name in pairs:
                if not self.may_go_on:
                    return nodes
                other = [one for one in nodes if one != back]
                better = self._better(nodes, self._walk([name, *other], [name, *other]))
                if better is not nodes:
                    nodes, moved = sorted(better, key=self._worth), True
                    break
        return nodes

    def _better(self, nodes: list[str], others: list[str]) -> list[str]:
        def value(names: Sequence[str]) -> tuple[float, int]:
            return round(self._sum(names), 9), -sum(map(self._movers, names))

        return others if value(others) > value(nodes) else nodes

    def _is_least(self, nodes: Sequence[str]) -> bool:
        left = self._sum(self._price) - self._sum(nodes)
        cheapest = min(self._price.values(), default=0.0)
        if self.least is None:
            return False
        # Where all cost the same, less than one node above the least is the least.
        slack = cheapest if cheapest == max(self._price.values(), default=0.0) else 0.0
        return left < self.least.cost + max(slack, _NOTHING) - _NOTHING

    def _fatal(self, gone: Sequence[str]) -> tuple[str, ...]:
        """What is not survived once some nodes are emptied and deleted; empty: everything is."""
        if not self._survival.asked:
            return ()
        cluster = self._session.cluster
        mark = cluster.mark()
        try:
            self._losses.delete(gone)
            # What was fatal before is so again, most of the time.
            known = self._last_fatal if self._last_fatal.isdisjoint(gone) else set()
            if known and self._losses.unplaced_without(known):
                return tuple(sorted(known))
            fatal = self._survival.fatal(self._session, self._workload_of, losses=self._losses)
        finally:
            cluster.undo_to(mark)
        if not fatal:
            return ()
        names = set(fatal[0].failed)
        self._last_fatal = names if names <= cluster.nodes.row_of.keys() else set()
        return fatal[0].failed

    def _worth(self, name: str) -> tuple[bool, float, str]:
        """Empty nodes first, then what saves most for every pod that has to move."""
        movers = self._movers(name)
        return movers > 0, -self._price[name] / max(movers, 1), name

    def _movers(self, name: str) -> int:
        cluster = self._session.cluster
        records = (cluster.pods.records[pod] for pod in cluster.usage.pods[cluster.nodes.row_of[name]])
        return sum(is_recreated(record.pod) for record in records)

    def _fill(self, name: str) -> float:
        cluster = self._session.cluster
        row = cluster.nodes.row_of[name]
        pairs = zip(
            cluster.usage.requested[row].tolist(), cluster.nodes.allocatable[row].tolist(), strict=True
        )
        return max((used / room for used, room in pairs if room), default=0.0)

    def _sum(self, names: Collection[str]) -> float:
        return sum(self._price[name] for name in names)

    @property
    def may_go_on(self) -> bool:
        """Whether more ways may be tried."""
        return self.walks < self._last_walk
