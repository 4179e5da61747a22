"""Loops through the Python API, each run in a process of its own: `python -m tests.benchmarks.engine LOOP ...`."""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import msgspec
from msgspec.structs import replace

from kschedctl.cluster.pods import PodRecord
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import DEFAULT, feature_gates
from kschedctl.objects.kinds import BY_GVK
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.plugins.registry import IN_TREE
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import place
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.sources.snapshot import Header, Snapshot
from kschedctl.sources.snapshot_writer import save_snapshot
from kschedctl.whatif.session import Session
from kschedctl.whatif.transaction.transaction import Transaction

from . import clusters
from .clusters import Data

Measured = dict[str, Any]


def typed(items: Iterable[Data]) -> Iterator[TopLevel]:
    """Manifests as objects."""
    for item in items:
        yield msgspec.convert(item, BY_GVK[item["apiVersion"], item["kind"]].type)


def session(objects: Iterable[Data], **options: Any) -> Session:
    """A cluster with the default scheduler."""
    version = DEFAULT
    configuration = load_configuration(None, version, feature_gates(version, {}), IN_TREE)
    return Session(list(typed(objects)), configuration, SchedulingOptions(**options))


def enter(loaded: Session, data: Data) -> PodRecord:
    """Put a candidate into the cluster."""
    (pod,) = typed([data])
    assert isinstance(pod, Pod)
    record = loaded.enter(pod)
    assert isinstance(record, PodRecord), record
    return record


def simulate(nodes: int, pods: int, shape: str) -> Measured:
    """Schedule pods one after another on empty nodes; all nodes are scored."""
    loaded = session(clusters.nodes(nodes))
    records = [enter(loaded, data) for data in clusters.candidates(shape, pods)]
    start = perf_counter()
    placed = 0
    for record in records:
        decision = loaded.scheduler.decide(record, loaded.cluster)
        if decision.outcome is Outcome.SCHEDULED and place(decision) is None:
            placed += 1
    seconds = perf_counter() - start
    return {"seconds": seconds, "placed": placed, "rate": len(records) / seconds}


def schedule(cluster: str, pods: str) -> Measured:
    """The same with the nodes and pods of files, without preemption, in seconds of the processor."""
    loaded = session(_items(cluster), preemption=False)
    records = [enter(loaded, data) for data in _items(pods)]
    gc.set_threshold(20_000_000)  # as the command does
    start = process_time()
    placed = 0
    for record in records:
        decision = loaded.scheduler.decide(record, loaded.cluster)
        if decision.outcome is Outcome.SCHEDULED and place(decision) is None:
            placed += 1
    return {"seconds": process_time() - start, "placed": placed}


def _items(path: str) -> list[Data]:
    items: list[Data] = json.loads(Path(path).read_text())["items"]
    return items


