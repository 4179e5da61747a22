"""Asks the program about random clusters, as anybody would, and checks what it prints."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import verbs
from .clusters import RandomCluster
from .objects import Data, Pod
from .replay import simulation
from .world import World

ROOT = Path(__file__).parents[2]
EXPECTED = {"schedulable": "all", "maxPending": 5, "noPreemption": True, "headroom": {"cpu": "30%"}}
SHAPES: list[dict[str, Any]] = [
    {
        "name": name,
        "pricePerHour": price,
        "zones": ["a", "b"],
        "node": {
            "metadata": {"labels": {"pool": pool}},
            "status": {"allocatable": {"cpu": str(cpu), "memory": f"{memory}Gi", "pods": "60"}},
        },
    }
    for name, price, pool, cpu, memory in (
        ("small", 0.2, "general", 8, 32),
        ("large", 0.75, "highmem", 32, 256),
    )
]


@dataclass
class Answer:
    """What a verb said of a cluster, and what is wrong with it."""

    seed: int
    verb: str
    nodes: int
    pods: int
    findings: list[str]


def answers(seed: int, folder: Path, *, least: int = 60, most: int = 300) -> Iterator[Answer]:
    """Every verb that places or moves pods, asked about a random cluster."""
    made = RandomCluster(seed, least, most)
    pods = sum(one["kind"] == "Pod" for one in made.objects)
    for arguments, check in _cases(made, folder):
        verb = "shrink" if "--shrink" in arguments else arguments[0]
        report = _said([*arguments, "-o", "json"])
        yield Answer(seed, verb, made.size, pods, list(check(report)))


def _cases(made: RandomCluster, folder: Path) -> list[tuple[Sequence[str], Callable[[Any], Iterator[str]]]]:
    """Command lines, and the check of what each says."""
    cluster = _written(folder / "cluster.json", made.objects)
    release = _written(folder / "release.json", made.release)
    changes, candidate, drained = made.changes(), made.candidate(), made.some_nodes()
    pod = _written(folder / "candidate.json", [candidate])
    options = [word for kind, what in changes for word in (f"--{kind}", what)]
    catalogue = _kept(folder / "catalogue.json", _headed("Catalogue", shapes=SHAPES))
    scenario = _headed(
        "Scenario",
        metadata={"name": "outside"},
        cluster=cluster,
        manifests=[release],
        changes=[{kind: what} for kind, what in changes],
        expectations=EXPECTED,
    )
    gated = _kept(folder / "scenario.json", scenario)

    def world(*more: Any) -> World:
        return World(made.objects, *more)

    def wanted() -> Pod:
        meta, spec = candidate["metadata"], candidate["spec"]
        return Pod("default", meta["name"], meta["labels"], spec, priority=1000)

    return [
        (
            ["simulate", release, "-c", cluster, *options, "--timeline"],
            lambda report: simulation(world(made.release, changes), report),
        ),
        (
            ["drain", *drained, "-c", cluster, "--timeline", "--force"],
            lambda report: verbs.drain(world(), report),
        ),
        (["preempt", pod, "-c", cluster], lambda report: verbs.preemption(world(), wanted(), report)),
        (["capacity", pod, "-c", cluster], lambda report: verbs.capacity(world(), wanted(), report)),
        (
            ["plan", release, "-c", cluster, "--catalogue", catalogue, "--trials", "10"],
            lambda report: verbs.plan(world(made.release), SHAPES, report),
        ),
        (["gate", gated], lambda report: verbs.gate(world(made.release, changes), EXPECTED, report)),
        (
            ["plan", "--shrink", "-c", cluster, "--trials", "2"],
            lambda report: _shrunk(cluster, world, report),
        ),
    ]


def _shrunk(cluster: str, world: Callable[..., World], report: Any) -> Iterator[str]:
    """What is wrong with a consolidation; the first node with pods is drained as it is said to be."""
    yield from verbs.shrink(world(), report)
    first = [node for node in report["nodes"] if node["round"] == 1]
    at = next((at for at, node in enumerate(first) if node["pods"]), None)
    if at is None:
        return
    changes = [("remove-node", node["name"]) for node in first[:at]]
    changes += [("cordon", node["name"]) for node in first[at + 1 :]]
    options = [word for kind, what in changes for word in (f"--{kind}", what)]
    node = first[at]
    drained = _said(["drain", node["name"], "-c", cluster, *options, "--timeline", "-o", "json"])
    if not all(pod["placedOn"] for pod in drained["pods"] if pod["treatment"] == "evict"):
        yield f"{node['name']} cannot be drained"
    yield from verbs.drain(world((), changes), drained)


def asked(folder: Path, made: RandomCluster, arguments: Sequence[str]) -> Any:
    """What a verb says of a random cluster; `release.json` are its manifests."""
    cluster = _written(folder / "cluster.json", made.objects)
    release = _written(folder / "release.json", made.release)
    words = [release if word == "release.json" else word for word in arguments]
    return _said([*words, "-c", cluster, "-o", "json"])


def _said(arguments: Sequence[str]) -> Any:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "KUBECONFIG": "/nowhere"}
    command = [sys.executable, "-m", "kschedctl", *arguments]
    done = subprocess.run(command, capture_output=True, env=environment, cwd=ROOT, check=False)
    if done.returncode not in (0, 1):
        raise AssertionError(f"{' '.join(arguments)}: {done.returncode}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def _headed(kind: str, **parts: Any) -> Data:
    return {"apiVersion": "kschedctl.dev/v1alpha1", "kind": kind, **parts}


def _written(path: Path, objects: Sequence[Data]) -> str:
    return _kept(path, {"apiVersion": "v1", "kind": "List", "items": objects})


def _kept(path: Path, data: Data) -> str:
    path.write_text(json.dumps(data))
    return str(path)
