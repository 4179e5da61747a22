"""What schedules many pods: in flight, as the real loop does it, or with effects that are immediate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from kschedctl.cluster.group_members import GroupKey
from kschedctl.run.story import RunEvent
from kschedctl.whatif.queue.quotas import QuotaLedger
from kschedctl.whatif.queue.task import Eviction, Task
from kschedctl.whatif.session import Session


class Runner(Protocol):
    """Schedules pods, and lets controllers act between.

    Pods that were there as the cluster was loaded go by their ids in the pod table.

    Attributes:
        session: the cluster and its scheduler; changed by the run.
        tasks: the pods that were to be scheduled, in order of arrival.
        quotas: what keeps new pods from being created; None: nothing does.
    """

    session: Session
    tasks: list[Task]
    quotas: QuotaLedger | None

    @property
    def evictions(self) -> Sequence[Eviction]:
        """What preemption took off its node, in order."""

    @property
    def passes(self) -> int:
        """How often the queue was gone through."""

    @property
    def unplaced(self) -> list[Task]:
        """Pods that are on no node, in order of arrival; those that are not even created come last."""

    @property
    def story(self) -> Sequence[RunEvent]:
        """What happened, in order, where that is kept; nothing where effects are immediate."""

    @property
    def group_messages(self) -> Mapping[GroupKey, str] | None:
        """Every group that was tried -> the text of its last status; None: groups are not looked at."""

    @property
    def hints_taken(self) -> int:
        """How many pods went to the node that the scores of an equal one led to; 0 where effects are immediate."""

    @property
    def seconds(self) -> float:
        """How long it took so far, grace periods and all."""

    def submit(self, tasks: Iterable[Task]) -> None:
        """Let pods arrive, those that the API server refuses only to be recorded.

        Members of a stateful set that its controller does not create yet follow once their turn comes.
        """

    def settle(self) -> None:
        """Schedule until nothing moves any more."""

    def finish(self) -> None:
        """Note why pods are without a node, now that nothing moves any more."""

    def runs(self, pod: int) -> bool:
        """Whether a pod is on a node and is to stay there."""

    def retire(self, pods: Iterable[int]) -> None:
        """Note pods that a rolling update is to replace: when preempted they are not made anew as they were."""

    def take_off(self, pod: int) -> None:
        """Delete a pod for good, as its controller does; it is no part of the run any more."""

    def withdraw(self, task: Task) -> None:
        """Delete a pod of this run for good, as its controller does: it is no part of the run any more."""

    def evict(self, pod: int) -> None:
        """Evict a pod as a drain does; its controller makes it anew."""

    def successor(self, pod: int) -> Task | None:
        """The pod that a controller made in the place of another; None: none does, or does yet."""
