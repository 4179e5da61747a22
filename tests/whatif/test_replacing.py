"""Pods that controllers make anew in a run."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from builders import node, pod, session

from kschedctl.run.run import Run, RunOptions
from kschedctl.scheduling.options import Sampling, TieBreak
from kschedctl.sources.load import load
from kschedctl.whatif.queue.replacing import Replacing
from kschedctl.whatif.simulate import Plan, changed_world

REAL = Path(__file__).parents[3] / "shared" / "controllers"


def owned(name, kind, **parts):
    made = pod(name, priority=0, **parts)
    owner = {"apiVersion": "apps/v1", "kind": kind, "name": "owner", "uid": "u", "controller": True}
    made["metadata"]["ownerReferences"] = [owner]
    return made


def ended(*objects, **options):
    """The names and nodes of all pods after a run in which `victim` is deleted."""
    found = session(*objects)
    run = Run(found.cluster, found.scheduler, RunOptions(controllers=Replacing(found), **options))
    run.api.delete_pod("default/victim")
    run.run()
    return {made.name: made.node_name for made in run.api.pods.values()}


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        pytest.param("ReplicaSet", "victim-1", id="at once, by another name"),
        pytest.param("StatefulSet", "victim", id="once it is gone, by its name"),
    ],
)
def test_by_controller(kind, name):
    objects = [node("a", cpu="2"), owned("victim", kind, on="a", cpu="1")]
    assert ended(objects) == {name: "a"}


def test_a_daemon_comes_back_to_its_node():
    objects = [node("a", cpu="2"), node("b", cpu="9"), owned("victim", "DaemonSet", on="a", cpu="1")]
    assert ended(objects) == {"victim": "a"}


def test_nobody_makes_a_bare_pod_anew():
    assert ended([node("a"), pod("victim", on="a")]) == {}


def test_the_second_time_it_is_the_second_of_the_first():
    found = session([node("a"), owned("victim", "ReplicaSet", on="a")])
    run = Run(found.cluster, found.scheduler, RunOptions(controllers=Replacing(found)))
    for name in ("victim", "victim-1"):
        run.api.delete_pod(f"default/{name}")
        run.run()
    assert [made.name for made in run.api.pods.values()] == ["victim-2"]


@pytest.mark.skipif(not REAL.is_dir(), reason="what real clusters did is not at hand")
@pytest.mark.parametrize("name", ["preempt_pair", "preempt_scale"])
def test_what_a_real_cluster_did(name, tmp_path):
    """Every node gives one victim, and not the first one both: deletions took longer than the next cycles."""
    folder, slow = REAL / name, tmp_path / "cluster.json"
    text = (folder / "cluster.json").read_text()
    slow.write_text(re.sub('"terminationGracePeriodSeconds": *0', '"terminationGracePeriodSeconds": 1', text))
    world = changed_world(load([str(slow)]).objects, Plan(load([str(folder / "release.json")]).objects))
    found = session(
        world.objects, tie_break=TieBreak.UPSTREAM, sampling=Sampling.UPSTREAM, score_single=False
    )
    for created in world.created:
        found.enter_pending(created.pod)
    run = Run(found.cluster, found.scheduler, RunOptions(controllers=Replacing(found)))
    run.run()
    real = json.loads((folder / "real.json").read_text())["after"]
    for app, expected in real.items():
        pods = [made for made in run.api.pods.values() if made.metadata.labels["app"] == app]
        placed = Counter(made.node_name for made in pods if made.node_name)
        assert sorted(placed.values()) == sorted(expected["nodes"].values())  # which of equal nodes is chance
        assert sum(not made.node_name for made in pods) == expected["pending"]
