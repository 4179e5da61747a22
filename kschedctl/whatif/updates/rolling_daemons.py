"""Rolling update of a daemon set, by its `updateStrategy`."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.objects.apps import DaemonSet
from kschedctl.whatif.queue.runner import Runner
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
        runner: schedules the new daemons.
        workload: the daemon set as it is to be.
        new: a new daemon for each node that is to have one.
        old: the old daemons.
    """

    def __init__(
        self, runner: Runner, workload: DaemonSet, new: Sequence[Task], old: Sequence[OldPod]
    ) -> None:
        self._runner = runner
        self._workload = workload
        self._fresh = {pinned_node(task.pod): task for task in new}
        self._limits = update_limits(workload, len(new))
        self._on_delete = replaces_on_delete(workload)
        self._left = list(old)
        self._created: list[Task] = []
        self._begun = False
        self._steps = 0

    def step(self) -> bool:
        """First see to nodes that are to have no daemon, and to those without one; then replace as many as may be."""
        self._left = still_there(self._runner, self._left)
        if not self._begun:
            self._begun = True
            before = len(self._left)
            self._end_where_none_may_run()
            served = {pod.node for pod in self._left}
            self._create([node for node in self._fresh if node not in served])
            if len(self._left) < before or self._created:
                return True
        if self._on_delete or not self._left:
            return False
        moved = self._surge() if self._limits.surge else self._replace()
        self._steps += moved
        return moved

    def result(self) -> RollingUpdate:
        """How it went."""
        left = still_there(self._runner, self._left)
        updated = sum(task.placed for task in self._created)
        kept = ON_DELETE if self._on_delete and left else ""
        return RollingUpdate(
            key_of(self._workload), self._steps, updated, len(left), stuck_text(self._created), kept
        )

    def _end_where_none_may_run(self) -> None:
        """A daemon goes where the new template bars it; where it only could not start, it may stay."""
        nodes = {node.name: node for node in self._runner.session.cluster.nodes.objects}
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
        """Take old daemons away beside which new ones run, and create new ones beside others."""
        beside = {pinned_node(task.pod) for task in self._created}
        waiting = {pinned_node(task.pod) for task in self._waiting}
        going = [pod for pod in self._left if pod.node in beside - waiting]
        single = [pod for pod in self._left if pod.node not in beside]
        room = max(self._limits.surge - len(waiting), 0)
        ready = [pod for pod in single if pod.ready]
        chosen = [*(pod for pod in single if not pod.ready), *ready[:room]]
        self._take_away(going)
        self._create([pod.node for pod in chosen])
        return bool(going or chosen)

    @property
    def _waiting(self) -> list[Task]:
        """New daemons that found no room."""
        return [task for task in self._created if not task.placed]

    def _create(self, nodes: Sequence[str]) -> None:
        fresh = [self._fresh[node] for node in nodes if node in self._fresh]
        self._created += fresh
        self._runner.submit(fresh)

    def _take_away(self, pods: Sequence[OldPod]) -> None:
        take_away(self._runner, pods)
        self._left = [pod for pod in self._left if pod not in pods]
