"""What each verb is asked about a scenario: its words, the files that it reads, and the formats it writes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from .mutation import damaged_bytes, damaged_tree
from .program import run
from .seeds import ROOT, Seed, documents
from .values import encoded

_TERMINAL = ("table", "wide")
_ALL = (*_TERMINAL, "json", "yaml", "markdown", "html", "name")
_GATE = ("table", "json", "yaml", "junit", "sarif", "github", "markdown", "html")
_HEAD = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
_BETA = _HEAD | {"apiVersion": "kubescheduler.config.k8s.io/v1beta2"}
_OWN = {"apiVersion": "kschedctl.dev/v1alpha1"}


@dataclass(frozen=True, slots=True)
class Ask:
    """A verb with what it is asked.

    Attributes:
        words: its arguments; `{node}` and `{other}` are nodes of the cluster, `{changes}` stands for some changes.
        outputs: formats.
        decides: whether it takes a cluster, the configuration of a scheduler and its gates.
        reads: files beside `cluster.json` and `pod.json`.
    """

    words: str
    outputs: Sequence[str] = _ALL
    decides: bool = True
    reads: Sequence[str] = ()


ASKS = (
    Ask("explain pod.json"),
    Ask("explain pod.json {changes}"),
    Ask("explain pod.json --kubernetes-version 1.35,1.37", ("table", "json", "html")),
    Ask("explain pod.json --node {node} --suggest"),
    Ask("explain pod.json --versus {node},{other}"),
    Ask("explain pod.json --extender-recording calls.jsonl", reads=("calls.jsonl",)),
    Ask("explain pod.json --costs costs.json", reads=("costs.json",)),
    Ask("explain"),
    Ask("preempt pod.json {changes}"),
    Ask("preempt"),
    Ask("simulate -f pod.json"),
    Ask("simulate -f pod.json {changes}"),
    Ask("simulate -f pod.json --drain {node} --timeline"),
    Ask("simulate -f pod.json --effects immediate {changes}"),
    Ask("simulate -f pod.json --rollout rolling"),
    Ask("simulate -f pod.json --kubernetes-version 1.34,1.36", ("table", "json")),
    Ask("simulate -f pod.json --sampling upstream --single-pass --detail", ("json", "yaml")),
    Ask("simulate --queue replay --arrivals arrivals.json --until 900", reads=("arrivals.json",)),
    Ask("drain {node}"),
    Ask("drain {node} {other} --timeline {changes}"),
    Ask("drain {node} --force --effects immediate"),
    Ask("capacity pod.json --limit 50"),
    Ask("capacity pod.json {changes}"),
    Ask("capacity pod.json --target 5 --limit 50 --shape like={node}"),
    Ask("capacity pod.json --pending --headroom cpu=10% --limit 50"),
    Ask("compare pod.json --to-version 1.34 --anew"),
    Ask("compare pod.json {changes} --fail-on-change"),
    Ask("compare pod.json --to-cluster other.json", reads=("other.json",)),
    Ask("compare pod.json --to-scheduler-config config.json", reads=("config.json",)),
    Ask("plan pod.json --catalogue catalogue.json", reads=("catalogue.json",)),
    Ask("plan pod.json --catalogue catalogue.json --survive nodes=1 --trials 20", reads=("catalogue.json",)),
    Ask("plan --shrink --trials 5"),
    Ask("plan --shrink --trials 5 --catalogue catalogue.json", reads=("catalogue.json",)),
    Ask("sweep sweep.json -j 1", ("table", "json", "yaml", "markdown", "html"), reads=("sweep.json",)),
    Ask("snapshot convert cluster.json", ("-",), decides=False),
    Ask("snapshot convert cluster.json --redact names", ("-",), decides=False),
    Ask("snapshot info cluster.json", ("table", "json", "yaml", "markdown", "html"), decides=False),
    Ask("snapshot diff cluster.json other.json", ("table", "json", "markdown"), False, ("other.json",)),
    Ask("gate scenario.json", _GATE, decides=False, reads=("scenario.json",)),
    Ask("gate scenario.json -c cluster.json", _GATE, decides=False, reads=("scenario.json",)),
    Ask("simulate --scenario scenario.json", decides=False, reads=("scenario.json",)),
    Ask("config validate config.json", ("table", "json"), decides=False, reads=("config.json",)),
    Ask("config view config.json", ("table", "json", "yaml"), decides=False, reads=("config.json",)),
    Ask("config translate old.json", ("json", "yaml"), decides=False, reads=("old.json",)),
    Ask("conformance golden.jsonl --show 3", ("table", "json"), decides=False, reads=("golden.jsonl",)),
    Ask("view report.json", (*_ALL, "junit", "sarif", "github"), decides=False, reads=("report.json",)),
    Ask("view page.html", (*_ALL, "junit"), decides=False, reads=("page.html",)),
)

_CHANGES = (
    *("--drain {node}", "--remove-node {node}", "--cordon {node}", "--uncordon {node}", "--uncordon *"),
    *("--fail-domain {label}", "--fail-domain kubernetes.io/hostname={node}", "--fail-mode unreachable"),
    *("--add-node like={node}=2", "--add-node like={node}=60000", "--add-node other.json"),
    *("--scale {workload}=3", "--scale {workload}=100000000000", "--scale {workload}=0"),
    *("--priority {pod}=9", "--priority {workload}=-9", "--priority {any}=high"),
    *("--delete {workload}", "--delete {pod}", "--delete {any}", "--patch patch.json"),
    *("--taint|{node} a=b:NoSchedule", "--taint|* a:NoExecute", "--label|{node} a=b", "--label|* zone-"),
    *("--rollout add", "--rollout rolling"),
)
"""Options with their values; where a value has a space, `|` stands before it."""
_WORKLOADS = ("Deployment", "StatefulSet", "ReplicaSet", "Job", "DaemonSet", "ReplicationController")


def arguments_of(rng: Random, ask: Ask, cluster: Sequence[Any]) -> list[str]:
    """The arguments of a verb, chance filled in with what the cluster has."""
    words = ask.words.split()
    if "{changes}" in words:
        at = words.index("{changes}")
        known = [one for one in _CHANGES if "{workload}" not in one or _names(cluster, *_WORKLOADS)]
        words[at : at + 1] = [
            part for one in rng.sample(known, rng.choice((1, 1, 2))) for part in _parts(one)
        ]
    for name, values in _FILLED.items():
        words = [word.replace(name, rng.choice(values(cluster))) if name in word else word for word in words]
    return words


def _parts(change: str) -> list[str]:
    return change.split("|") if "|" in change else change.split()


def _names(cluster: Sequence[Any], *kinds: str) -> list[str]:
    """`kind/name` of objects of some kinds, of all without any, that can be given as an argument."""
    found = []
    for one in cluster:
        metadata = one.get("metadata") if isinstance(one, dict) else None
        kind, name = (one.get("kind"), metadata.get("name")) if isinstance(metadata, dict) else (None, None)
        if not isinstance(kind, str) or not isinstance(name, str) or (kinds and kind not in kinds):
            continue
        if name[:1] not in ("-", "") and "\0" not in kind + name:
            found.append(f"{kind.lower()}/{name}")
    return found


def _labels(cluster: Sequence[Any]) -> list[str]:
    metadata = [one.get("metadata") for one in cluster if isinstance(one, dict) and one.get("kind") == "Node"]
    labels = [one.get("labels") for one in metadata if isinstance(one, dict)]
    texts = [f"{key}={value}" for one in labels if isinstance(one, dict) for key, value in one.items()]
    return [text for text in texts if "\0" not in text]


_FILLED: Mapping[str, Callable[[Sequence[Any]], Sequence[str]]] = {
    "{node}": lambda cluster: node_names(cluster) or ["n1"],
    "{other}": lambda cluster: node_names(cluster) or ["n2"],
    "{workload}": lambda cluster: _names(cluster, *_WORKLOADS) or ["deployment/web"],
    "{pod}": lambda cluster: _names(cluster, "Pod") or ["pod/p"],
    "{any}": lambda cluster: _names(cluster) or ["service/s"],
    "{label}": lambda cluster: _labels(cluster) or ["topology.kubernetes.io/zone=a"],
}


def write_files(rng: Random, ask: Ask, arguments: Sequence[str], seed: Seed) -> None:
    """Write what a verb reads beside the cluster and the candidates into the working directory."""
    changed = [name for name in ("other.json", "patch.json") if name in arguments]
    for name in {*ask.reads, *changed}:
        Path(name).write_bytes(_FILES[name](rng, seed))


def node_names(cluster: Sequence[Any]) -> list[str]:
    """The names of nodes that can be given as an argument."""
    return [name.removeprefix("node/") for name in _names(cluster, "Node")]


def whole(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of a scheduler with its kind."""
    return _HEAD | dict(config)


