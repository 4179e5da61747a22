"""Which nodes of a cluster can go, in which order, so that everything still fits.

It begins with the relaxation, empties nodes in forks of one cluster, and proves what it found by a drain of all of
them from scratch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.admission.defaults import default_node
from kschedctl.objects.node import Node
from kschedctl.observer import SILENT, Observer
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.capacity.headroom import Headroom
from kschedctl.whatif.disruption.drain_plan import Drained, DrainPlan
from kschedctl.whatif.fleet.catalogue import Shape
from kschedctl.whatif.fleet.failures import Survival
from kschedctl.whatif.fleet.fixed_nodes import Held, fixed_nodes
from kschedctl.whatif.fleet.models import ShapesOfNodes
from kschedctl.whatif.fleet.removal_proof import RemovalProof
from kschedctl.whatif.fleet.removal_search import RemovalSearch
from kschedctl.whatif.fleet.wish import KeepFree
from kschedctl.whatif.queue.simulator import Inspect
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.simulate import Plan, SimulationResult, changed_world, settled_session, simulate
from kschedctl.whatif.world.targets import find_nodes
from kschedctl.whatif.world.utilization import Utilization
from kschedctl.whatif.world.world import PodOrigin, World

MOST_WALKS: Final = 40
"""So many ways are tried unless another limit is given."""


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
    shrunk = _unshrunk(found, world, session, inventory, wish)
    if shrunk.lacking or shrunk.failed:
        return shrunk
    asked = {node.name for target in wish.keep for node in find_nodes(world, target)}
    proof = RemovalProof(loaded, options, wish.whole_plan, wish.survival, found)
    bound, walks, all_tried, drains, removed = None, 0, True, list[DrainPlan](), list[Removal]()
    while True:
        held = fixed_nodes(World(session.objects), asked, inventory.unpriced)
        left = {node.name for node in session.cluster.nodes.objects}
        free = {name: inventory.price[name] for name in sorted(left - held.keys())}
        search = RemovalSearch(
            session, found.world.workload_of, free, wish.survival, walks, wish.most_walks, observer
        )
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
        proof = RemovalProof(session, options, Plan(), wish.survival)
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


def _unshrunk(
    found: SimulationResult, world: World, session: Session, inventory: _Inventory, wish: ConsolidationWish
) -> ShrunkCluster:
    """The cluster with all its nodes, and what is wrong with it even so."""
    return ShrunkCluster(
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
