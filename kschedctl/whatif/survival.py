"""What if nodes or zones fail: does everything that controllers make anew find another node."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

from kschedctl.errors import UsageError
from kschedctl.objects.phrases import plural
from kschedctl.objects.pod import Pod
from kschedctl.workloads import WorkloadKey
from kschedctl.workloads.controllers import is_recreated

from .session import Session
from .simulator import Simulator
from .task import Task
from .utilization import ZONE_KEYS
from .world import Origin, successor

_MOST_TRIALS = 20_000


@dataclass(frozen=True, slots=True)
class Loss:
    """A failure that the cluster does not survive.

    Attributes:
        failed: names of the nodes or zones that fail.
        pending: pods that then find no node, those preempted for others included.
    """

    failed: tuple[str, ...]
    pending: tuple[Task, ...]


def fatal_node_losses(
    session: Session, workload_of: Callable[[Pod], WorkloadKey], at_once: int
) -> Iterator[Loss]:
    """Every choice of so many nodes whose failure leaves pods without a node."""
    return _fatal(session, workload_of, _nodes(session), at_once)


def fatal_zone_losses(
    session: Session, workload_of: Callable[[Pod], WorkloadKey], at_once: int
) -> Iterator[Loss]:
    """Every choice of so many zones whose failure leaves pods without a node; nodes without a zone stay."""
    return _fatal(session, workload_of, _zones(session), at_once)


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
) -> Iterator[Loss]:
    if comb(len(groups), at_once) > _MOST_TRIALS:
        raise UsageError(
            f"{comb(len(groups), at_once)} ways to lose {at_once} of {len(groups)} are too many to try",
            hint=f"At most {_MOST_TRIALS} are tried.",
        )
    for chosen in combinations(groups, at_once):
        failed = {node for _, nodes in chosen for node in nodes}
        pending = _try(session, workload_of, failed)
        if pending:
            yield Loss(tuple(name for name, _ in chosen), pending)


def _try(session: Session, workload_of: Callable[[Pod], WorkloadKey], failed: set[str]) -> tuple[Task, ...]:
    """Pods without a node after the failure; the cluster is left as it was."""
    cluster = session.cluster
    start = cluster.mark()
    try:
        simulator = Simulator(session, workload_of)
        tasks = []
        for row in sorted(cluster.nodes.row_of[name] for name in failed):
            for pod in list(cluster.usage.pods[row]):
                tasks += _displaced(session, workload_of, pod)
        cluster.set_nodes([node for node in cluster.nodes_by_addition() if node.name not in failed])
        simulator.submit(tasks)
        simulator.settle()
        return tuple(simulator.unplaced)
    finally:
        cluster.undo_to(start)


def _displaced(session: Session, workload_of: Callable[[Pod], WorkloadKey], pod: int) -> list[Task]:
    cluster = session.cluster
    record = cluster.pods.records[pod]
    source, node = record.pod.source, cluster.nodes.names[cluster.pods.node[pod]]
    cluster.remove(pod)
    if source is None or not is_recreated(source) or record.pod.is_terminating:
        return []
    fresh = successor(source)
    entered = cluster.add_pod(session.admission.admit_existing(fresh))
    return [Task(fresh, entered, workload_of(source), Origin.DISPLACED, running_on=node)]