def _damaged(rng: Random, document: Any, *counts: int) -> bytes:
    return encoded(damaged_tree(rng, [document], rng.choice(counts)))


def _config(rng: Random, seed: Seed) -> bytes:
    config = seed.config if isinstance(seed.config, dict) else None
    return _damaged(rng, whole(config or {"profiles": [{"schedulerName": "default-scheduler"}]}), 0, 0, 1, 2)


def _old(rng: Random, seed: Seed) -> bytes:
    beta = _BETA | (seed.config if isinstance(seed.config, dict) else {})
    return _damaged(rng, _POLICY if rng.random() < 0.5 else beta, 1, 2)


def _patch(rng: Random, seed: Seed) -> bytes:
    targets = [one for one in seed.cluster if isinstance(one, dict)]
    if not targets:
        return b"{}"
    target = rng.choice(targets)
    return _damaged(rng, {"metadata": {}} | target, 1, 2)


def _golden_line(rng: Random, seed: Seed) -> bytes:
    result = {"pod": "default/p", "outcome": "Scheduled", "node": "n1", "failed": {}, "feasible": ["n1"]}
    case = {
        "scenario": {"name": "a", "objects": list(seed.cluster), "pods": list(seed.candidates)},
        "expected": {"name": "a", "results": [result for _ in seed.candidates]},
    }
    return damaged_bytes(rng, _damaged(rng, case, 0, 1, 2), rng.choice((0, 0, 0, 1)))


