"""What if nodes or zones fail: does everything that controllers make anew find another node."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import comb

from msgspec import Struct

from kschedctl.cluster.pods import PodRecord
from kschedctl.errors import UsageError
from kschedctl.objects.phrases import plural
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.whatif.queue.simulator import Simulator
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.world.utilization import ZONE_KEYS
from kschedctl.whatif.world.world import PodOrigin, successor
from kschedctl.workloads import WorkloadKey
from kschedctl.workloads.controllers import is_recreated
from kschedctl.workloads.succession import named_node

_MOST_TRIALS = 20_000
_TOLD_EVERY = 16


class FatalFailure(Struct, frozen=True):
    """A failure that the cluster does not survive.

    Attributes:
        failed: names of the nodes or zones that fail.
        pending: pods that then find no node, those preempted for others included.
    """

    failed: tuple[str, ...]
    pending: tuple[Task, ...]


def fatal_node_losses(
    session: Session, workload_of: Callable[[Pod], WorkloadKey], at_once: int, observer: Observer = SILENT
) -> Iterator[FatalFailure]:
    """Every choice of so many nodes whose failure leaves pods without a node; `observer` is told the progress."""
    return _fatal(session, workload_of, _nodes(session), at_once, observer)


def fatal_zone_losses(
    session: Session, workload_of: Callable[[Pod], WorkloadKey], at_once: int, observer: Observer = SILENT
) -> Iterator[FatalFailure]:
    """Every choice of so many zones whose failure leaves pods without a node; nodes without a zone stay."""
    return _fatal(session, workload_of, _zones(session), at_once, observer)


def too_few_nodes(session: Session, at_once: int) -> str:
    """Why so many nodes cannot fail, empty where they can."""
    found = len(_nodes(session))
    return _too_few("node", found, at_once) if found else "there is no node"


def too_few_zones(session: Session, at_once: int) -> str:
    """Why so many zones cannot fail, empty where they can."""
    found = len(_zones(session))
    return _too_few("zone", found, at_once) if found else f"no node has a zone ({ZONE_KEYS[0]})"


def _too_few(one: str, found: int, at_once: int) -> str:
    if found >= at_once:
        return ""
    verb = "is" if found == 1 else "are"
    return f"there {verb} only {plural(found, one)}, {at_once} cannot fail at once"


def _nodes(session: Session) -> list[tuple[str, tuple[str, ...]]]:
    return [(name, (name,)) for name in sorted(session.cluster.nodes.names)]


def _zones(session: Session) -> list[tuple[str, tuple[str, ...]]]:
    """Zone -> its nodes."""
    zones: dict[str, list[str]] = {}
    for node in session.cluster.nodes.objects:
        zone = next((node.metadata.labels[k] for k in ZONE_KEYS if k in node.metadata.labels), None)
        if zone is not None:
            zones.setdefault(zone, []).append(node.name)
    return [(zone, tuple(zones[zone])) for zone in sorted(zones)]


def _fatal(
    session: Session,
    workload_of: Callable[[Pod], WorkloadKey],
    groups: Sequence[tuple[str, tuple[str, ...]]],
    at_once: int,
    observer: Observer,
) -> Iterator[FatalFailure]:
    count = comb(len(groups), at_once)
    if count > _MOST_TRIALS:
        raise UsageError(
            f"{count} ways to lose {at_once} of {len(groups)} are too many to try",
            hint=f"At most {_MOST_TRIALS} are tried.",
        )
    trials = _Trials(session, workload_of)
    for done, chosen in enumerate(combinations(groups, at_once)):
        if done % _TOLD_EVERY == 0:
            observer.progress("failures", done, count)
        pending = trials.unplaced_without({node for _, nodes in chosen for node in nodes})
        if pending:
            yield FatalFailure(tuple(name for name, _ in chosen), pending)


class _Trials:
    """Failures of one cluster, tried one after the other, each in a fork.

    The pod that its controller makes in the place of another is entered once and serves in every trial: pods that
    were entered stay in the pod table, and there may be thousands of trials.
    """

    def __init__(self, session: Session, workload_of: Callable[[Pod], WorkloadKey]) -> None:
        self._session = session
        self._workload_of = workload_of
        self._made: dict[int, PodRecord | None] = {}

    def unplaced_without(self, failed: set[str]) -> tuple[Task, ...]:
        """Pods without a node once some nodes have failed; the cluster is left as it was."""
        cluster = self._session.cluster
        rows = sorted(cluster.nodes.row_of[name] for name in failed)
        tasks = [
            task
            for row in rows
            for pod in cluster.usage.pods[row]
            for task in self._displaced(pod, cluster.nodes.names[row])
        ]
        start = cluster.mark()
        try:
            simulator = Simulator(self._session, self._workload_of)
            for row in rows:
                for pod in list(cluster.usage.pods[row]):
                    cluster.remove(pod)
            cluster.lose_nodes(rows)
            simulator.submit(tasks)
            simulator.settle()
            return tuple(simulator.unplaced)
        finally:
            cluster.undo_to(start)

    def _displaced(self, pod: int, node: str) -> list[Task]:
        """The pod that is made in the place of one that was on a node; none for one that nothing brings back."""
        if pod not in self._made:
            self._made[pod] = self._make(self._session.cluster.pods.records[pod])
        made = self._made[pod]
        if made is None:
            return []
        fresh = made.pod.source
        assert fresh is not None
        return [Task(fresh, made, self._workload_of(fresh), PodOrigin.DISPLACED, running_on=node)]

    def _make(self, old: PodRecord) -> PodRecord | None:
        source = old.pod.source
        if source is None or not is_recreated(source) or old.pod.is_terminating:
            return None
        cluster = self._session.cluster
        fresh = successor(source, node=named_node(source, cluster.objects.find))
        return cluster.add_pod(self._session.admission.admit_existing(fresh))