def decide(nodes: int, per_node: int) -> Measured:
    """One candidate of each shape on a full cluster: milliseconds for all verdicts and scores, at first and later."""
    full = [
        *clusters.nodes(nodes),
        *clusters.running(nodes, per_node),
        *clusters.apart(nodes, nodes * 2 // 5),
    ]
    loaded = session(full, every_failure=True)
    loaded.scheduler.decide(enter(loaded, clusters.pod("warm", "warm")), loaded.cluster)
    measured: Measured = {}
    for shape, more in clusters.SHAPES.items():
        data = clusters.pod(f"asked-{shape}", "app-0", namespace="ns-0")
        data["spec"] |= more("app-0")
        record = enter(loaded, data)
        times = [_timed(partial(loaded.scheduler.decide, record, loaded.cluster)) for _ in range(11)]
        measured[shape] = {"cold": 1000 * times[0], "warm": 1000 * median(times[1:])}
    return measured


def preempt(nodes: int, per_node: int) -> Measured:
    """A preemptor on a full cluster, every node tried."""
    full = [*clusters.nodes(nodes, cpu=16, memory="64Gi"), *clusters.running(nodes, per_node)]
    loaded = session(full)
    record = enter(loaded, clusters.preemptor())
    decisions: list[Decision] = []
    seconds = _timed(lambda: decisions.append(loaded.scheduler.decide(record, loaded.cluster)))
    preemption = decisions[0].preemption
    assert preemption is not None
    return {"seconds": seconds, "candidates": len(preemption.candidates)}


def drains(nodes: int, per_node: int, count: int) -> Measured:
    """Take one node after another away, place its pods elsewhere, and undo; nothing may be left of it."""
    loaded = session([*clusters.nodes(nodes), *clusters.running(nodes, per_node)])
    before = _fingerprint(loaded)
    probe = enter(loaded, clusters.pod("probe", "app-0", namespace="ns-0"))
    expected = loaded.scheduler.decide(probe, loaded.cluster).selected_node
    times, moved = [], 0
    for i in range(count):
        start = perf_counter()
        moved += _drain(loaded, i % nodes)
        times.append(perf_counter() - start)
    again = loaded.scheduler.decide(probe, loaded.cluster).selected_node
    clean = _fingerprint(loaded) == before and again == expected
    return {"milliseconds": 1000 * median(times), "total": sum(times), "moved": moved, "clean": clean}


def _drain(loaded: Session, row: int) -> int:
    """Drain one node and take it back; how many pods found another node."""
    cluster = loaded.cluster
    mark, start = cluster.mark(), cluster.next_start
    gone = cluster.nodes.names[row]
    records = [cluster.pods.records[pod] for pod in cluster.usage.pods[row]]
    for record in records:
        cluster.remove(record.id)
    cluster.set_nodes([node for node in cluster.nodes_by_addition() if node.name != gone])
    moved = 0
    for record in records:
        homeless = PodRecord(record.id, replace(record.pod, node_name=""), record.pod_class)
        decision = loaded.scheduler.decide(homeless, cluster)
        moved += decision.outcome is Outcome.SCHEDULED and place(decision) is None
    cluster.undo_to(mark)
    cluster.next_start = start
    return moved


def trials(nodes: int, per_node: int, count: int) -> Measured:
    """Forks of one transaction, each undone: milliseconds of processor time by what is tried; nothing may be left."""
    loaded = session([*clusters.nodes(nodes), *clusters.running(nodes, per_node)])
    before = _fingerprint(loaded)
    asked = clusters.pod("asked", "app-0", namespace="ns-0")
    names = loaded.cluster.nodes.names

    def place_one(trial: Transaction, node: str) -> int:
        return trial.place(asked).is_placed

    def cordon(trial: Transaction, node: str) -> int:
        trial.cordon(node)
        return trial.place(asked).is_placed

    def label(trial: Transaction, node: str) -> int:
        trial.label(node, "tried", "yes")
        return trial.place(asked).is_placed

    def lose(trial: Transaction, node: str) -> int:
        return sum(trial.place(gone).is_placed for gone in trial.remove_node(node))

    measured: Measured = {"placed": 0}
    with Transaction(loaded, diagnose=False) as outermost:
        for attempt in (place_one, cordon, label, lose):
            times = []
            for i in range(count):
                start = process_time()
                with outermost.fork() as trial:
                    measured["placed"] += attempt(trial, names[i * 7 % nodes])
                times.append(process_time() - start)
            measured[attempt.__name__] = 1000 * median(times)
    return measured | {"clean": _fingerprint(loaded) == before}


def _fingerprint(loaded: Session) -> str:
    """A digest of all that a decision reads of pods and nodes."""
    cluster = loaded.cluster
    parts = [
        cluster.nodes.names,
        cluster.usage.requested.tolist(),
        cluster.usage.non_zero.tolist(),
        cluster.usage.pods,
        dict(cluster.nominations),
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def snapshot(nodes: int, per_node: int, path: str) -> Measured:
    """Write a snapshot of a cluster."""
    objects = list(typed([*clusters.nodes(nodes), *clusters.running(nodes, per_node)]))
    header = Header(taken_at=clusters.CREATED, taken_by="benchmark")
    seconds = _timed(lambda: save_snapshot(Snapshot(header, objects), path))
    return {"seconds": seconds, "bytes": Path(path).stat().st_size}


def _timed(action: Callable[[], object]) -> float:
    start = perf_counter()
    action()
    return perf_counter() - start


LOOPS: dict[str, Callable[..., Measured]] = {
    loop.__name__: loop for loop in (simulate, schedule, decide, preempt, drains, trials, snapshot)
}


def main() -> None:
    """Run one loop and print what it measured as JSON."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.engine")
    parser.add_argument("loop", choices=LOOPS)
    parser.add_argument("arguments", nargs="*", help="those of the loop, in order")
    asked = parser.parse_args()
    values = [int(value) if value.isdecimal() else value for value in asked.arguments]
    print(json.dumps(LOOPS[asked.loop](*values)))


if __name__ == "__main__":
    main()
