"""Replays a timeline over the input, and holds every placement against the cluster as it was then."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

from .objects import Data, Node, Pod, selects, tolerates
from .state import State

_NUMBER = re.compile(r"-\d+$")
_WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet", "Job")


class World:
    """The input of a question, with its changes made.

    Attributes:
        state: the cluster at the beginning.
        templates: workload -> template of its pods.
        wanted: workload -> how many pods it is to have; bare pods are workloads of one.
        displaced: pods that changes take off their nodes, and that controllers make anew.
        lost: pods that changes take away for good.
        waiting: pods that are on no node at the beginning.
    """

    def __init__(
        self, objects: Sequence[Data], release: Sequence[Data] = (), changes: Iterable[tuple[str, str]] = ()
    ) -> None:
        self._classes = {o["metadata"]["name"]: o["value"] for o in objects if o["kind"] == "PriorityClass"}
        workloads = {_key(o): o for o in objects if o["kind"] in _WORKLOADS}
        replaced = {_key(o): o for o in release if o["kind"] in _WORKLOADS}
        now = workloads | replaced
        self.templates: dict[str, Data] = {key: one["spec"]["template"] for key, one in now.items()}
        self.wanted: dict[str, int] = {
            key: one["spec"].get("replicas", one["spec"].get("parallelism", 0)) for key, one in now.items()
        }
        nodes = [Node.of(o) for o in objects if o["kind"] == "Node"]
        self.budgets = [o for o in objects if o["kind"] == "PodDisruptionBudget"]
        self._owners = {
            o["metadata"]["name"]: f"Deployment/{o['metadata']['ownerReferences'][0]['name']}"
            for o in objects
            if o["kind"] == "ReplicaSet"
        }
        self.displaced: list[Pod] = []
        self.lost: list[Pod] = []
        self.waiting: dict[str, Pod] = {}
        pods = [self._pod(o) for o in objects if o["kind"] == "Pod"]
        emptied, gone = set(), set()
        for kind, what in changes:
            match kind:
                case "drain":
                    emptied.add(what)
                    _node(nodes, what).taints.append(_CORDON)
                case "remove-node":
                    gone.add(what)
                case "cordon":
                    _node(nodes, what).taints.append(_CORDON)
                case "taint":
                    name, _, taint = what.partition(" ")
                    pair, _, effect = taint.partition(":")
                    key, _, value = pair.partition("=")
                    _node(nodes, name).taints.append({"key": key, "value": value, "effect": effect})
                case "scale":
                    workload, _, count = what.partition("=")
                    kind_, _, name = workload.partition("/")
                    self.wanted[f"{_named(kind_)}/{name}"] = int(count)
                case "add-node":
                    like, _, count = what.removeprefix("like=").partition("=")
                    nodes += _copies(_node(nodes, like), int(count), {node.name for node in nodes})
        self.state = State(node for node in nodes if node.name not in gone)
        for pod in pods:
            daemon = pod.workload.startswith("DaemonSet/")
            if pod.workload in replaced and not daemon:
                continue
            if pod.node in gone or (pod.node in emptied and not daemon):
                if pod.workload in self.templates and not daemon:
                    self.displaced.append(pod)
                elif not daemon:
                    self.lost.append(pod)
            elif pod.node is None:
                self.waiting[pod.full_name] = pod
            else:
                self.state.put(pod.full_name, pod)
        for key, template in self.templates.items():
            if key.startswith("DaemonSet/"):  # where it runs it stays, unless a taint evicts it
                there = {pod.node for pod in self.state.pods.values() if pod.workload == key}
                self.wanted[key] = sum(
                    name in there or _takes_daemon(template["spec"], node)
                    for name, node in self.state.nodes.items()
                )
        self.wanted |= {
            pod.workload: 1 for pod in pods if pod.workload.startswith("Pod/") and pod not in self.lost
        }

    def _pod(self, data: Data) -> Pod:
        meta = data["metadata"]
        owners = meta.get("ownerReferences") or [{"kind": "Pod", "name": meta["name"]}]
        owner = self.top(f"{owners[0]['kind']}/{owners[0]['name']}")
        spec = data["spec"]
        priority = spec.get("priority", 0)
        return Pod(
            meta["namespace"],
            meta["name"],
            meta.get("labels") or {},
            spec,
            spec.get("nodeName"),
            owner,
            priority=priority,
        )

    def top(self, owner: str) -> str:
        """The workload at the top of an owner."""
        own = owner.removeprefix("default/")
        kind, _, name = own.partition("/")
        return self._owners[name] if kind == "ReplicaSet" else own

    def made(self, full_name: str, workload: str, node: str | None = None) -> Pod:
        """A pod of a workload, as its controller makes it."""
        template = self.templates[workload]
        spec = template["spec"]
        if workload.startswith("DaemonSet/"):
            spec = {**spec, "tolerations": [*(spec.get("tolerations") or ()), _ANYTHING]}
        namespace, _, name = full_name.partition("/")
        priority = self._classes.get(spec.get("priorityClassName", ""), 0)
        return Pod(namespace, name, template["metadata"]["labels"], spec, node, workload, priority=priority)


_CORDON = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
_ANYTHING = {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}


def _key(data: Data) -> str:
    return f"{data['kind']}/{data['metadata']['name']}"


def _named(kind: str) -> str:
    return next(one for one in _WORKLOADS if one.lower() == kind)


def _node(nodes: Iterable[Node], name: str) -> Node:
    return next(node for node in nodes if node.name == name)


def _copies(model: Node, count: int, there: set[str]) -> Iterator[Node]:
    """Copies as they are named: NAME-new-1 and so on; they are neither cordoned nor tainted by hand."""
    for number in range(1, count + 1):
        name = f"{model.name}-new-{number}"
        assert name not in there
        labels = model.labels | {"kubernetes.io/hostname": name}
        taints = [taint for taint in model.taints if taint is not _CORDON]
        yield Node(name, labels, taints, model.room)


def _takes_daemon(spec: Data, node: Node) -> bool:
    hard = (taint for taint in node.taints if taint["effect"] in ("NoSchedule", "NoExecute"))
    bears = {**spec, "tolerations": [*(spec.get("tolerations") or ()), _ANYTHING]}
    return selects(spec, node) and all(tolerates(bears, taint) for taint in hard)


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
