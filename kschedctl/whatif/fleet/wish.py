"""What bought nodes have to do, and what is to be bought for it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from kschedctl.whatif.capacity.headroom import Headroom, keep_free
from kschedctl.whatif.fleet.catalogue import Shape
from kschedctl.whatif.fleet.demand import ShapeColumn
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.simulate import Plan, SimulationResult
from kschedctl.whatif.world.changes import Change
from kschedctl.whatif.world.world import World

Mix = tuple[int, ...]
"""How many nodes of each column, in the order of the columns."""


class Wish(Struct, frozen=True):
    """What a mix has to do.

    Attributes:
        plan: manifests, and changes before the nodes are added. Daemon sets come before other workloads: a daemon that
            finds a new node full would call for another node.
        shapes: what can be bought.
        headroom: kept free on every node.
        survive_nodes: so many nodes may fail at once.
        survive_zones: so many zones may fail at once.
        most_trials: so many mixes are simulated at most.
    """

    plan: Plan
    shapes: Sequence[Shape]
    headroom: Sequence[Headroom] = ()
    survive_nodes: int = 0
    survive_zones: int = 0
    most_trials: int = 200


class Fleet(Struct, frozen=True):
    """What is to be bought.

    Attributes:
        columns: a shape in a zone each.
        mix: how many of each.
        cost: of all of them.
        bound: no mix costs less; None: even the relaxation has no place for every pod.
        found: the simulation with these nodes.
        lacking: pods without a node, in the end or once something fails.
        homeless: of these, pods that no shape and no node that is there can ever take.
        failed: the nodes or zones whose failure leaves pods without a node.
        trials: how many mixes were simulated.
        all_tried: whether the search ended by itself.
    """

    columns: Sequence[ShapeColumn]
    mix: Mix
    cost: float
    bound: float | None
    found: SimulationResult
    lacking: Sequence[Task]
    homeless: Sequence[Task]
    failed: tuple[str, ...]
    trials: int
    all_tried: bool

    @property
    def possible(self) -> bool:
        """Whether every pod finds a node, whatever may fail."""
        return not self.lacking


class KeepFree(Change):
    """Room is taken away from every node."""

    def __init__(self, headroom: Sequence[Headroom]) -> None:
        self.headroom = headroom

    def apply(self, world: World) -> None:
        """See `Change.apply`."""
        keep_free(world, self.headroom)
