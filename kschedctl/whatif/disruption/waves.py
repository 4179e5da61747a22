"""Evictions in waves, each as large as disruption budgets allow."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.whatif.disruption.budgets import Budgets, is_healthy
from kschedctl.whatif.disruption.drain_plan import Drained, Treatment
from kschedctl.whatif.queue.runner import Runner


class Waves:
    """Evicts what the budgets allow, lets the scheduler go on, and does so again.

    Budgets count what is healthy before every wave: replicas that were pending and have found a node since, pods
    that took the place of evicted ones, and those that were preempted meanwhile.

    Args:
        runner: places what is evicted, and what else is pending.
        budgets: as they were when the cluster was loaded.
    """

    def __init__(self, runner: Runner, budgets: Budgets) -> None:
        self._runner = runner
        self._budgets = budgets
        loaded = [r for r in runner.session.cluster.pods.records if r.pod.node_name]
        self._ids = {(r.namespace, r.name): r.id for r in loaded}
        here = ((r.id, r.pod.source) for r in loaded if runner.runs(r.id))
        self._healthy = {pod: source for pod, source in here if source is not None and is_healthy(source)}

    def is_still_there(self, drained: Drained) -> bool:
        """Whether nothing has taken a pod off its node so far; finished pods have left no trace."""
        pod = self._ids.get((drained.pod.namespace, drained.pod.name))
        return pod is None or drained.treatment is Treatment.ENDING or self._runner.runs(pod)

    def run(self, pods: Sequence[Drained], before: int = 0) -> int:
        """Evict all that can go; returns the number of waves, those before included."""
        left = [pod for pod in pods if pod.goes]
        wave = before
        while left:
            self._count_healthy()
            going = [pod for pod in left if self._evict(pod)]
            if not going:
                return wave
            wave += 1
            for pod in going:
                pod.wave = wave
            self._runner.settle()
            for pod in going:
                pod.task = self._runner.successor(self._id(pod))
            left = self._not_preempted([pod for pod in left if not pod.wave], wave)
        return wave

    def _count_healthy(self) -> None:
        """Charge the budgets for pods that left their nodes, and credit them for those that found one."""
        for gone in [pod for pod in self._healthy if not self._runner.runs(pod)]:
            self._budgets.lose(self._healthy.pop(gone))
        for task in self._runner.tasks:
            if task.placed and task.record is not None and task.record.id not in self._healthy:
                self._healthy[task.record.id] = task.pod
                self._budgets.recover(task.pod)

    def _evict(self, drained: Drained) -> bool:
        refusing = self._budgets.refusing(drained.pod)
        if refusing:
            drained.waited_for += [b for b in refusing if b not in drained.waited_for]
            return False
        pod = self._id(drained)
        if self._healthy.pop(pod, None) is not None:
            self._budgets.lose(drained.pod)
        self._runner.evict(pod)
        return True

    def _id(self, drained: Drained) -> int:
        return self._ids[drained.pod.namespace, drained.pod.name]

    def _not_preempted(self, pods: Sequence[Drained], wave: int) -> list[Drained]:
        """Pods that still wait for their wave; a replacement that tolerates the cordon may have preempted some."""
        successors = {e.victim: e.successor for e in self._runner.evictions if not e.placed_here}
        for drained in pods:
            if drained.pod.full_name in successors:
                drained.wave, drained.task = wave, successors[drained.pod.full_name]
        return [drained for drained in pods if not drained.wave]
