"""From two simulations to what they do not have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kschedctl.objects.units import amount_text
from kschedctl.reports.compare.model import Balance, MovedPod, Side, SideBySide, WhyThere
from kschedctl.reports.explain.build import ReportHead
from kschedctl.reports.explain.model import Explanation, NodeReport
from kschedctl.reports.explain.reasons import group_reasons
from kschedctl.reports.model import Caveat
from kschedctl.whatif.queue.task import Task, pod_count
from kschedctl.whatif.simulate import SimulationResult
from kschedctl.whatif.world.room import most_to_make
from kschedctl.whatif.world.utilization import POOL_KEYS, ZONE_KEYS, Utilization
from kschedctl.workloads import WorkloadKey
from kschedctl.workloads.controllers import is_daemon

ABSENT: Final = "Absent"


class ComparedSide(Struct, frozen=True):
    """What came of one side.

    Attributes:
        found: the simulation.
        head: what its report begins with.
    """

    found: SimulationResult
    head: ReportHead

    @property
    def most_to_make(self) -> int | None:
        """How many equal pods are made at most, the others being counted; None: all are made."""
        return most_to_make(self.found.world.nodes, self.found.session.scheduler.configuration)

    @property
    def ends_of_counted(self) -> dict[WorkloadKey, tuple[int, str]]:
        """By workload how many pods are only counted, and how all of them end."""
        return {task.workload: (task.counted, _outcome(task)) for task in self.found.tasks if task.counted}


def side_by_side(
    first: ComparedSide,
    second: ComparedSide,
    *,
    changes: Sequence[str],
    anew: bool,
    labels: tuple[str, str],
) -> SideBySide:
    """The report on two sides, of which those pods were explained that end otherwise."""
    moved = list(moved_pods(first, second))
    caveats: dict[str, Caveat] = {}
    for side in (first, second):
        for caveat in side.head.cluster.caveats:
            caveats.setdefault(caveat.message, caveat)
    return SideBySide(
        cluster=replace(first.head.cluster, caveats=list(caveats.values())),
        changes=list(changes),
        anew=anew,
        sides=[_side(side, label) for side, label in zip((first, second), labels, strict=True)],
        same=not moved,
        moved=moved,
    )


def moved_pods(first: ComparedSide, second: ComparedSide) -> Iterator[MovedPod]:
    """Pods that end otherwise, in order of arrival."""
    tasks = [{task.name: task for task in side.found.tasks} for side in (first, second)]
    for name in dict.fromkeys((*tasks[0], *tasks[1])):
        pair = [by_name.get(name) for by_name in tasks]
        ends = [(_outcome(task), task.node if task else None) for task in pair]
        if ends[0] == ends[1]:
            continue
        known = next(task for task in pair if task is not None)
        yield MovedPod(
            pod=name,
            workload=str(known.workload),
            outcomes=[outcome for outcome, _ in ends],
            nodes=[node for _, node in ends],
            messages=["" if task is None or task.placed else task.why for task in pair],
            why=list(_whys(pair)),
        )


def _outcome(task: Task | None) -> str:
    if task is None:
        return ABSENT
    return "Scheduled" if task.placed else (task.outcome.value if task.outcome else "NotCreated")


def _whys(pair: Sequence[Task | None]) -> Iterator[WhyThere]:
    for at, (task, other) in enumerate(zip(pair, reversed(pair), strict=True)):
        explained = task.inspected if task else None
        if not isinstance(explained, Explanation) or task is None or task.node is None:
            continue
        nodes = {node.name: node for node in explained.nodes}
        mine, rival = nodes.get(task.node), nodes.get(other.node or "") if other else None
        if mine is None or rival is None:
            continue
        if not rival.feasible:
            texts = [group.text for group in group_reasons([rival])]
            yield WhyThere(side=at, rejected="; ".join(texts), ahead=None, plugins={})
        elif mine.total is not None and rival.total is not None:
            yield WhyThere(side=at, rejected="", ahead=mine.total - rival.total, plugins=_ahead(mine, rival))


def _ahead(mine: NodeReport, rival: NodeReport) -> dict[str, int]:
    """Plugin -> how much more it gives, where that is not nothing, the most first."""
    found = {
        plugin: score.weighted - rival.scores[plugin].weighted
        for plugin, score in mine.scores.items()
        if plugin in rival.scores and score.weighted != rival.scores[plugin].weighted
    }
    return dict(sorted(found.items(), key=lambda item: -abs(item[1])))


def _side(side: ComparedSide, label: str) -> Side:
    found = side.found
    cluster = found.session.cluster
    busy = {
        int(cluster.pods.node[record.id])
        for record in cluster.pods.records
        if cluster.pods.node[record.id] >= 0 and not (record.pod.source and is_daemon(record.pod.source))
    }
    return Side(
        label=label,
        scheduler=side.head.scheduler,
        cluster=side.head.cluster,
        wanted=pod_count(found.tasks),
        placed=sum(task.placed for task in found.tasks),
        evicted=len(found.evictions),
        nodes=cluster.nodes.count,
        nodes_used=len(busy),
        balance=_balance(found.after),
    )


def _balance(after: Utilization) -> list[Balance]:
    total, zones, pools = after.total(), after.by_label(ZONE_KEYS), after.by_label(POOL_KEYS)
    balance = []
    for at, name in enumerate(after.resources):
        room, used = after.allocatable[after.counted, at], after.requested[after.counted, at]
        there = room > 0
        if not there.any() or not used.any():
            continue
        free = int((room - used)[there].max())
        balance.append(
            Balance(
                resource=name,
                used=round(total[name].share, 4),
                deviation=round(float(np.std(used[there] / room[there])), 4),
                zones=_extremes({zone: use[name].share for zone, use in zones.items()}),
                pools=_extremes({pool: use[name].share for pool, use in pools.items()}),
                largest_free=free,
                largest_free_text=amount_text(name, free),
            )
        )
    return balance


def _extremes(shares: Mapping[str, float]) -> list[float]:
    return [round(min(shares.values()), 4), round(max(shares.values()), 4)] if shares else []


def pairs(sides: Sequence[Side]) -> Iterator[tuple[Balance | None, Balance | None]]:
    """The balance of both sides by resource."""
    both = [{one.resource: one for one in side.balance} for side in sides]
    for name in dict.fromkeys((*both[0], *both[1])):
        yield both[0].get(name), both[1].get(name)
