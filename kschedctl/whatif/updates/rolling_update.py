"""A rolling update: what it replaces, and how it went."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.objects.pod import Pod
from kschedctl.whatif.queue.runner import Runner
from kschedctl.whatif.queue.task import Task
from kschedctl.workloads import WorkloadKey
from kschedctl.workloads.daemon_set import pinned_node
from kschedctl.workloads.readiness import is_ready

ON_DELETE: Final = "OnDelete: they stay until somebody deletes them"


class OldPod(Struct, frozen=True):
    """A pod that a rolling update is to replace.

    Attributes:
        id: of the pod table.
        name: its name.
        node: the node that it is on, or that it was made for; empty: none.
        bound: whether it is on the node; a pending one holds no room.
        ready: whether it counts as available.
        anew: the pod that its controller has made in its place since, None: it is there itself.
    """

    id: int
    name: str
    node: str
    bound: bool = True
    ready: bool = True
    anew: Task | None = None


class RollingUpdate(Struct, frozen=True):
    """How a rolling update went.

    Attributes:
        workload: the workload.
        steps: how many times pods were created or taken away.
        updated: new pods that are placed.
        old: old pods that are still there.
        stuck: why it cannot go on, empty where it is done.
        kept: why old pods stay although it is done, empty where none do.
    """

    workload: WorkloadKey
    steps: int
    updated: int
    old: int
    stuck: str = ""
    kept: str = ""


class Roll(Protocol):
    """A rolling update under way, which goes on by the rules of its controller."""

    def step(self) -> bool:
        """Create and delete what may be now; False where that is nothing."""

    def result(self) -> RollingUpdate:
        """How it went, once a step moves nothing any more."""


def old_pods(runner: Runner, pods: Iterable[Pod]) -> list[OldPod]:
    """Pods of the cluster as loaded that are still there, as a rolling update sees them."""
    found = []
    for pod in pods:
        record = runner.session.find(pod.namespace, pod.name)
        if record is None:
            continue
        bound = runner.runs(record.id)
        if bound and not record.pod.node_name:
            found.append(OldPod(record.id, pod.name, pinned_node(pod)))  # placed in this run: it is ready
        elif bound or not record.pod.node_name:
            ready = bound and is_ready(pod)
            found.append(OldPod(record.id, pod.name, pinned_node(pod), bound, ready))
    return found


def still_there(runner: Runner, pods: Iterable[OldPod]) -> list[OldPod]:
    """Old pods that nothing has preempted, and those that were made anew in the old form."""
    now = (_as_it_is(runner, pod) for pod in pods)
    return [pod for pod in now if pod is not None]


def _as_it_is(runner: Runner, pod: OldPod) -> OldPod | None:
    if pod.anew is None and runner.runs(pod.id):
        return pod if pod.bound else replace(pod, bound=True, ready=True)
    if pod.anew is None and not pod.bound:
        return pod
    anew = pod.anew or runner.successor(pod.id)
    if anew is None:
        return None
    return replace(pod, node=anew.node or "", bound=anew.placed, ready=anew.placed, anew=anew)


def take_away(runner: Runner, pods: Iterable[OldPod]) -> None:
    """Delete old pods, as their controller does."""
    for pod in pods:
        if pod.anew is None:
            runner.take_off(pod.id)
        else:
            runner.withdraw(pod.anew)


def stuck_text(tasks: Iterable[Task]) -> str:
    """The first of some pods that is not placed, and why; empty where all are."""
    waiting = next((task for task in tasks if not task.placed), None)
    return "" if waiting is None else f"{waiting.name}: {waiting.why}"
