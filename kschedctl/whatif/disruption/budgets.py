"""Disruption budgets as the eviction API and their controller keep them (not as preemption reads them)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from operator import itemgetter

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.objects.core import PodDisruptionBudget, PodDisruptionBudgetStatus
from kschedctl.objects.int_or_percent import scaled
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.objects.selectors import Selector, SelectorError, parse_label_selector
from kschedctl.whatif.world.world import World
from kschedctl.workloads import replicas_of
from kschedctl.workloads.readiness import is_ready


class Budget(Struct, eq=False):
    """How many of some pods may be disrupted now.

    Attributes:
        source: the object.
        selector: its pods; None where the selector is bad.
        expected: how many pods there should be.
        desired: how many must stay healthy.
        healthy: how many are.
        allowed: how many may go now.
    """

    source: PodDisruptionBudget
    selector: Selector | None
    expected: int
    desired: int
    healthy: int
    allowed: int

    @property
    def name(self) -> str:
        """`namespace/name`."""
        return self.source.full_name

    def covers(self, pod: Pod) -> bool:
        """Whether it is about the pod; unlike in preemption an empty selector covers the whole namespace."""
        if self.selector is None or pod.namespace != self.source.namespace:
            return False
        return self.selector.matches(pod.metadata.labels)

    def charge(self) -> None:
        """One healthy pod is gone."""
        self.healthy -= 1
        self.allowed = max(self.allowed - 1, 0)

    def credit(self) -> None:
        """One pod more is healthy."""
        self.healthy += 1
        self.allowed = min(self.allowed + 1, max(self.healthy - self.desired, 0))

    def rule(self) -> str:
        """What it demands, as it is written."""
        spec = self.source.spec
        if spec.max_unavailable is not None:
            return f"maxUnavailable {spec.max_unavailable}"
        return f"minAvailable {1 if spec.min_available is None else spec.min_available}"

    def status(self) -> PodDisruptionBudgetStatus:
        """The same as its controller writes it."""
        return PodDisruptionBudgetStatus(
            expected_pods=self.expected,
            desired_healthy=self.desired,
            current_healthy=self.healthy,
            disruptions_allowed=self.allowed,
        )

    def state(self) -> str:
        """Why it allows what it allows: `1 of 3 pods healthy, 2 needed by minAvailable 2`."""
        told = f"{self.healthy} of {self.expected} pods healthy, {self.desired} needed by {self.rule()}"
        return f"{told}, {self._way_out()}" if self.desired >= self.expected > 0 else told

    def _way_out(self) -> str:
        """What lets pods go of a budget that never does, since it needs all that there should be."""
        spec = self.source.spec
        if spec.max_unavailable is None and not isinstance(spec.min_available, str):
            return f"which never lets one go: one replica more would, or minAvailable {self.desired - 1}"
        return "which never lets one go: maxUnavailable 1 in its place would"


class Budgets:
    """The budgets of a cluster while pods are evicted and come back."""

    def __init__(self, world: World) -> None:
        covered = _CoveredPods(world.pods)
        self._in_namespace: dict[str, list[Budget]] = {}
        for source in sorted(world.all(PodDisruptionBudget), key=lambda b: b.full_name):
            budget = _budget(world, source, covered)
            self._in_namespace.setdefault(source.namespace, []).append(budget)

    @property
    def all(self) -> list[Budget]:
        """Every budget, by namespace and name."""
        return [budget for budgets in self._in_namespace.values() for budget in budgets]

    def of(self, pod: Pod) -> list[Budget]:
        """The budgets that cover a pod, by name."""
        return [budget for budget in self._in_namespace.get(pod.namespace, ()) if budget.covers(pod)]

    def refusing(self, pod: Pod) -> list[Budget]:
        """The budgets for which a pod cannot be evicted now; several covering budgets are refused always."""
        if is_beyond_budgets(pod):
            return []
        covering = self.of(pod)
        if len(covering) > 1:
            return covering
        return [b for b in covering if not _lets_go(b, pod)]

    def lose(self, pod: Pod) -> None:
        """A healthy pod is gone."""
        for budget in self.of(pod):
            budget.charge()

    def recover(self, pod: Pod) -> None:
        """A pod that took the place of another runs."""
        for budget in self.of(pod):
            budget.credit()


def with_new_status(objects: Sequence[TopLevel]) -> list[TopLevel]:
    """Objects whose budgets stand as their controller writes them for the pods that are there now."""
    empty = PodDisruptionBudgetStatus()
    bare = [replace(obj, status=empty) if isinstance(obj, PodDisruptionBudget) else obj for obj in objects]
    counted = {budget.name: budget.status() for budget in Budgets(World(bare)).all}
    return [
        replace(obj, status=counted[obj.full_name]) if isinstance(obj, PodDisruptionBudget) else obj
        for obj in bare
    ]


def is_healthy(pod: Pod) -> bool:
    """Whether the pod counts as healthy: on a node, not ending, and not said to be unready."""
    return bool(pod.spec.node_name) and is_ready(pod)


def is_beyond_budgets(pod: Pod) -> bool:
    """Whether the eviction API does not ask the budgets: the pod does not run, or is ending."""
    return pod.is_terminating or pod.status.phase in ("Pending", "Succeeded", "Failed")


def _lets_go(budget: Budget, pod: Pod) -> bool:
    if not is_healthy(pod):
        if budget.source.spec.unhealthy_pod_eviction_policy == "AlwaysAllow":
            return True
        return budget.allowed > 0 or budget.healthy >= budget.desired > 0
    return budget.allowed > 0


class _CoveredPods:
    """The pods of a cluster by namespace and labels, so that a selector is decided once for equal labels."""

    def __init__(self, pods: Iterable[Pod]) -> None:
        self._by_labels: dict[str, dict[tuple[tuple[str, str], ...], list[tuple[int, Pod]]]] = {}
        for at, pod in enumerate(pods):
            labels = tuple(sorted(pod.metadata.labels.items()))
            alike = self._by_labels.setdefault(pod.namespace, {})
            alike.setdefault(labels, []).append((at, pod))

    def covered_by(self, selector: Selector, namespace: str) -> list[Pod]:
        """The pods of a namespace with matching labels, in their order."""
        found: list[tuple[int, Pod]] = []
        for labels, alike in self._by_labels.get(namespace, {}).items():
            if selector.matches(dict(labels)):
                found += alike
        return [pod for _, pod in sorted(found, key=itemgetter(0))]


def _budget(world: World, source: PodDisruptionBudget, pods: _CoveredPods) -> Budget:
    try:
        selector = parse_label_selector(source.spec.selector)
    except SelectorError:
        return Budget(source, None, 0, 0, 0, 0)
    status = source.status
    if status.expected_pods or status.current_healthy or status.desired_healthy:
        return Budget(
            source,
            selector,
            status.expected_pods,
            status.desired_healthy,
            status.current_healthy,
            status.disruptions_allowed,
        )
    mine = pods.covered_by(selector, source.namespace)
    expected, desired = _demand(world, source, mine)
    healthy = sum(is_healthy(pod) for pod in mine)
    return Budget(source, selector, expected, desired, healthy, max(healthy - desired, 0))


def _demand(world: World, source: PodDisruptionBudget, pods: list[Pod]) -> tuple[int, int]:
    """How many pods there should be, and how many of them must stay healthy."""
    spec = source.spec
    if spec.max_unavailable is not None:
        expected = _scale(world, pods)
        return expected, max(expected - scaled(spec.max_unavailable, expected, up=True), 0)
    least = 1 if spec.min_available is None else spec.min_available
    if isinstance(least, int):
        return len(pods), least
    expected = _scale(world, pods)
    return expected, scaled(least, expected, up=True)


def _scale(world: World, pods: list[Pod]) -> int:
    """The sum of what the workloads of the pods ask for; a workload that is not known counts by its pods."""
    total = 0
    for key, count in Counter(world.ownership.scaled_by(pod) for pod in pods).items():
        workload = world.ownership.workload(key)
        replicas = None if workload is None else replicas_of(workload)
        total += count if replicas is None else replicas
    return total
