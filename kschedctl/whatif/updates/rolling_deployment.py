"""Rolling update of a deployment, by its `maxSurge` and `maxUnavailable`."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.objects.apps import Deployment
from kschedctl.objects.int_or_percent import scaled
from kschedctl.volumes.attached_elsewhere import ClaimUsers
from kschedctl.whatif.queue.runner import Runner
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.updates.rolling_update import OldPod, RollingUpdate, still_there, stuck_text, take_away
from kschedctl.workloads import key_of, replicas_of

_DEFAULT_SHARE = "25%"


def surge_and_unavailable(workload: Deployment, replicas: int) -> tuple[int, int]:
    """How many pods a rollout may have too many, and too few; never both 0."""
    update = workload.spec.strategy.rolling_update if workload.spec.strategy else None
    surge = update.max_surge if update and update.max_surge is not None else _DEFAULT_SHARE
    missing = update.max_unavailable if update and update.max_unavailable is not None else _DEFAULT_SHARE
    most, fewest = scaled(surge, replicas, up=True), scaled(missing, replicas, up=False)
    return (most, fewest) if most or fewest else (0, 1)


class DeploymentRoll:
    """A rolling update of a deployment under way.

    Args:
        runner: schedules the new pods.
        workload: the deployment as it is to be.
        new: its new pods, in the order in which they are created.
        old: its old pods.
    """

    def __init__(
        self, runner: Runner, workload: Deployment, new: Sequence[Task], old: Sequence[OldPod]
    ) -> None:
        self._runner = runner
        self._workload = workload
        self._wanted = replicas_of(workload) or 0
        self._surge, unavailable = surge_and_unavailable(workload, self._wanted)
        self._fewest = self._wanted - unavailable
        self._to_come = list(new)
        self._created: list[Task] = []
        self._left = list(old)
        self._steps = 0

    def step(self) -> bool:
        """Delete as many old pods as may be missing, and create as many new ones as the surge allows then."""
        self._left = still_there(self._runner, self._left)
        going = _superfluous(self._left, self._placed - len(self._held_up), self._fewest)
        take_away(self._runner, going)
        self._left = [pod for pod in self._left if pod not in going]
        room = max(self._wanted + self._surge - len(self._left) - len(self._created), 0)
        fresh, self._to_come = self._to_come[:room], self._to_come[room:]
        self._runner.submit(fresh)
        self._created += fresh
        moved = bool(fresh or going)
        self._steps += moved
        return moved

    @property
    def _placed(self) -> int:
        return sum(task.placed for task in self._created)

    @property
    def _held_up(self) -> list[str]:
        """What keeps new pods that are placed from starting: a claim for one node that is in use on another."""
        cluster, found = self._runner.session.cluster, list[str]()
        if not any(v.persistent_volume_claim for v in self._workload.spec.template.spec.volumes):
            return found
        users = ClaimUsers(cluster)
        for task in self._created:
            record = task.record
            if not task.placed or record is None:
                continue
            row = int(cluster.pods.node[record.id])
            held = users.attached_elsewhere(record, row) if row >= 0 else None
            if held is not None:
                claim, other = held
                there = cluster.nodes.names[int(cluster.pods.node[other.id])]
                found.append(
                    f"{record.name} cannot start on {cluster.nodes.names[row]}: claim {claim} is ReadWriteOnce and "
                    f"in use by {other.name} on {there} (Multi-Attach)"
                )
        return found

    def result(self) -> RollingUpdate:
        """How it went."""
        left = still_there(self._runner, self._left)
        stuck = stuck_text(self._created)
        if left and not stuck and self._held_up:
            stuck = self._held_up[0]
        if left and not stuck:
            stuck = f"{len(left)} old pods cannot go without too few being available"
        return RollingUpdate(key_of(self._workload), self._steps, self._placed, len(left), stuck)


def _superfluous(left: Sequence[OldPod], placed: int, fewest: int) -> list[OldPod]:
    """Old pods that may go with so many new ones placed and so few to be available; those not ready go first."""
    unready = [pod for pod in left if not pod.ready]
    ready = [pod for pod in left if pod.ready]
    available = len(ready) + placed
    cleaned = max(available + len(unready) - fewest, 0)
    spare = max(available - fewest, 0)
    return [*unready[:cleaned], *ready[:spare]]
