"""From two answers to what they do not have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from kschedctl.reports.explain.model import Explanation, NodeReport
from kschedctl.reports.model import Caveat, ClusterSummary
from kschedctl.reports.simulate.model import PodPlacement, Simulation
from kschedctl.reports.versions.model import (
    ApiChange,
    ExplanationVersions,
    PodVersions,
    SimulationVersions,
    VersionNode,
)

ABSENT = "Absent"

_End = tuple[str, str | None]
"""How a pod ends, and on which node."""


def explanation_versions(
    before: Explanation, after: Explanation, api: Sequence[ApiChange] = ()
) -> ExplanationVersions:
    """What two explanations of one pod do not have in common."""
    answers = [before, after]
    nodes = list(_nodes(before, after))
    outcomes, selected = [one.outcome for one in answers], [one.selected_node for one in answers]
    events = [one.event.message if one.event else one.message for one in answers]
    same = not nodes and not api and len({*outcomes}) == len({*selected}) == len({*events}) == 1
    return ExplanationVersions(
        versions=[one.scheduler.version for one in answers],
        pod=before.pod,
        cluster=_cluster(before.cluster, after.cluster),
        same=same,
        outcomes=[*outcomes],
        selected_nodes=selected,
        nodes=nodes,
        events=events if len({*events}) > 1 else [],
        api=list(api),
        answers=answers,
    )


def simulation_versions(
    before: Simulation, after: Simulation, api: Sequence[ApiChange] = ()
) -> SimulationVersions:
    """What two simulations of one question do not have in common."""
    answers = [before, after]
    pods = list(_pods(before, after))
    evicted = [{victim.pod for victim in one.evictions} for one in answers]
    only_once = {pod: [pod in one for one in evicted] for pod in sorted(evicted[0] ^ evicted[1])}
    return SimulationVersions(
        versions=[one.scheduler.version for one in answers],
        cluster=_cluster(before.cluster, after.cluster),
        same=not pods and not only_once and not api,
        wanted=[one.wanted for one in answers],
        placed=[one.placed for one in answers],
        pods=pods,
        evicted=only_once,
        api=list(api),
        answers=[one.brief() for one in answers],
    )


_TOLD_OTHERWISE: Final = frozenset({"other-version", "api-not-served"})


def _cluster(before: ClusterSummary, after: ClusterSummary) -> ClusterSummary:
    """The cluster with the caveats of both answers that the comparison does not tell anyway."""
    caveats: dict[str, Caveat] = {}
    for caveat in (*before.caveats, *after.caveats):
        if caveat.code not in _TOLD_OTHERWISE:
            caveats.setdefault(caveat.message, caveat)
    return replace(before, caveats=list(caveats.values()))


def _nodes(before: Explanation, after: Explanation) -> Iterator[VersionNode]:
    others = {node.name: node for node in after.nodes}
    for node in before.nodes:
        other = others.get(node.name)
        if other is None:
            continue
        verdicts, totals = [_verdict(node), _verdict(other)], [node.total, other.total]
        plugins = {
            name: points
            for name in {**node.scores, **other.scores}
            if (points := [_points(node, name), _points(other, name)])[0] != points[1]
        }
        if verdicts[0] != verdicts[1] or totals[0] != totals[1] or plugins:
            yield VersionNode(node=node.name, verdicts=verdicts, totals=totals, plugins=plugins)


def _verdict(node: NodeReport) -> str:
    return "" if node.status is None else ", ".join(node.status.reasons)


def _points(node: NodeReport, plugin: str) -> int:
    found = node.scores.get(plugin)
    return 0 if found is None else found.weighted


def _pods(before: Simulation, after: Simulation) -> Iterator[PodVersions]:
    """Pods that end otherwise; replicas that only change places do not."""
    sides = [{f"{pod.namespace}/{pod.name}": pod for pod in one.pods} for one in (before, after)]
    differing: dict[str, list[tuple[str, list[_End]]]] = {}
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        found = [side.get(name) for side in sides]
        ends: list[_End] = [(ABSENT, None) if pod is None else (pod.outcome, pod.node) for pod in found]
        if ends[0] != ends[1]:
            pod = next(pod for pod in found if pod is not None)
            key = pod.workload if _is_replica(pod) else name
            differing.setdefault(key, []).append((name, ends))
    for pods in differing.values():
        left = [Counter(ends[i] for _, ends in pods) for i in (0, 1)]
        gone, come = left[0] - left[1], iter((left[1] - left[0]).elements())
        for name, ends in pods:
            if gone[ends[0]]:
                gone[ends[0]] -= 1
                end = next(come)
                workload = next(side[name].workload for side in sides if name in side)
                yield PodVersions(
                    pod=name, workload=workload, outcomes=[ends[0][0], end[0]], nodes=[ends[0][1], end[1]]
                )


def _is_replica(pod: PodPlacement) -> bool:
    """Whether the pod is as good as any other of its workload."""
    return pod.workload.split("/")[-2] not in ("Pod", "StatefulSet")
