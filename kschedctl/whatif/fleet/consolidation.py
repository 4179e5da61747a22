"""Which nodes of a cluster can go, in which order, so that everything still fits.

It begins with the relaxation, empties nodes in forks of one cluster, and proves what it found by a drain of all of
them from scratch.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.admission.defaults import default_node
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.capacity.headroom import Headroom
from kschedctl.whatif.disruption.drain import drain
from kschedctl.whatif.disruption.drain_plan import Drained, DrainPlan
from kschedctl.whatif.disruption.losses import Losses
from kschedctl.whatif.fleet.catalogue import Shape
from kschedctl.whatif.fleet.failures import Survival
from kschedctl.whatif.fleet.fixed_nodes import Held, Hold, fixed_nodes
from kschedctl.whatif.fleet.least_kept import LeastKept, least_kept
from kschedctl.whatif.fleet.mix import KeepFree
from kschedctl.whatif.fleet.models import ShapesOfNodes
from kschedctl.whatif.queue.simulator import Inspect
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.simulate import Plan, SimulationResult, changed_world, settled_session, simulate
from kschedctl.whatif.world.changes import remove_nodes
from kschedctl.whatif.world.settled import settled_objects
from kschedctl.whatif.world.targets import find_nodes
from kschedctl.whatif.world.utilization import Utilization
from kschedctl.whatif.world.world import PodOrigin, World
from kschedctl.workloads import WorkloadKey
from kschedctl.workloads.controllers import is_recreated

MOST_WALKS: Final = 40
"""So many ways are tried unless another limit is given."""

_NOTHING: Final = 1e-9
_ROUNDS: Final = 4
"""So often what was found is begun anew with the nodes closed that it lets go."""


class ConsolidationWish(Struct, frozen=True):
    """What is wanted of a smaller cluster.

    Attributes:
        plan: manifests and changes before.
        headroom: kept free on every node.
        shapes: with prices by which nodes count; empty: every node counts as one.
        keep: nodes that stay, by name or selector.
        survival: what may fail at once, in the end.
        most_walks: so many ways through the nodes are tried at most.
    """

    plan: Plan
    headroom: Sequence[Headroom] = ()
    shapes: Sequence[Shape] = ()
    keep: Sequence[str] = ()
    survival: Survival = Survival()
    most_walks: int = MOST_WALKS

    @property
    def whole_plan(self) -> Plan:
        """The plan with room taken away from every node."""
        kept = [KeepFree(self.headroom)] if self.headroom else []
        return replace(self.plan, changes=(*self.plan.changes, *kept))


class Removal(Struct, frozen=True):
    """A node that goes.

    Attributes:
        node: the node.
        round: the nodes of a round are closed together, once those of the rounds before have gone; from 1.
        shape: its shape; None: there is no catalogue.
        price: what it costs; 1 where there are no prices.
        pods: every pod on it then, by namespace and name.
    """

    node: Node
    round: int
    shape: Shape | None
    price: float
    pods: Sequence[Drained]

    @property
    def moved(self) -> list[Drained]:
        """Pods that have to move."""
        return [drained for drained in self.pods if drained.wave]


class ShrunkCluster(Struct, frozen=True):
    """A cluster with fewer nodes.

    Attributes:
        removed: the nodes that go, in order.
        held: node that stays -> why.
        cost: of all nodes with a price, before.
        bound: what stays costs no less, whatever goes; None: the relaxation has no solution.
        found: the cluster with all its nodes, and everything placed that can be.
        drains: the drain of each round, which proves it.
        lacking: pods of manifests and changes that have no node even with all nodes: then none goes.
        failed: what is not survived even with all nodes: then none goes.
        session: the cluster at the end.
        before: how full the cluster as loaded is.
        after: how full it is at the end.
        walks: how many ways through the nodes were tried.
        all_tried: whether the search ended by itself.
    """

    removed: Sequence[Removal]
    held: Mapping[str, Held]
    cost: float
    bound: float | None
    found: SimulationResult
    drains: Sequence[DrainPlan]
    lacking: Sequence[Task]
    failed: tuple[str, ...]
    session: Session
    before: Utilization
    after: Utilization
    walks: int
    all_tried: bool

    @property
    def saved(self) -> float:
        """What the nodes cost that go."""
        return sum(removal.price for removal in self.removed)


def consolidate(
    loaded: Session,
    options: SchedulingOptions,
    wish: ConsolidationWish,
    inspect: Inspect | None = None,
    observer: Observer = SILENT,
) -> ShrunkCluster:
    """The dearest choice of nodes that can go, of those that were tried.

    Args:
        loaded: the cluster as loaded; not changed.
        options: what to do where the real scheduler leaves room.
        wish: what is wanted.
        inspect: applied to the decisions for pods that would find no other node.
        observer: is told how many nodes were tried.

    Raises:
        UsageError: HiGHS is not installed, or a change is about something that is not there.
        InputError: objects cannot be used.
    """
    inspector = None if inspect is None else lambda _: inspect
    found = simulate(loaded, options, wish.whole_plan, inspector=inspector)
    world = changed_world(loaded.objects, wish.plan)
    inventory = _Inventory(world, wish)
    session = settled_session(found)
    shrunk = ShrunkCluster(
        removed=[],
        held={},
        cost=sum(inventory.price.values()),
        bound=None,
        found=found,
        drains=[],
        lacking=[task for task in found.tasks if not task.placed and task.origin is not PodOrigin.PENDING],
        failed=next((loss.failed for loss in wish.survival.fatal(session, found.world.workload_of)), ()),
        before=found.before,
        session=session,
        after=_use_of(session, world),
        walks=0,
        all_tried=True,
    )
    if shrunk.lacking or shrunk.failed:
        return shrunk
    asked = {node.name for target in wish.keep for node in find_nodes(world, target)}
    proof = _Proof(loaded, options, wish.whole_plan, wish.survival, found)
    bound, walks, all_tried, drains, removed = None, 0, True, list[DrainPlan](), list[Removal]()
    while True:
        held = fixed_nodes(World(session.objects), asked, inventory.unpriced)
        left = {node.name for node in session.cluster.nodes.objects}
        free = {name: inventory.price[name] for name in sorted(left - held.keys())}
        search = _Search(session, found.world.workload_of, free, wish, walks, observer)
        if not drains and search.least is not None:
            bound = search.least.cost + sum(inventory.price[name] for name in held)
        going = search.nodes()
        stuck: set[str] = set()
        while going and (at := proof.first_stuck(going)) is not None:
            stuck.add(at)
            going = [name for name in going if name != at]
        walks, all_tried = search.walks, all_tried and search.may_go_on
        if not going:
            break
        drains.append(proof.plan)
        removed += inventory.removals(going, len(drains), proof.plan)
        session = proof.session
        proof = _Proof(session, options, Plan(), wish.survival)
    return replace(
        shrunk,
        removed=removed,
        held=held | search.why_not(stuck, inspect),
        bound=bound,
        drains=drains,
        session=session,
        after=_use_of(session, world),
        walks=walks,
        all_tried=all_tried,
    )


class _Inventory:
    """What the nodes of a cluster are and cost.

    Attributes:
        nodes: by name, without headroom.
        shape: of each; None: it is of none.
        price: of each; 1 where there is no catalogue, 0 where it is not known.
        unpriced: nodes of no shape of a catalogue.
    """

    def __init__(self, world: World, wish: ConsolidationWish) -> None:
        shapes = ShapesOfNodes(wish.shapes, world)
        self.nodes = {node.name: node for node in world.nodes}
        self.shape = {name: shapes.of(node) for name, node in self.nodes.items()}
        self.price = {
            name: shape.price if shape is not None else float(not wish.shapes)
            for name, shape in self.shape.items()
        }
        self.unpriced = {name for name, shape in self.shape.items() if wish.shapes and shape is None}

    def removals(self, going: Sequence[str], number: int, plan: DrainPlan) -> Iterator[Removal]:
        """The nodes that go in a round, with their pods."""
        pods: dict[str, list[Drained]] = {name: [] for name in going}
        for drained in plan.pods:
            pods[drained.node].append(drained)
        for name in going:
            yield Removal(self.nodes[name], number, self.shape[name], self.price[name], pods[name])


def _use_of(session: Session, world: World) -> Utilization:
    """How full a cluster is, of what its nodes have without headroom."""
    cluster = session.cluster
    names = {node.name for node in cluster.nodes.objects}
    real = [node for node in world.nodes if node.name in names]
    mark = cluster.mark()
    cluster.patch_nodes([default_node(node) for node in real])
    use = Utilization.of(cluster)
    cluster.undo_to(mark)
    return use


class _Search:
    """Empties nodes in forks of one cluster.

    Args:
        session: the cluster, with everything placed that can be.
        workload_of: whose pod a pod is.
        price: node that may go -> its price.
        wish: what is wanted.
        walks: how many ways were tried before.
        observer: is told how many nodes were tried.
    """

    def __init__(
        self,
        session: Session,
        workload_of: Callable[[Pod], WorkloadKey],
        price: Mapping[str, float],
        wish: ConsolidationWish,
        walks: int,
        observer: Observer,
    ) -> None:
        self._session = session
        self._workload_of = workload_of
        self._price = price
        self._wish = wish
        self._observer = observer
        self._losses = Losses(session, workload_of)
        self._tried = 0
        self._last_fatal: set[str] = set()
        self.walks = walks
        # Half of what is left is for rounds after this one.
        self._last_walk = walks + max((wish.most_walks - walks) // 2, 1)
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
        if not self._wish.survival.asked:
            return ()
        cluster = self._session.cluster
        mark = cluster.mark()
        try:
            self._losses.delete(gone)
            # What was fatal before is so again, most of the time.
            known = self._last_fatal if self._last_fatal.isdisjoint(gone) else set()
            if known and self._losses.unplaced_without(known):
                return tuple(sorted(known))
            fatal = self._wish.survival.fatal(self._session, self._workload_of, losses=self._losses)
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


class _Proof:
    """Drains nodes one after the other, from a cluster as loaded, and looks at what is left once they are deleted.

    Args:
        loaded: the cluster.
        options: what to do where the real scheduler leaves room.
        plan: what comes before.
        survival: what may fail at once, in the end.
        found: the cluster with all nodes, in which some pods may have none; None: every pod has one.

    Attributes:
        plan: the last drain.
        session: the cluster after it.
    """

    plan: DrainPlan
    session: Session

    def __init__(
        self,
        loaded: Session,
        options: SchedulingOptions,
        plan: Plan,
        survival: Survival,
        found: SimulationResult | None = None,
    ) -> None:
        self._loaded = loaded
        self._options = options
        self._plan = plan
        self._survival = survival
        self._without = {task.name for task in found.tasks if not task.placed} if found is not None else set()

    def first_stuck(self, nodes: Sequence[str]) -> str | None:
        """The node at which the drain gets stuck; None: all can go."""
        plan = self.plan = drain(
            self._loaded,
            self._options,
            nodes,
            manifests=self._plan.manifests,
            changes=self._plan.changes,
            one_by_one=True,
        )
        worse = [task for task in plan.tasks if not task.placed and task.name not in self._without]
        if not plan.possible or worse:
            return self._stuck(plan, worse)
        for name, left in zip(plan.nodes, plan.left, strict=True):
            if not self._without.issuperset(left):
                return name
        world = World(settled_objects(plan.world, plan.session.cluster))
        remove_nodes(world, [node for node in world.nodes if node.name in nodes])
        self.session = self._loaded.with_objects(world.objects, self._options)
        return nodes[-1] if self._survival.fatal(self.session, plan.world.workload_of) else None

    def _stuck(self, plan: DrainPlan, pending: Sequence[Task]) -> str:
        held = [one.node for one in chain(plan.refused, plan.held)]
        came_from = [task.running_on for task in chain(pending, plan.returning)]
        at = {name for name in (*held, *came_from) if name in plan.nodes}
        return next((name for name in plan.nodes if name in at), plan.nodes[-1])
