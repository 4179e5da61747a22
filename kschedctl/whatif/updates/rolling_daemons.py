"""Rolling update of a daemon set, by its `updateStrategy`."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.objects.apps import DaemonSet
from kschedctl.whatif.queue.simulator import Simulator
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.updates.rolling_update import (
    ON_DELETE,
    OldPod,
    RollingUpdate,
    still_there,
    stuck_text,
    take_away,
)
from kschedctl.workloads import key_of
from kschedctl.workloads.daemon_set import daemon_spec, may_stay, pinned_node
from kschedctl.workloads.daemon_set_update import replaces_on_delete, update_limits


class DaemonRoll:
    """A rolling update of daemons under way.

    A node is unavailable while its new daemon finds no room; with surge the old daemon goes once the new one runs
    beside it. Old daemons that are not ready cost nothing, so all of them are replaced at once. Nodes without a
    daemon get the new one whatever the strategy is.

    Args:
        simulator: places the new daemons.
        workload: the daemon set as it is to be.
        new: a new daemon for each node that is to have one.
        old: the old daemons.
    """

    def __init__(
        self, simulator: Simulator, workload: DaemonSet, new: Sequence[Task], old: Sequence[OldPod]
    ) -> None:
        self._simulator = simulator
        self._workload = workload
        self._fresh = {pinned_node(task.pod): task for task in new}
        self._limits = update_limits(workload, len(new))
        self._left = list(old)
        self._created: list[Task] = []

    def run(self) -> RollingUpdate:
        """Roll until done or stuck."""
        self._end_where_none_may_run()
        on_delete = replaces_on_delete(self._workload)
        served = {pod.node for pod in self._left}
        self._create([node for node in self._fresh if node not in served])
        steps = 0
        if not on_delete:
            step = self._surge if self._limits.surge else self._replace
            while self._left and step():
                steps += 1
        updated = sum(task.placed for task in self._created)
        kept = ON_DELETE if on_delete and self._left else ""
        return RollingUpdate(
            key_of(self._workload), steps, updated, len(self._left), stuck_text(self._created), kept
        )

    def _end_where_none_may_run(self) -> None:
        """A daemon goes where the new template bars it; where it only could not start, it may stay."""
        nodes = {node.name: node for node in self._simulator.session.cluster.nodes.objects}
        spec = daemon_spec(self._workload)
        self._take_away([p for p in self._left if p.node not in nodes or not may_stay(spec, nodes[p.node])])

    def _replace(self) -> bool:
        """Take old daemons away and create the new ones in their place; False where no more may go."""
        unready = [pod for pod in self._left if not pod.ready]
        ready = [pod for pod in self._left if pod.ready]
        room = max(self._limits.unavailable - len(self._waiting) - len(unready), 0)
        going = [*unready, *ready[:room]]
        self._take_away(going)
        self._create([pod.node for pod in going])
        return bool(going)

    def _surge(self) -> bool:
        """Create new daemons beside old ones, take old ones away where new ones run; False where nothing moves."""
        doubled = {pinned_node(task.pod) for task in self._waiting}
        single = [pod for pod in self._left if pod.node not in doubled]
        room = max(self._limits.surge - len(doubled), 0)
        ready = [pod for pod in single if pod.ready]
        chosen = [*(pod for pod in single if not pod.ready), *ready[:room]]
        self._create([pod.node for pod in chosen])
        waiting = {pinned_node(task.pod) for task in self._waiting}
        self._take_away([pod for pod in chosen if pod.node not in waiting])
        return bool(chosen)

    @property
    def _waiting(self) -> list[Task]:
        """New daemons that found no room."""
        return [task for task in self._created if not task.placed]

    def _create(self, nodes: Sequence[str]) -> None:
        fresh = [self._fresh[node] for node in nodes if node in self._fresh]
        self._created += fresh
        self._simulator.submit(fresh)
        self._simulator.settle()
        self._left = still_there(self._simulator, self._left)

    def _take_away(self, pods: Sequence[OldPod]) -> None:
        take_away(self._simulator, pods)
        self._left = [pod for pod in self._left if pod not in pods]