def _calls(rng: Random, seed: Seed) -> bytes:
    head = _OWN | {"kind": "ExtenderRecording"}
    call = {
        "url": "http://a/filter",
        "verb": "filter",
        "pod": "default/p",
        "request": "a",
        "code": 200,
        "body": "{}",
    }
    failed = {"url": "http://a/filter", "verb": "filter", "pod": "default/p", "request": "b", "error": "EOF"}
    lines = encoded(damaged_tree(rng, [head, call, failed], rng.choice((0, 1, 2))))
    return damaged_bytes(rng, lines, rng.choice((0, 0, 1)))


def _arrivals(rng: Random, seed: Seed) -> bytes:
    entries: list[dict[str, Any]] = [
        {"at": rng.choice((0, 1, 2.5, 400, "2026-03-01T12:00:00Z")), "create": pod} for pod in seed.candidates
    ]
    for entry in entries:
        entry |= rng.choice(({}, {"duration": 60}, {"end": 100}))
    for one in list(seed.cluster)[:3]:
        if isinstance(one, dict) and isinstance(one.get("metadata"), dict):
            named = {"kind": one.get("kind"), "name": one["metadata"].get("name")}
            merge = {"merge": {"spec": {"unschedulable": True}}}
            entries.append({"at": 5, **rng.choice(({"delete": named}, {"patch": named | merge}))})
    return _damaged(rng, _OWN | {"kind": "Arrivals", "arrivals": entries}, 0, 0, 0, 1, 2)


def _scenario(rng: Random, seed: Seed) -> bytes:
    node = rng.choice(node_names(seed.cluster) or ["n1"])
    workloads = _names(seed.cluster, *_WORKLOADS)
    web = rng.choice(workloads or ["deployment/web"])
    changes = [
        {"drain": node},
        {"cordon": node},
        {"uncordon": "*"},
        {"taint": f"{node} a=b:NoSchedule"},
        {"label": f"{node} a=b"},
        {"add-node": f"like={node}=2"},
        {"fail-domain": rng.choice(_labels(seed.cluster) or ["zone=a"])},
        {"remove-node": node},
        {"patch": {"kind": "Node", "metadata": {"name": node, "labels": {"a": "b"}}}},
        {"scale": f"{web}=3"},
        {"delete": web},
    ]
    expectations = [
        ("schedulable", rng.choice(("manifests", "all"))),
        ("schedulable", [web]),
        ("maxPending", 1),
        ("noPreemption", True),
        ("onNodes", [{"workload": web, "nodes": node}]),
        ("spread", [{"workload": web, "over": "topology.kubernetes.io/zone", "maxSkew": 1}]),
        ("headroom", {"cpu": "10%"}),
        ("survives", {rng.choice(("nodes", "zones")): rng.choice((1, 1, 2))}),
    ]
    if not workloads and rng.random() < 0.9:  # what is about a workload that is not there is refused
        changes, expectations = (
            [one for one in part if web not in str(one)] for part in (changes, expectations)
        )
    scenario = _OWN | {
        "kind": "Scenario",
        "metadata": {"name": "release"},
        "cluster": "cluster.json",
        "manifests": ["pod.json"],
        "changes": rng.sample(changes, rng.choice((0, 1, 2))),
        "expectations": dict(rng.sample(expectations, rng.choice((1, 2, 4)))),
    }
    return _damaged(rng, scenario, 0, 0, 0, 1, 3)


