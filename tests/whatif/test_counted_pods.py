"""Equal pods that no node can hold are only counted: all else ends as if each of them were there."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest
from builders import node, profile
from random_clusters import SHAPES, random_objects

from kschedctl import Cluster, ComparisonQuestion, compare, scheduler_of
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import DEFAULT, feature_gates
from kschedctl.plugins.registry import IN_TREE
from kschedctl.scheduling.options import Sampling, SchedulingOptions
from kschedctl.whatif.queue.effects import EffectsModel
from kschedctl.whatif.queue.task import pod_count
from kschedctl.whatif.session import Session
from kschedctl.whatif.simulate import Plan, simulate
from kschedctl.whatif.world.changes import AddNode, Cordon, Scale
from kschedctl.whatif.world.room import most_to_make
from kschedctl.workloads import limits

from .builders import CONFIGURATION, objects, workload

REPLICAS = 300
KINDS = ("Deployment", "ReplicaSet", "ReplicationController", "Job", "StatefulSet")


def _workload(rng, name, kind, replicas):
    app = rng.choice(("web", "api", "db"))
    number = {"parallelism": replicas} if kind == "Job" else {"replicas": replicas}
    parts = {"priority": rng.choice((0, 0, 5, 10))} | SHAPES[rng.choice(tuple(SHAPES))](app, "web")
    if kind == "Job":
        parts["restartPolicy"] = "Never"
    if kind == "ReplicationController":
        number["selector"] = {"app": name}
    return workload(kind, name, cpu=rng.choice(("100m", "500m", "3")), pod=parts, **number)


def _release(seed):
    rng = random.Random(f"counted {seed}")
    cluster = [
        one | {"status": one["status"] | {"allocatable": one["status"]["allocatable"] | {"pods": "4"}}}
        if one["kind"] == "Node"
        else one
        for one in random_objects(rng, 5)
    ]
    release = [
        _workload(rng, "first", rng.choice(KINDS), 3),
        _workload(rng, "huge", rng.choice(KINDS), REPLICAS),
        _workload(rng, "later", rng.choice(KINDS), 4),
        _workload(rng, "huge-too", rng.choice(KINDS), REPLICAS),
        _workload(rng, "last", rng.choice(KINDS), 2),
    ]
    return cluster, release


def _ends(cluster, release, plan_parts, options, *, counts, changes=()):
    loaded = Session(objects(cluster), CONFIGURATION)
    plan = Plan(objects(release), changes=changes, counts=counts, **plan_parts)
    found = simulate(loaded, options, plan)
    return {
        "placed": Counter((str(task.workload), task.node) for task in found.tasks if task.placed),
        "evicted": Counter((e.victim.rpartition("-")[0], e.node) for e in found.evictions),
        "wanted": pod_count(found.tasks),
        "waiting": {
            str(key): pod_count(t for t in found.tasks if t.workload == key and not t.placed)
            for key in {task.workload for task in found.tasks}
        },
    }, len(found.tasks)


@pytest.mark.parametrize("effects", EffectsModel)
@pytest.mark.parametrize("sampling", Sampling)
@pytest.mark.parametrize("seed", range(6))
def test_counting_changes_nothing_else(monkeypatch, effects, sampling, seed):
    monkeypatch.setattr(limits, "ONE_BY_ONE", 1)
    cluster, release = _release(seed)
    options = SchedulingOptions(sampling=sampling)
    parts = {"effects": effects}
    counted, fewer = _ends(cluster, release, parts, options, counts=True)
    every, all_made = _ends(cluster, release, parts, options, counts=False)
    assert counted == every
    assert fewer < all_made - REPLICAS / 2


@pytest.mark.parametrize("effects", EffectsModel)
@pytest.mark.parametrize("seed", range(4))
def test_counting_what_is_scaled_changes_nothing_else(monkeypatch, effects, seed):
    """The workloads run already; other nodes come after they are scaled."""
    monkeypatch.setattr(limits, "ONE_BY_ONE", 1)
    cluster, release = _release(seed)
    changes = [Scale(f"{one['kind']}/{one['metadata']['name']}", REPLICAS) for one in release[1::2]]
    changes += [AddNode(like="n1", count=2)]
    ends = [
        _ends(
            [*cluster, *release],
            [],
            {"effects": effects},
            SchedulingOptions(),
            counts=counts,
            changes=changes,
        )
        for counts in (True, False)
    ]
    assert ends[0][0] == ends[1][0]
    assert ends[0][1] < ends[1][1] - REPLICAS / 2


@pytest.mark.parametrize("seed", range(12))
def test_sides_that_are_compared_count_alike(monkeypatch, tmp_path, seed):
    """Whatever the second side has more or less: nodes, replicas, what else runs, another way to decide."""
    rng = random.Random(f"sides {seed}")
    cluster, release = _release(seed)
    for name, items in (("cluster", cluster), ("release", release)):
        (tmp_path / f"{name}.json").write_text(
            json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
        )
    huge = next(one for one in release if one["metadata"]["name"] == "huge")
    changes = rng.choice(
        [
            [AddNode(like="n1", count=2)],
            [Cordon("n1")],
            [Scale(f"{huge['kind']}/huge", REPLICAS + 7)],
            [Scale(f"{huge['kind']}/huge", 2)],
            [],
        ]
    )
    other = scheduler_of(version=rng.choice(["1.34", "1.37"]))
    sides = [Cluster.load(str(tmp_path / "cluster.json"), scheduler=one) for one in (scheduler_of(), other)]
    question = ComparisonQuestion(manifests=[str(tmp_path / "release.json")], changes=changes)
    reports = []
    for one_by_one in (1, 10 * REPLICAS):
        monkeypatch.setattr(limits, "ONE_BY_ONE", one_by_one)
        reports.append(compare(*sides, question))
    assert reports[0] == reports[1]


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param({"schedulingGroup": {"podGroupName": "g"}}, id="a group waits for so many"),
        pytest.param(
            {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]},
            id="a claim names the nodes that are looked at",
        ),
        pytest.param(
            SHAPES["_too_large_for_its_nodes"]("web", "web"), id="the pod names the nodes that are looked at"
        ),
    ],
)
def test_pods_that_leave_a_trace_are_made(parts):
    release = [workload("Deployment", "huge", REPLICAS + limits.ONE_BY_ONE, pod=parts)]
    _, made = _ends([node("n1")], release, {}, SchedulingOptions(), counts=True)
    assert made == REPLICAS + limits.ONE_BY_ONE


def test_a_profile_that_does_not_count_pods_has_all_of_them_made():
    config = profile(plugins={"filter": {"disabled": [{"name": "NodeResourcesFit"}]}})
    loaded = load_configuration(config, DEFAULT, feature_gates(DEFAULT, {}), IN_TREE)
    nodes = objects([node("n1", pods="3"), node("n2", pods="4")])
    assert (most_to_make(nodes, CONFIGURATION), most_to_make(nodes, loaded)) == (8, None)
