"""Rolling update of a deployment, by its `maxSurge` and `maxUnavailable`."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.objects.apps import Deployment
from kschedctl.objects.int_or_percent import scaled
from kschedctl.whatif.queue.simulator import Simulator
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


def roll_deployment(
    simulator: Simulator, workload: Deployment, new: Sequence[Task], old: Sequence[OldPod]
) -> RollingUpdate:
    """Replace the pods of a deployment; see `rolling.roll`."""
    wanted = replicas_of(workload) or 0
    surge, unavailable = surge_and_unavailable(workload, wanted)
    fewest = wanted - unavailable
    created: list[Task] = []
    left = list(old)
    steps = 0
    while len(created) < len(new) or left:
        room = max(wanted + surge - len(left) - len(created), 0)
        fresh = new[len(created) : len(created) + room]
        simulator.submit(fresh)
        created += fresh
        simulator.settle()
        left = still_there(simulator, left)
        going = _superfluous(left, sum(task.placed for task in created), fewest)
        take_away(simulator, going)
        left = [pod for pod in left if pod not in going]
        if not fresh and not going:
            break
        steps += 1
    simulator.settle()
    left = still_there(simulator, left)
    stuck = stuck_text(created)
    if left and not stuck:
        stuck = f"{len(left)} old pods cannot go without too few being available"
    return RollingUpdate(key_of(workload), steps, sum(task.placed for task in created), len(left), stuck)


def _superfluous(left: Sequence[OldPod], placed: int, fewest: int) -> list[OldPod]:
    """Old pods that may go with so many new ones placed and so few to be available; those not ready go first."""
    unready = [pod for pod in left if not pod.ready]
    ready = [pod for pod in left if pod.ready]
    available = len(ready) + placed
    cleaned = max(available + len(unready) - fewest, 0)
    spare = max(available - fewest, 0)
    return [*unready[:cleaned], *ready[:spare]]