def _sweep(rng: Random, seed: Seed) -> bytes:
    node = rng.choice(node_names(seed.cluster) or ["n1"])
    axes = [
        {"loseNodes": "*", "baseline": True},
        {"loseDomains": "topology.kubernetes.io/zone"},
        {"addNodes": {"shape": f"like={node}", "count": {"from": 0, "to": 2, "step": 1}}},
        {"weight": {"plugin": "NodeResourcesFit", "values": [1, 5]}},
        {"versions": ["1.34", "1.37"]},
        {"seeds": [1, 2]},
        {"changes": [{"name": "a", "changes": [{"cordon": node}]}, {"name": "b", "changes": []}]},
        {"releases": [{"name": "one", "manifests": ["pod.json"]}]},
    ]
    sweep = _OWN | {
        "kind": "Sweep",
        "metadata": {"name": "s"},
        "cluster": "cluster.json",
        "manifests": ["pod.json"],
        "axes": rng.sample(axes, rng.choice((1, 1, 2))),
    }
    return _damaged(rng, sweep, 0, 0, 0, 1, 2)


_SCRIPT = b'<script type="application/json" class="report">%s</script>'


def _report(rng: Random, seed: Seed) -> bytes:
    return _damaged(rng, rng.choice(_saved_reports()), 0, 1, 1, 2)


def _page(rng: Random, seed: Seed) -> bytes:
    """A report within a page, damaged in the data or in the page."""
    count = rng.choice((0, 1, 2))
    if rng.random() < 0.5:
        return damaged_bytes(rng, b"<!doctype html>" + _SCRIPT % _report(rng, seed), count)
    return b"<!doctype html>" + b"".join(_SCRIPT % _report(rng, seed) for _ in range(count))


@cache
def _saved_reports() -> tuple[Any, ...]:
    """A report of each kind, as it is saved."""
    here = os.getcwd()
    os.chdir(ROOT / "fixtures")
    try:
        return tuple(_saved(words) for words in _SAVED)
    finally:
        os.chdir(here)


def _saved(words: str) -> Any:
    return json.loads(run([*words.split(), "-o", "json"]).out)


_SAVED = (
    "explain explain-nowhere/pod.yaml -c explain-nowhere/cluster.yaml",
    "explain explain-somewhere/pod.yaml -c explain-somewhere/cluster.yaml --kubernetes-version 1.35,1.37",
    "explain gang/too-big.yaml -c gang/cluster.yaml",
    "preempt -c preempt-cascade/cluster.yaml preempt-cascade/pod.yaml",
    "simulate -c in-flight/cluster.yaml -f in-flight/release.yaml --timeline",
    "drain a01 -c zone-drain/cluster.yaml --timeline",
    "capacity explain-somewhere/pod.yaml -c explain-somewhere/cluster.yaml --limit 50",
    "compare -c plan/cluster.yaml plan/release.yaml --to-version 1.34",
    "plan -c plan/cluster.yaml plan/release.yaml --catalogue plan/catalogue.yaml",
    "gate gate-release/tight.yaml",
    "config validate old-configurations/v1beta1.yaml",
    "plan --shrink -c plan-shrink/cluster.yaml --trials 5",
    "sweep sweep/sweep.yaml -j 1",
    "snapshot info snapshots/shop.json",
    "snapshot diff snapshots/shop.json plan/cluster.yaml",
)


def _other(rng: Random, seed: Seed) -> bytes:
    return encoded(damaged_tree(rng, seed.cluster, 1))


def _catalogue(rng: Random, seed: Seed) -> bytes:
    (given,) = documents(ROOT / "fixtures/plan/catalogue.yaml")
    node = rng.choice(node_names(seed.cluster) or ["n1"])
    return _damaged(
        rng,
        given | {"shapes": [{"name": "a", "like": node, "pricePerHour": 0.2}, *given["shapes"][1:]]},
        0,
        1,
        2,
    )


_POLICY = documents(ROOT / "fixtures/old-configurations/policy.yaml")[0]
_FILES: Mapping[str, Callable[[Random, Seed], bytes]] = {
    "arrivals.json": _arrivals,
    "calls.jsonl": _calls,
    "catalogue.json": _catalogue,
    "config.json": _config,
    "costs.json": lambda rng, seed: _damaged(rng, {"uncordon": 2, "request": 0.5, "taint": 7}, 0, 1, 2),
    "golden.jsonl": _golden_line,
    "old.json": _old,
    "other.json": _other,
    "page.html": _page,
    "patch.json": _patch,
    "report.json": _report,
    "scenario.json": _scenario,
    "sweep.json": _sweep,
}
