"""Replays a timeline over the input, and holds every placement against the cluster as it was then."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence

from .objects import Data, Pod
from .world import World

_NUMBER = re.compile(r"-\d+$")


def replayed(
    world: World, report: Data, before: Mapping[int, Callable[[], Iterator[str]]] | None = None
) -> Iterator[str]:
    """What is wrong with the timeline of a report.

    Args:
        world: the input, which becomes what it is at the end.
        report: with a timeline.
        before: number of an event -> what happens before it, and tells what is wrong with that.
    """
    state = world.state
    workload = {
        f"{p['namespace']}/{p['name']}": p["workload"].rpartition("default/")[2] for p in report["pods"]
    }
    fresh: dict[str, Pod] = {}

    def resolve(name: str) -> Pod:
        if name in world.waiting:
            return world.waiting.pop(name)
        known = base(name, workload)
        assert known in workload, f"nobody knows the pod {name}"
        return world.made(name, workload[known])

    for number, event in enumerate(report["timeline"]):
        at, name = event["at"], event["pod"]
        if before and number in before:
            yield from before[number]()
        match event["event"]:
            case "Scheduled":
                pod = fresh.pop(name, None) or resolve(name)
                world.waiting.pop(name, None)
                why = list(state.forbids(pod, event["node"]))
                if why:
                    yield f"{at}: {name} ({pod.workload}) may not come to {event['node']}: {'; '.join(why)}"
                pod.node = event["node"]
                state.put(name, pod)
            case "Preempted":
                if name not in state.pods:
                    yield f"{at}: {name} is preempted, and not there"
                    continue
                victim, by = state.pods[name], event["by"]
                preemptor = world.waiting.get(by) or fresh.get(by) or resolve(by)
                fresh.setdefault(by, preemptor)
                if victim.priority >= preemptor.priority:
                    yield f"{at}: {name} ({victim.priority}) gives way to {by} ({preemptor.priority})"
                victim.terminating = True
            case "Gone":
                if name in state.pods:
                    state.take(name)
                else:
                    yield f"{at}: {name} ends, and was not there"


def simulation(world: World, report: Data) -> Iterator[str]:
    """What is wrong with a simulation that has a timeline."""
    names = Counter((pod["namespace"], pod["name"]) for pod in report["pods"])
    yield from (f"{name} is reported {count} times" for name, count in names.items() if count > 1)
    over = {name for name in world.state.nodes if world.state.overcommitted(name)}
    yield from _accounted(world, report)
    yield from replayed(world, report)
    gone = {eviction["pod"] for eviction in report["evictions"]}
    yield from at_the_end(world, report["pods"], over, gone)


def _accounted(world: World, report: Data) -> Iterator[str]:
    """Whether everything that changes take off its node comes up again."""
    found = Counter(
        (_own(pod["workload"]), pod["cameFrom"]) for pod in report["pods"] if pod["origin"] == "displaced"
    )
    wanted = Counter((pod.workload, pod.node) for pod in world.displaced)
    for key in found.keys() | wanted.keys():
        if found[key] != wanted[key]:
            yield f"{found[key]} pods of {key[0]} are displaced from {key[1]}, and {wanted[key]} were there"
    lost = {pod.full_name for pod in world.lost}
    if lost != set(report["lost"]):
        yield f"lost: {sorted(lost ^ set(report['lost']))}"
    preempted = Counter(eviction["pod"] for eviction in report["evictions"])
    told = Counter(base(e["pod"], preempted) for e in report["timeline"] if e["event"] == "Preempted")
    if told != preempted:
        yield f"evictions and timeline differ: {told - preempted} {preempted - told}"


def base(name: str, known: Container[str]) -> str:
    """The name of the pod in whose place one was made: names of those are numbered."""
    while name not in known and _NUMBER.search(name):
        name = _NUMBER.sub("", name)
    return name


def _own(workload: str) -> str:
    return workload.removeprefix("default/")


def at_the_end(world: World, pods: Sequence[Data], over: set[str], evicted: set[str]) -> Iterator[str]:
    """What is wrong with the end: full nodes, pods that are lost or that are there twice.

    Args:
        world: at the end.
        pods: those of the report that were to be scheduled.
        over: nodes that were over-committed before.
        evicted: pods that others have taken the place of; bare ones are gone for good.
    """
    state = world.state
    for name in state.nodes:
        if name not in over and (full := state.overcommitted(name)):
            yield f"{name} is over-committed: {', '.join(full)}"
    there = Counter(pod.workload for pod in state.pods.values() if not pod.terminating)
    without = Counter(_own(pod["workload"]) for pod in pods if pod["node"] is None)
    for key, wanted in world.wanted.items():
        if key.startswith("Pod/") and f"default/{key.removeprefix('Pod/')}" in evicted:
            wanted = 0
        if there[key] + without[key] != wanted:
            yield f"{key} has {there[key]} pods and {without[key]} without a node, and wants {wanted}"
    placed = Counter((_own(pod["workload"]), pod["node"]) for pod in pods if pod["node"] is not None)
    mine = Counter((pod.workload, pod.node) for pod in state.pods.values())
    for key, count in placed.items():
        if mine[key] < count:
            yield f"{count} pods of {key[0]} are said to be on {key[1]}, and {mine[key]} are"
