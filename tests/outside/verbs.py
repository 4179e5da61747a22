"""What is wrong with the answers of the other verbs, each held against the input alone."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from .objects import Data, Node, Pod, matches
from .replay import at_the_end, base, replayed
from .world import World

_GRACE = 30


def drain(world: World, report: Data) -> Iterator[str]:
    """A drain: budgets in every wave, where everything goes, nobody lost."""
    over = {name for name in world.state.nodes if world.state.overcommitted(name)}
    drained = set(report["nodes"])
    expected = {pod.full_name for pod in world.state.pods.values() if pod.node in drained}
    told = [f"{pod['namespace']}/{pod['name']}" for pod in report["pods"]]
    if sorted(expected) != sorted(told):
        yield f"pods of the nodes: {Counter(told) - Counter(expected)} {Counter(expected) - Counter(told)}"
    if any(pod["treatment"] == "refuse" for pod in report["pods"]):
        return  # it does not begin
    cordon = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    for name in drained:
        world.state.nodes[name].taints.append(cordon)
    remade = [
        {"namespace": "default", "name": pod["name"], "workload": pod["workload"], "node": pod["placedOn"]}
        for pod in report["pods"]
        if pod["wave"] is not None and pod["treatment"] == "evict"
    ]
    # Who is preempted again is told again, with where the last one in its place is.
    victims = {
        one["pod"]: {
            "namespace": "default",
            "name": one["pod"].partition("/")[2],
            "workload": one["workload"],
            "node": one["placedOn"],
        }
        for one in report["evictions"]
        if one["recreated"]
    }
    pods = [*remade, *victims.values()]
    known = [
        *pods,
        *({"namespace": p.namespace, "name": p.name, "workload": p.workload} for p in world.waiting.values()),
    ]
    yield from replayed(world, {"timeline": report["timeline"], "pods": known}, _waves(world, report))
    names = {one["name"]: one["workload"] for one in known}
    queued: dict[str, None] = {}
    for event in report["timeline"]:
        if event["event"] in ("Queued", "Gated"):
            queued[event["pod"]] = None
        elif event["event"] in ("Scheduled", "Gone"):
            queued.pop(event["pod"], None)
    waiting = [{"workload": names[base(name.partition("/")[2], names)], "node": None} for name in queued]
    deleted = {f"{p['namespace']}/{p['name']}" for p in report["pods"] if p["treatment"] == "delete"}
    gone = {one["pod"] for one in report["evictions"]} | deleted
    placed = [pod for pod in pods if pod["node"] is not None]
    yield from at_the_end(world, [*placed, *waiting], over, gone)
    left = {p.full_name for name in drained for p in world.state.on(name) if not _stays(p)}
    held = {
        f"{p['namespace']}/{p['name']}"
        for p in report["pods"]
        if p["wave"] is None and p["treatment"] == "evict"
    }
    if left - held - set(report["returning"]):
        yield f"still on the nodes: {sorted(left - held)}"


def _stays(pod: Pod) -> bool:
    return pod.workload.startswith("DaemonSet/")


def _waves(world: World, report: Data) -> dict[int, Callable[[], Iterator[str]]]:
    """Number of an event -> the wave that begins before it."""
    timeline = report["timeline"]
    waves: dict[int, list[str]] = {}
    for pod in report["pods"]:
        if pod["wave"] is not None:
            waves.setdefault(pod["wave"], []).append(f"{pod['namespace']}/{pod['name']}")
    begins: dict[int, Callable[[], Iterator[str]]] = {}
    for wave, names in sorted(waves.items()):
        ended = [event["at"] for event in timeline if event["event"] == "Gone" and event["pod"] in names]
        start = min(ended, default=math.inf) - _GRACE
        remade = re.compile(f"({'|'.join(map(re.escape, names))})-[0-9]+")
        first = next(
            (
                number
                for number, event in enumerate(timeline)
                if event["at"] > start or (event["event"] == "Queued" and remade.fullmatch(event["pod"]))
            ),
            None,
        )
        if first is not None:
            begins[first] = partial(_wave, world, wave, names)
    return begins


def _wave(world: World, wave: int, names: Sequence[str]) -> Iterator[str]:
    """A wave: whether it leaves each budget what that asks for; the pods end from then on."""
    state = world.state
    there = [pod for pod in state.pods.values() if not pod.terminating]
    for budget in world.budgets:
        selector = budget["spec"]["selector"]
        covered = [pod for pod in there if matches(selector, pod.labels)]
        going = [pod for pod in covered if pod.full_name in names]
        of = {
            pod.workload
            for pod in (*state.pods.values(), *world.waiting.values())
            if matches(selector, pod.labels)
        }
        expected = sum(world.wanted[key] for key in of)
        desired = _desired(budget["spec"], expected)
        if going and len(covered) - len(going) < desired:
            name = budget["metadata"]["name"]
            left = len(covered) - len(going)
            yield f"wave {wave} leaves {left} pods of budget {name}, which wants {desired} of {expected}"
    for name in names:
        if name in state.pods:
            state.pods[name].terminating = True


def _desired(spec: Data, expected: int) -> int:
    least, most = spec.get("minAvailable"), spec.get("maxUnavailable")
    if least is not None:
        return _of(least, expected)
    return expected - _of(most, expected)


def _of(value: str | int, expected: int) -> int:
    if isinstance(value, int):
        return value
    return math.ceil(int(value.removesuffix("%")) * expected / 100)


def preemption(world: World, candidate: Pod, report: Data) -> Iterator[str]:
    """A preemption: the victims give way to a pod that then fits, and what they do next can be done."""
    state = world.state
    outcome = report["outcome"]
    if outcome == "Scheduled":
        yield from state.forbids(candidate, report["selectedNode"])
        return
    if outcome != "Preempts":
        if outcome == "Unschedulable":
            yield from (f"fits {name}" for name in state.nodes if not list(state.forbids(candidate, name)))
        return
    node = report["nominatedNode"]
    if not list(state.forbids(candidate, node)):
        yield f"it fits {node} without eviction"
    for victim in report["victims"]:
        found = state.pods.get(f"{victim['namespace']}/{victim['name']}")
        if found is None or found.node != node:
            yield f"victim {victim['name']} is not on {node}"
            continue
        if found.priority >= candidate.priority:
            yield f"victim {victim['name']} has priority {found.priority}"
        state.take(found.full_name)
    yield from (f"after eviction: {why}" for why in state.forbids(candidate, node))
    aftermath = report["aftermath"]
    if aftermath and aftermath["placedOn"] == node:
        candidate.node = node
        state.put(candidate.full_name, candidate)
        yield from _moves(world, list(_all(aftermath["victims"])))


def _moves(world: World, displaced: Sequence[Data]) -> Iterator[str]:
    """Whether all that move have room in the end; on the way others may have made it for them."""
    for one in displaced:
        if (name := f"{one['namespace']}/{one['name']}") in world.state.pods:
            world.state.take(name)
    for one in displaced:
        if one["node"] is None or one["owner"] is None:
            continue
        name = f"{one['namespace']}/{one['name']}"
        pod = world.made(name, world.top(one["owner"]))
        for why in world.state.forbids(pod, one["node"], between_pods=False):
            yield f"{name} may not move to {one['node']}: {why}"
        pod.node = one["node"]
        world.state.put(name, pod)


def _all(displaced: Sequence[Data]) -> Iterator[Data]:
    for one in displaced:
        yield one
        yield from _all(one["victims"])


def capacity(world: World, candidate: Pod, report: Data) -> Iterator[str]:
    """A capacity: what is said to fit does, and where nothing but the node limits it, no more does."""
    state = world.state
    total = sum(node["fits"][0] for node in report["nodes"])
    if total != report["sets"]:
        yield f"{total} on the nodes, {report['sets']} in all"
    between = bool(candidate.spread or candidate.affinity or candidate.anti_affinity)
    number = 0
    for node in report["nodes"]:
        for _ in range(node["fits"][0]):
            number += 1
            pod = Pod("default", f"more-{number}", candidate.labels, candidate.spec)
            yield from (
                f"number {number} on {node['name']}: {why}"
                for why in state.forbids(pod, node["name"], between_pods=False)
            )
            pod.node = node["name"]
            state.put(pod.full_name, pod)
    if report["limit"] is None:
        for name in state.nodes:
            if (not between and not list(state.forbids(candidate, name, between_pods=False))) or (
                between and not list(state.forbids(candidate, name))
            ):
                yield f"{name} takes one more"


def plan(world: World, shapes: Sequence[Data], report: Data) -> Iterator[str]:
    """A plan: the cost is that of the nodes, and all that is placed has room and may be there."""
    by_name = {shape["name"]: shape for shape in shapes}
    cost = sum(bought["count"] * by_name[bought["shape"]]["pricePerHour"] for bought in report["nodes"])
    if not math.isclose(cost, report["cost"], abs_tol=1e-9):
        yield f"costs {cost}, {report['cost']} are said"
    if report["bound"] is not None and report["possible"] and report["bound"] > cost + 1e-6:
        yield f"costs {cost}, less than the bound {report['bound']}"
    bought = Counter(
        f"{one['shape']}-{one['zone']}" if one["zone"] else one["shape"]
        for one in report["nodes"]
        for _ in range(one["count"])
    )
    named = {name for workload in report["workloads"] for name in workload["nodes"]}
    for node in sorted(named - world.state.nodes.keys()):
        group = re.sub(r"-new-\d+$", "", node)
        if bought[group] == 0:
            yield f"{node} is used, and not bought"
            continue
        bought[group] -= 1
        shape = next(one for name, one in by_name.items() if group.startswith(name))
        data = shape["node"]
        fresh = Node.of(data | {"metadata": {"name": node, **(data.get("metadata") or {})}}, node)
        zone = group.removeprefix(shape["name"]).removeprefix("-")
        fresh.labels |= {"kubernetes.io/hostname": node} | (
            {"topology.kubernetes.io/zone": zone} if zone else {}
        )
        world.state.add(fresh)
    for one in report["evictions"]:
        if one["pod"] in world.state.pods:
            world.state.take(one["pod"])
    for bare in report["workloads"]:
        key = f"{bare['kind']}/{bare['name']}"
        number = 0
        for node, count in bare["nodes"].items():
            for _ in range(count):
                number += 1
                name = f"default/{bare['name']}-plan-{number}"
                pod = _planned(world, key, name)
                yield from (
                    f"{key} on {node}: {why}" for why in world.state.forbids(pod, node, between_pods=False)
                )
                pod.node = node
                world.state.put(name, pod)
    placed = sum(sum(one["nodes"].values()) for one in report["workloads"])
    if placed != report["placed"]:
        yield f"{placed} pods on nodes, {report['placed']} are said"
    if report["possible"] != (report["placed"] == report["pods"] and not report["failed"]):
        yield "possible, and not all are placed" if report["possible"] else "not possible, and all are placed"


def _planned(world: World, key: str, name: str) -> Pod:
    if key.startswith("Pod/"):
        found = world.waiting[f"default/{key.removeprefix('Pod/')}"]
        return Pod("default", found.name, found.labels, found.spec)
    return world.made(name, key)


def shrink(world: World, report: Data) -> Iterator[str]:
    """A consolidation: who goes is there once, has nobody whom nothing brings back, and sends pods to who stays."""
    state = world.state
    names = [node["name"] for node in report["nodes"]]
    yield from (f"{name} goes twice" for name, count in Counter(names).items() if count > 1)
    staying = [name for group in report["stays"] for name in group["nodes"]]
    if not names and (report["pending"] or report["lacking"] or report["failed"]):
        return  # nobody looks further
    if sorted([*names, *staying]) != sorted(state.nodes):
        yield f"{len(names)} nodes go, {len(staying)} stay, and {len(state.nodes)} are there"
    if not math.isclose(report["cost"] - report["costAfter"], len(names)):
        yield f"{report['cost']} less {report['costAfter']} is not {len(names)}"
    moved = Counter[str]()
    closed: set[str] = set()
    for node in report["nodes"]:
        closed |= {other["name"] for other in report["nodes"] if other["round"] <= node["round"]}
        own = [pod for pod in state.on(node["name"]) if not _stays(pod)]
        yield from (
            f"{pod.full_name} is bare, and its node goes" for pod in own if pod.workload[:4] == "Pod/"
        )
        if (
            node["pods"] < len(own) + moved[node["name"]]
            or sum(node["destinations"].values()) != node["pods"]
        ):
            yield f"{node['name']}: {node['pods']} pods, {len(own)} are there; {node['destinations']}"
        yield from (f"{one} takes pods, and goes as well" for one in node["destinations"].keys() & closed)
        moved.update(node["destinations"])


def gate(world: World, expectations: Data, report: Data) -> Iterator[str]:
    """A gate: whether each expectation holds is worked out anew."""
    (scenario,) = report["scenarios"]
    pods = scenario["simulation"]["pods"]
    state = world.state
    for one in scenario["simulation"]["evictions"]:
        if one["pod"] in state.pods:
            state.take(one["pod"])
    for pod in pods:
        name = f"{pod['namespace']}/{pod['name']}"
        if pod["node"] is None:
            continue
        made = world.waiting.get(name) or world.made(name, pod["workload"])
        made.node = pod["node"]
        if name in state.pods:
            yield f"{name} is there twice"
            continue
        state.put(name, made)
    for name in state.nodes:
        if full := state.overcommitted(name):
            yield f"{name} is over-committed: {', '.join(full)}"
    without = [pod for pod in pods if pod["node"] is None]
    held: dict[str, bool] = {
        "schedulable": not without,
        "max-pending": len(without) <= expectations["maxPending"],
        "no-preemption": not scenario["simulation"]["evictions"],
        "headroom": _free(world, "cpu") * 100 >= int(expectations["headroom"]["cpu"].removesuffix("%")),
    }
    for one in scenario["expectations"]:
        if one["passed"] != held[one["rule"]]:
            yield f"{one['rule']} is said to {'hold' if one['passed'] else 'fail'}, and does not"


def _free(world: World, resource: str) -> float:
    state = world.state
    open_ = [
        n
        for n in state.nodes.values()
        if all(t["key"] != "node.kubernetes.io/unschedulable" for t in n.taints)
    ]
    room = sum(node.room.get(resource, 0) for node in open_)
    used = sum(state.used(node.name).get(resource, 0) for node in open_)
    return float(room - used) / float(room)
