"""A pod that is to be scheduled, and what takes pods off their nodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from kschedctl.cluster.pods import PodRecord
from kschedctl.objects.pod import Pod
from kschedctl.scheduling.decision import Outcome
from kschedctl.whatif.queue.kubelet import KubeletRefusal
from kschedctl.whatif.world.world import PodOrigin
from kschedctl.workloads import WorkloadKey


class Task(Struct, eq=False):
    """A pod that is to be scheduled, and what has come of it.

    Attributes:
        pod: the pod before admission.
        record: the pod in the pod table; None where the API server refuses it.
        workload: whose pod it is.
        origin: why it is to be scheduled.
        outcome: of the last attempt, None before the first.
        node: the node it is placed on.
        message: why it is not placed: the event, or why it is gated or refused.
        evicted: victims of its preemption, as `namespace/name`.
        inspected: what the simulator's `inspect` made of the last decision.
        running_on: for a displaced or preempted pod: where it was.
        waits_for: what has to be ready before its controller creates it; empty: it is there.
        refusal: why the kubelet of the node that the pod names refuses it, at the last attempt; None: it does not.
        counted: how many more pods of its workload there are like this one, which no node can hold either.
    """

    pod: Pod
    record: PodRecord | None
    workload: WorkloadKey
    origin: PodOrigin
    outcome: Outcome | None = None
    node: str | None = None
    message: str = ""
    evicted: list[str] = field(default_factory=list)
    inspected: Any = None
    running_on: str = ""
    waits_for: str = ""
    refusal: KubeletRefusal | None = None
    counted: int = 0

    @property
    def name(self) -> str:
        """`namespace/name`."""
        return self.pod.full_name

    @property
    def placed(self) -> bool:
        """Whether it is on a node."""
        return self.node is not None

    @property
    def why(self) -> str:
        """Why it is not placed, whether or not it is there; empty where it is."""
        return f"not created: waits for {self.waits_for}" if self.waits_for else self.message

    @property
    def pending(self) -> bool:
        """Whether it is there and waits for a node."""
        return not self.placed and not self.waits_for and self.refusal is None


def pod_count(tasks: Iterable[Task]) -> int:
    """How many pods they are, with those that are only counted."""
    return sum(1 + task.counted for task in tasks)


class Eviction(Struct, frozen=True, eq=False):
    """A pod that preemption took off its node.

    Attributes:
        victim: `namespace/name`.
        workload: whose pod it was.
        priority: its priority.
        node: where it was.
        by: the preemptor, `namespace/name`.
        successor: the pod that its controller makes in its place, None where nothing does.
        pod: the pod that was evicted.
        placed_here: whether this run had placed it.
        retired: whether a rolling update was to replace it.
    """

    victim: str
    workload: WorkloadKey
    priority: int
    node: str
    by: str
    successor: Task | None
    pod: Pod
    placed_here: bool
    retired: bool


def without(evictions: list[Eviction], task: Task) -> None:
    """Note that a rolling update took away the pod that was made in the place of a victim."""
    for i, eviction in enumerate(evictions):
        if eviction.successor is task:
            evictions[i] = replace(eviction, successor=None, retired=True)
