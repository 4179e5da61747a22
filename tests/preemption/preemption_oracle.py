"""Preemption as the specification tells it: one node, one victim at a time, on the real cluster (spec 01 §9).

Nothing of `kschedctl.preemption` is used but Go's sort, which its own tests hold against the check values of the
specification. After every removal and every return all plugins are asked anew, from PreFilter on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.start_times import NO_START, start_of
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.runtime import Framework
from kschedctl.framework.status import Code, Status
from kschedctl.objects.core import PodDisruptionBudget
from kschedctl.objects.go_sort import go_sort
from kschedctl.objects.selectors import SelectorError, parse_label_selector
from kschedctl.scheduling.decision import Decision


@dataclass(frozen=True)
class Expected:
    """What preemption has to find.

    Attributes:
        candidates: node row -> victims in order, and those of them that break a budget.
        failed: node row -> why it is no candidate.
        chosen: rows on which the choice can fall, by name.
    """

    candidates: dict[int, tuple[tuple[int, ...], frozenset[int]]]
    failed: dict[int, Status]
    chosen: tuple[int, ...]


def expected(decision: Decision) -> Expected:
    """Try every potential node of a decision that found no feasible one."""
    assert decision.framework is not None
    cluster = decision.cluster
    oracle = _Oracle(decision.framework, decision.pod, cluster)
    candidates, failed = {}, {}
    for row in range(cluster.nodes.count):
        status = decision.status_of(row)
        assert status is not None
        if status.code is not Code.UNSCHEDULABLE:
            continue
        start = cluster.mark()
        found = oracle.victims_on(row)
        cluster.undo_to(start)
        if isinstance(found, Status):
            failed[row] = found
        else:
            candidates[row] = found
    return Expected(candidates, failed, oracle.choice(candidates))


class _Oracle:
    def __init__(self, framework: Framework, pod: PodRecord, cluster: ClusterState) -> None:
        self.framework = framework
        self.pod = pod
        self.cluster = cluster

    def victims_on(self, row: int) -> tuple[tuple[int, ...], frozenset[int]] | Status:
        cluster = self.cluster
        lower = [pod for pod in cluster.usage.pods[row] if self.priority(pod) < self.pod.priority]
        if not lower:
            return Status(Code.UNRESOLVABLE, ("No preemption victims found for incoming pod",))
        for pod in lower:
            cluster.remove(pod)
        if (refused := self.refused(row)) is not None:
            return refused
        important = self.by_importance(lower)
        breaking = self.breaking(important)
        others = [pod for pod in important if pod not in breaking]
        victims = []
        for pod in [*(pod for pod in important if pod in breaking), *others]:
            before = cluster.mark()
            cluster.assume(pod, row)
            if self.refused(row) is not None:
                cluster.undo_to(before)
                victims.append(pod)
        if breaking and others:
            victims = self.by_importance(victims)
        return tuple(victims), frozenset(victims) & breaking

    def priority(self, pod: int) -> int:
        return self.cluster.pods.records[pod].pod.spec.priority or 0

    def start(self, pod: int) -> int:
        return start_of(self.cluster.pods.records[pod].pod.status.start_time)

    def refused(self, row: int) -> Status | None:
        """Why the pod does not fit, without the pods nominated to the node or with them."""
        name = self.cluster.nodes.names[row]
        nominated = [
            other
            for other in self.cluster.nominations.get(name, ())
            if other != self.pod.id and self.priority(other) >= self.pod.priority
        ]
        if nominated:
            before = self.cluster.mark()
            for other in nominated:
                self.cluster.assume(other, row)
            refused = self.status(row)
            self.cluster.undo_to(before)
            if refused is not None:
                return refused
        return self.status(row)

    def status(self, row: int) -> Status | None:
        phase = self.framework.run_pre_filter(self.pod, self.cluster)
        assert phase.status is None
        rows = Rows(self.cluster, np.array([row]))
        return self.framework.run_filters(self.pod, phase, rows).status_of(0)

    def by_importance(self, pods: list[int]) -> list[int]:
        ordered = list(pods)

        def less(x: int, y: int) -> bool:
            if self.priority(x) != self.priority(y):
                return self.priority(x) > self.priority(y)
            return self.start(x) < self.start(y) or self.start(x) == self.start(y) == NO_START

        go_sort(ordered, less)
        return ordered

    def breaking(self, important: list[int]) -> frozenset[int]:
        found = set()
        for budget in self.cluster.objects.all(PodDisruptionBudget).values():
            left = budget.status.disruptions_allowed
            for pod in important:
                record = self.cluster.pods.records[pod]
                if not covers(budget, record) or record.name in budget.status.disrupted_pods:
                    continue
                left -= 1
                if left < 0:
                    found.add(pod)
        return frozenset(found)

    def choice(self, candidates: dict[int, tuple[tuple[int, ...], frozenset[int]]]) -> tuple[int, ...]:
        def top_start(victims: tuple[int, ...]) -> int:
            highest = max(map(self.priority, victims))
            return min(self.start(pod) for pod in victims if self.priority(pod) == highest)

        criteria = (
            lambda row: len(candidates[row][1]),
            lambda row: self.priority(candidates[row][0][0]),
            lambda row: sum(self.priority(pod) + 2147483648 for pod in candidates[row][0]),
            lambda row: len(candidates[row][0]),
            lambda row: -top_start(candidates[row][0]),
        )
        left = list(candidates)
        for criterion in criteria:
            best = min(map(criterion, left), default=0)
            left = [row for row in left if criterion(row) == best]
        return tuple(sorted(left, key=lambda row: self.cluster.nodes.names[row]))


def covers(budget: PodDisruptionBudget, record: PodRecord) -> bool:
    """Whether a budget covers a pod; pods without labels, and selectors without requirements, never match."""
    try:
        selector = parse_label_selector(budget.spec.selector)
    except SelectorError:
        return False
    return (
        budget.namespace == record.namespace
        and bool(record.pod.labels)
        and bool(selector.requirements)
        and not selector.nothing
        and selector.matches(record.pod.labels)
    )


def found(decision: Decision) -> Expected:
    """What was found, in the shape of the oracle."""
    result = decision.preemption
    assert result is not None
    candidates = {row: (c.victims, c.breaking) for row, c in result.candidates.items()}
    return Expected(candidates, dict(result.failed), result.chosen)
