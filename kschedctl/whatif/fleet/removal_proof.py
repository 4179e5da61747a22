"""Whether nodes can really go: drained one after the other from scratch, and deleted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.disruption.drain import drain
from kschedctl.whatif.disruption.drain_plan import DrainPlan
from kschedctl.whatif.fleet.failures import Survival
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.simulate import Plan, SimulationResult
from kschedctl.whatif.world.removal import remove_nodes
from kschedctl.whatif.world.settled import settled_objects
from kschedctl.whatif.world.world import World


class RemovalProof:
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
