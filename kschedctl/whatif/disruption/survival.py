"""What if nodes or zones fail: does everything that controllers make anew find another node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import combinations
from math import comb
from operator import itemgetter
from typing import TypeVar

from msgspec import Struct

from kschedctl.errors import UsageError
from kschedctl.objects.node import Node
from kschedctl.objects.phrases import plural
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.parallel import ALONE, Workers, each
from kschedctl.whatif.disruption.losses import Losses
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.world.utilization import ZONE_KEYS
from kschedctl.workloads import WorkloadKey

T = TypeVar("T")
Group = tuple[str, tuple[str, ...]]
"""A node or a zone with its nodes."""

_MOST_TRIALS = 20_000
_TOLD_EVERY = 16


class FailureUnit(StrEnum):
    """What fails as a whole."""

    NODES = "nodes"
    ZONES = "zones"

    @property
    def one(self) -> str:
        """One of them, in words."""
        return self.value.removesuffix("s")


class FatalFailure(Struct, frozen=True):
    """A failure that the cluster does not survive.

    Attributes:
        failed: names of the nodes or zones that fail.
        pending: pods that then find no node, those preempted for others included.
    """

    failed: tuple[str, ...]
    pending: tuple[Task, ...]


def fatal_losses(
    unit: FailureUnit,
    session: Session,
    workload_of: Callable[[Pod], WorkloadKey],
    at_once: int,
    observer: Observer = SILENT,
    losses: Losses | None = None,
    workers: Workers = ALONE,
) -> Iterator[FatalFailure]:
    """Every choice of so many nodes or zones whose failure leaves pods without a node.

    Args:
        unit: what fails; nodes without a zone stay where zones do.
        session: the cluster and its scheduler.
        workload_of: whose pod a pod is.
        at_once: how many fail at once.
        observer: is told the progress.
        losses: what was tried on the cluster before; None: nothing.
        workers: who tries; several try all before anything is told.

    Raises:
        UsageError: there are too many choices.
    """
    return _fatal(losses or Losses(session, workload_of), _groups(unit, session), at_once, observer, workers)


def too_few(unit: FailureUnit, session: Session, at_once: int) -> str:
    """Why so many cannot fail, empty where they can."""
    found = len(_groups(unit, session))
    if found >= max(at_once, 1):
        return ""
    if not found:
        return f"no node has a zone ({ZONE_KEYS[0]})" if unit is FailureUnit.ZONES else "there is no node"
    verb = "is" if found == 1 else "are"
    return f"there {verb} only {plural(found, unit.one)}, {at_once} cannot fail at once"


def _groups(unit: FailureUnit, session: Session) -> list[Group]:
    return _zones(session) if unit is FailureUnit.ZONES else _nodes(session)


def _nodes(session: Session) -> list[Group]:
    return [(node.name, (node.name,)) for node in sorted(_present(session), key=lambda node: node.name)]


def _zones(session: Session) -> list[Group]:
    """Zone -> its nodes."""
    zones: dict[str, list[str]] = {}
    for node in _present(session):
        zone = node.metadata.first_label(ZONE_KEYS)
        if zone is not None:
            zones.setdefault(zone, []).append(node.name)
    return [(zone, tuple(zones[zone])) for zone in sorted(zones)]


def _present(session: Session) -> list[Node]:
    cluster = session.cluster
    return [cluster.nodes.objects[row] for row in cluster.present.order.tolist()]


def _fatal(
    losses: Losses,
    groups: Sequence[Group],
    at_once: int,
    observer: Observer,
    workers: Workers,
) -> Iterator[FatalFailure]:
    count = comb(len(groups), at_once)
    if count > _MOST_TRIALS:
        raise UsageError(
            f"{count} ways to lose {at_once} of {len(groups)} are too many to try",
            hint=f"At most {_MOST_TRIALS} are tried.",
        )
    chosen = list(enumerate(combinations(groups, at_once)))
    tried = _told(each(_lose, losses, chosen, workers), count, observer)
    if not workers.is_this_process:  # these come in any order
        tried = iter(sorted(tried, key=itemgetter(0)))
    for _, failure in tried:
        if failure is not None:
            yield failure


def _lose(losses: Losses, chosen: tuple[int, Sequence[Group]]) -> tuple[int, FatalFailure | None]:
    """One failure with its number; None where it is none that is fatal."""
    number, groups = chosen
    pending = losses.unplaced_without({node for _, nodes in groups for node in nodes})
    return number, FatalFailure(tuple(name for name, _ in groups), pending) if pending else None


def _told(tried: Iterable[T], count: int, observer: Observer) -> Iterator[T]:
    """The same, while the observer is told how many there are."""
    for done, one in enumerate(tried):
        if done % _TOLD_EVERY == 0:
            observer.progress("failures", done, count)
        yield one
