"""What is known of dry runs on nodes stays true whatever happens to the cluster between two preemptors."""

import pickle
import random

import pytest
from builders import HOST, decide, enter, made, node, pod, profile, session
from msgspec.structs import replace
from preemption_oracle import expected, found

from kschedctl.preemption import victims
from kschedctl.preemption.known_trials import KnownTrials
from kschedctl.scheduling.decision import Outcome

NODES = 6
STEPS = 40
STARTS = (None, "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")
ANTI = {
    "affinity": {
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": HOST, "labelSelector": {"matchLabels": {"app": "a"}}}
            ]
        }
    }
}
PREEMPTORS = (
    {"cpu": "1500m", "priority": 50},
    {"cpu": "1500m", "priority": 50, "nominated": "n2"},
    {"cpu": "700m", "priority": 50},
    {"cpu": "1500m", "priority": 10},
    {"cpu": "1", "priority": 50},
    {"cpu": "1", "priority": 50, "node_selector": {"disk": "ssd"}},
    {"cpu": "1", "priority": 50, "ports": 80},
    {"cpu": "1", "priority": 50} | ANTI,
)


def asking(ports=None, node_selector=None, **fields):
    """A pod; some hold a host port, or want nodes with a label."""
    data = pod(**fields)
    data["metadata"]["uid"] = f"uid-of-{data['metadata']['name']}"
    if ports is not None:
        data["spec"]["containers"][0]["ports"] = [{"containerPort": ports, "hostPort": ports}]
    if node_selector is not None:
        data["spec"]["nodeSelector"] = node_selector
    return data


def small(rng, name, where=""):
    return asking(
        name=name,
        on=where,
        labels={"app": rng.choice("ab")},
        cpu=rng.choice(("200m", "500m", "900m")),
        priority=rng.choice((0, 0, 5, 10, 50)),
        start=rng.choice(STARTS),
        ports=rng.choice((None, None, None, 80)),
    )


def budget(name, app, allowed):
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": app}}},
        "status": {"disruptionsAllowed": allowed},
    }


FIT_FIRST = profile(
    plugins={
        "filter": {
            "disabled": [{"name": "*"}],
            "enabled": [
                {"name": n} for n in ("NodeResourcesFit", "NodePorts", "NodeAffinity", "InterPodAffinity")
            ],
        }
    }
)
"""A node that refuses for good may be one on which room can be made, until that is tried."""


class History:
    """Random changes of a full cluster, between which some of the same preemptors come."""

    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        nodes = [node(f"n{i}", cpu="2", labels={"disk": rng.choice(("ssd", "hdd"))}) for i in range(NODES)]
        pods = [small(rng, f"p{i}", f"n{i % NODES}") for i in range(4 * NODES)]
        config = rng.choice((None, FIT_FIRST))
        self.asked = session(nodes, pods, budget("b0", "a", 1), budget("b1", "b", 0), config=config)
        self.cluster = self.asked.cluster
        self.marks = []
        self.seen = 0

    def running(self):
        return [pod for pod, row in enumerate(self.cluster.pods.node.tolist()) if row >= 0]

    def change(self, step):
        rng, cluster = self.rng, self.cluster
        row = rng.randrange(NODES)
        match rng.choice(("place", "remove", "nominate", "drop", "start", "node", "budget", "mark", "undo")):
            case "place":
                cluster.assume(enter(self.asked, small(rng, f"new{step}")).id, row)
            case "remove" if running := self.running():
                cluster.remove(rng.choice(running))
            case "nominate":
                data = asking(name=f"waits{step}", **rng.choice(PREEMPTORS))
                cluster.nominate(enter(self.asked, data).id, f"n{row}")
            case "drop" if waiting := [pod for listed in cluster.nominations.values() for pod in listed]:
                cluster.drop_nomination(rng.choice(waiting))
            case "start" if running := self.running():
                chosen = cluster.pods.records[rng.choice(running)]
                status = replace(chosen.pod.status, start_time=rng.choice(STARTS))
                cluster.restate(chosen.id, replace(chosen.pod, status=status))
            case "node":
                version = node(f"n{row}", cpu=rng.choice("123"), labels={"disk": rng.choice(("ssd", "hdd"))})
                cluster.patch_nodes([made(version)])
            case "budget":
                other = made(budget("b0", "a", rng.randrange(3)))
                cluster.set_objects(cluster.objects.with_object(other), keep_derived=True)
            case "mark":
                self.marks.append(cluster.mark())
            case "undo" if self.marks:
                cluster.undo_to(self.marks.pop())

    def preempt(self, step):
        mark = self.cluster.mark()
        waiting = [pod for listed in self.cluster.nominations.values() for pod in listed]
        if waiting and self.rng.random() < 0.3:
            preemptor = self.rng.choice(waiting)
        else:
            preemptor = enter(self.asked, asking(name=f"vip{step}", **self.rng.choice(PREEMPTORS))).id
        # The oracle takes every pod off its node and puts it back, which nobody here is to hear of.
        copy = pickle.loads(pickle.dumps(self.asked))
        decision, other = (
            one.scheduler.decide(one.cluster.pods.records[preemptor], one.cluster)
            for one in (self.asked, copy)
        )
        if decision.outcome is Outcome.UNSCHEDULABLE and decision.preemption.eligible:
            assert found(decision) == expected(other)
            self.seen += 1
        self.cluster.undo_to(mark)


@pytest.mark.parametrize("seed", range(15))
def test_after_any_history_every_node_is_as_one_that_is_tried_anew(seed):
    history = History(seed)
    for step in range(STEPS):
        history.change(step)
        history.preempt(step)
    assert history.seen > STEPS // 8


def full(asked, name):
    return decide(asked, asking(name=name, cpu="1500m", priority=50))


def tries(asked, monkeypatch):
    """The rows that dry runs have to try, as they come."""
    tried = []

    def noted(cluster, preemptor, potential, of=victims.lower_pods):
        tried.append(potential.tolist())
        return of(cluster, preemptor, potential)

    monkeypatch.setattr(victims, "lower_pods", noted)
    return tried


CHANGES = {
    "nothing": (lambda asked: None, []),
    "a pod leaves": (lambda asked: asked.cluster.remove(asked.find("default", "p1").id), [[1]]),
    "a pod is nominated": (lambda asked: asked.cluster.nominate(asked.find("default", "w").id, "n2"), [[2]]),
    "a budget changes": (
        lambda asked: asked.cluster.set_objects(
            asked.cluster.objects.with_object(made(budget("b0", "a", 0))), keep_derived=True
        ),
        [[0, 1, 2]],
    ),
}


@pytest.mark.parametrize(("change", "again"), CHANGES.values(), ids=CHANGES)
def test_an_equal_preemptor_has_only_changed_nodes_tried(change, again, monkeypatch):
    running = [pod(f"p{i}", f"n{i % 3}", cpu="1" if i < 3 else "600m", priority=0) for i in range(6)]
    asked = session([node(f"n{i}", cpu="2") for i in range(3)], running, pod("w", priority=50, cpu="100m"))
    tried = tries(asked, monkeypatch)
    full(asked, "first")
    assert tried == [[0, 1, 2]]
    change(asked)
    tried.clear()
    assert full(asked, "second").outcome is Outcome.UNSCHEDULABLE
    assert tried == again


def test_what_is_known_stays_behind_when_a_cluster_travels():
    history = History(0)
    history.preempt(0)
    assert pickle.loads(pickle.dumps(KnownTrials.of(history.cluster))) is not None
    copy = pickle.loads(pickle.dumps(history.asked))
    decision = full(copy, "vip")
    assert found(decision) == expected(decision)
