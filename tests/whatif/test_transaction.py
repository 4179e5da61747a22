"""Transactions: what is done in them, what they answer, and that nothing is left of them."""

from __future__ import annotations

import doctest
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dra_builders as dra
import hypothesis.strategies as st
import pytest
import storage_builders as storage
from builders import ZONE, Data, enter, made, node, pod, session
from hypothesis import given, settings
from msgspec.structs import replace
from random_clusters import random_objects, random_pod

from kschedctl.errors import InputError, UnsupportedError, UsageError
from kschedctl.objects.core import PriorityClass
from kschedctl.objects.meta import ObjectMeta
from kschedctl.objects.node import Taint
from kschedctl.objects.pod import Pod
from kschedctl.objects.storage import PersistentVolumeClaim
from kschedctl.questions import transaction as documented
from kschedctl.scheduling.decision import Outcome
from kschedctl.whatif.queue.simulator import Simulator
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.transaction.transaction import Transaction
from kschedctl.whatif.world.world import PodOrigin
from kschedctl.workloads import WorkloadKey


def shop(*more: Data) -> Session:
    """Two nodes of 2 cpu, one of them tainted; one pod runs, one waits."""
    return session(
        [node("n1", "a", cpu="2"), node("n2", "b", cpu="2", taints=["dedicated=db:NoSchedule"])],
        [pod("old", "n1", cpu="1500m"), pod("waits", cpu="500m")],
        list(more),
    )


def test_the_documented_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    found = doctest.testmod(documented)
    assert found.attempted > 10
    assert not found.failed


def test_every_answer_carries_its_diagnosis() -> None:
    with Transaction(shop()) as trial:
        placed = trial.place(pod("web", cpu="500m"))
        refused = trial.place(pod("large", cpu="1500m"))

    assert (placed.outcome, placed.node, placed.message) == (Outcome.SCHEDULED, "n1", "")
    assert placed.diagnosis is not None
    assert placed.diagnosis.fits == ("n1",)
    assert [status.plugin for status in placed.diagnosis.why("n2")] == ["TaintToleration"]
    assert refused.node is None
    assert (
        refused.message == "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s)."
    )
    assert refused.diagnosis is not None
    assert refused.diagnosis.fits == ()
    assert {node: [s.message for s in why] for node, why in refused.diagnosis.by_node.items()} == {
        "n1": ["Insufficient cpu"],
        "n2": ["node(s) had untolerated taint(s)"],
    }


def test_every_plugin_that_rejects_a_node_is_told() -> None:
    with Transaction(shop()) as trial:
        diagnosis = trial.diagnose(pod("web", cpu="3"))
    assert [status.plugin for status in diagnosis.why("n2")] == ["TaintToleration", "NodeResourcesFit"]


def test_without_diagnosis_the_message_is_the_same() -> None:
    with Transaction(shop(), diagnose=False) as trial:
        refused = trial.place(pod("web", cpu="3"))
    assert refused.diagnosis is None
    assert (
        refused.message == "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s)."
    )


def test_only_some_nodes_are_looked_at() -> None:
    with Transaction(session([node(f"n{i}") for i in range(4)])) as trial:
        placed = trial.place(pod("web", cpu="1"), nodes=["n3", "n1"])
        assert placed.diagnosis is not None
        assert placed.diagnosis.fits == ("n1", "n3")
        nowhere = trial.place(pod("none", cpu="1"), nodes=[])
    assert (nowhere.node, nowhere.message) == (None, "no nodes available to schedule pods")


def test_pods_are_placed_in_order() -> None:
    one, two = pod("one", cpu="400m"), pod("two", cpu="300m")
    with Transaction(shop()) as trial:
        assert [p.node for p in trial.place_all([one, two])] == ["n1", None]
    with Transaction(shop()) as trial:
        assert [p.node for p in trial.place_all([two, one])] == ["n1", None]


def test_pods_of_lower_priority_go_only_where_that_is_asked_for() -> None:
    urgent = pod("urgent", cpu="1", priority=10)
    with Transaction(shop()) as trial:
        assert not trial.place(urgent).is_placed
        placed = trial.place(urgent, preempt=True)
        assert (placed.node, placed.evicted) == ("n1", ("default/old",))
        assert placed.diagnosis is not None
        assert [s.message for s in placed.diagnosis.why("n1")] == ["Insufficient cpu"]
        assert trial.pods_on("n1") == ("default/urgent",)
        assert trial.node_of("default/old") is None
        assert not trial.place("default/old").is_placed
        assert "preemption: " in trial.place(pod("huge", cpu="9", priority=10), preempt=True).message


def test_a_template_is_placed_up_to_a_number() -> None:
    with Transaction(session([node("n1", cpu="2"), node("n2", cpu="1")])) as trial:
        some = trial.fill(pod("web", cpu="1"), 2)
        assert (some.pods, some.by_node, some.stopped_by) == (
            ("default/web-1", "default/web-2"),
            {"n1": 2},
            None,
        )
        more = trial.fill(pod("web", cpu="1"), 9)
        assert more.pods == ("default/web-3",)
        assert more.stopped_by is not None
        assert more.stopped_by.message == "0/2 nodes are available: 2 Insufficient cpu."


def test_a_removed_pod_can_be_put_back_where_it_still_fits() -> None:
    with Transaction(shop()) as trial:
        removed = trial.remove("default/old")
        assert (removed.pod, removed.node) == ("default/old", "n1")
        assert trial.pods_on("n1") == ()
        assert trial.put_back(removed).node == "n1"
        trial.remove("default/old")
        trial.place(pod("web", cpu="1"))
        assert trial.put_back(removed).message == "0/1 nodes are available: 1 Insufficient cpu."


def test_pods_of_the_cluster_are_placed_by_name() -> None:
    with Transaction(shop()) as trial:
        assert trial.place("default/waits").node == "n1"
        assert trial.place("waits" if trial.remove("waits") else "").node == "n1"


def test_a_pod_that_names_its_node_is_not_scheduled() -> None:
    with Transaction(shop()) as trial:
        placed = trial.place(pod("web", "n2", cpu="1"))
        assert (placed.node, placed.diagnosis) == ("n2", None)
        refused = trial.place(pod("large", "n1", cpu="1"))
        assert (refused.node, refused.message) == (None, "OutOfcpu: cpu: needs 1, free 0.5 of 2")
        assert trial.place(pod("lost", "n9")).message == "NodeNotFound: node n9 is not in the cluster"


@pytest.mark.parametrize("seed", range(8))
def test_pods_go_where_a_simulation_puts_them(seed: int) -> None:
    """One after another, with preemption: the same nodes, and the same pods that have to go."""
    rng = random.Random(seed)
    candidates = [random_pod(rng, f"c{i}") for i in range(20)]
    for data in candidates:
        data["spec"]["priority"] = rng.choice((0, 5, 50))
        for container in data["spec"]["containers"]:
            container["resources"] = {"requests": {"cpu": "900m"}}
    asked = loaded(seed)
    expected = []
    for data in candidates:
        candidate = made(data)
        assert isinstance(candidate, Pod)
        simulator = Simulator(asked, key_of_pod, single_pass=True, recreate_victims=False)
        task = Task(candidate, enter(asked, data), key_of_pod(candidate), PodOrigin.NEW)
        simulator.submit([task])
        simulator.settle()
        expected.append((task.node, tuple(task.evicted)))
    with Transaction(loaded(seed), diagnose=False) as trial:
        found = trial.place_all(candidates, preempt=True)
    assert [(answer.node, answer.evicted) for answer in found] == expected
    assert any(answer.evicted for answer in found)


def key_of_pod(candidate: Pod) -> WorkloadKey:
    return WorkloadKey("Pod", candidate.namespace, candidate.name)


def test_a_pod_that_found_no_node_can_be_tried_again() -> None:
    with Transaction(shop()) as trial:
        web = pod("web", cpu="1")
        assert not trial.place(web).is_placed
        trial.untaint("n2", "dedicated")
        assert trial.place(web).node == "n2"
        with pytest.raises(UsageError, match="there is a pod default/web already, on node n2"):
            trial.place(web)


@pytest.mark.parametrize(
    ("change", "rejects"),
    [
        pytest.param(lambda t: t.cordon("n1"), ["NodeUnschedulable", "TaintToleration"], id="cordoned"),
        pytest.param(
            lambda t: t.taint("n1", Taint(key="a", effect="NoSchedule")), ["TaintToleration"], id="tainted"
        ),
        pytest.param(lambda t: t.label("n1", ZONE, "z"), ["NodeAffinity"], id="labelled"),
        pytest.param(lambda t: t.label("n1", ZONE, None), ["NodeAffinity"], id="label taken off"),
        pytest.param(lambda t: t.set_allocatable("n1", {"cpu": "1"}), ["NodeResourcesFit"], id="other room"),
    ],
)
def test_nodes_change(change: Callable[[Transaction], None], rejects: list[str]) -> None:
    web = pod("web", cpu="100m", nodeSelector={ZONE: "a"})
    with Transaction(shop()) as trial:
        assert trial.place(web, nodes=["n1"]).is_placed
        trial.remove("web")
        with trial.fork() as inner:
            change(inner)
            assert [s.plugin for s in inner.diagnose(web).why("n1")] == rejects
        assert trial.place(web).node == "n1"


def test_nodes_come_and_go() -> None:
    with Transaction(shop()) as trial:
        trial.add_node(made(node("n3", cpu="4")))  # type: ignore[arg-type]
        assert trial.nodes == ("n1", "n2", "n3")
        gone = trial.remove_node("n1")
        assert [(removed.pod, removed.node) for removed in gone] == [("default/old", "n1")]
        assert trial.nodes == ("n2", "n3")
        assert trial.place(gone[0]).node == "n3"
        assert trial.pods_on("n3") == ("default/old",)


def test_forks_are_kept_or_undone() -> None:
    with Transaction(shop()) as trial:
        with trial.fork() as kept:
            kept.place(pod("one", cpu="100m"))
            with kept.fork() as undone:
                undone.place(pod("two", cpu="100m"))
                undone.remove("default/one")
            kept.keep()
        assert trial.pods_on("n1") == ("default/old", "default/one")
        with trial.fork() as again:
            again.remove("default/old")
            again.undo()
        assert trial.node_of("default/old") == "n1"


def test_an_error_undoes() -> None:
    asked = shop()
    with pytest.raises(UsageError), Transaction(asked) as trial:
        trial.place_all([pod("web", cpu="100m"), "none"])
    assert not asked.in_transaction
    assert len(asked.cluster.usage.pods[0]) == 1


@pytest.mark.parametrize(
    ("what", "message"),
    [
        pytest.param(lambda t: t.place("none"), "there is no pod none", id="unknown pod"),
        pytest.param(lambda t: t.remove("none"), "there is no pod none", id="unknown pod to remove"),
        pytest.param(lambda t: t.place("old"), "pod old is on node n1 already", id="placed already"),
        pytest.param(lambda t: t.place(pod("x"), nodes=["n9"]), "there is no node n9", id="unknown node"),
        pytest.param(lambda t: t.cordon("n9"), "there is no node n9", id="unknown node to change"),
        pytest.param(lambda t: t.add_node(t.node("n1")), "there is a node n1 already", id="node twice"),
        pytest.param(
            lambda t: t.change_node("n1", lambda n: replace(n, metadata=ObjectMeta(name="n7"))),
            "node n1 cannot become node n7",
            id="another name",
        ),
        pytest.param(lambda t: t.set_allocatable("n1", {"cpu": "many"}), "many", id="no quantity"),
        pytest.param(
            lambda t: t.put_back(t.remove("waits")), "default/waits was on no node", id="was on no node"
        ),
        pytest.param(lambda t: t.put(t.node("n1")), "a Node is no other object", id="a node as an object"),
        pytest.param(lambda t: t.keep(), "no transaction encloses this one", id="nobody to keep it"),
        pytest.param(
            lambda t: (t.fork(), t.nodes, t.cordon("n1")), "inside this one is open", id="an open fork"
        ),
        pytest.param(lambda t: (t.undo(), t.cordon("n1")), "the transaction has ended", id="ended"),
        pytest.param(
            lambda t: (t.undo(), t.remove_node("n1")), "the transaction has ended", id="a node after the end"
        ),
        pytest.param(lambda t: (t.undo(), t.undo()), "the transaction has ended already", id="ended twice"),
        pytest.param(
            lambda t: t.diagnose(pod("x", hostUsers=False, hostNetwork=True)),
            "default/x would be refused",
            id="refused",
        ),
    ],
)
def test_misuse_is_told(what: Callable[[Transaction], object], message: str) -> None:
    with Transaction(shop()) as trial, pytest.raises(UsageError, match=message):
        what(trial)


def test_one_transaction_of_a_cluster_at_a_time() -> None:
    asked = shop()
    with Transaction(asked), pytest.raises(UsageError, match="open already"):
        Transaction(asked)
    with Transaction(asked) as trial:
        assert trial.nodes


def test_a_manifest_that_is_no_pod_is_an_error_and_one_that_is_refused_an_answer() -> None:
    with Transaction(shop()) as trial:
        with pytest.raises(InputError, match="the manifest is no pod"):
            trial.place({"metadata": {"name": "x"}, "spec": {"containers": "none"}})
        with pytest.raises(InputError, match="some"):
            trial.place(pod("x", cpu="some"))
        refused = trial.place(pod("x", hostUsers=False, hostNetwork=True))
        assert (refused.outcome, refused.diagnosis) == (Outcome.INVALID, None)
        gated = trial.place(pod("y", schedulingGates=[{"name": "wait"}]))
        assert (gated.outcome, gated.diagnosis) == (Outcome.GATED, None)


# Volumes, devices and other objects


def test_objects_change_what_pods_find() -> None:
    asked = shop()
    with Transaction(asked) as trial:
        web = pod("web", cpu="100m", volumes=[storage.mount("data")])
        assert 'persistentvolumeclaim "data" not found' in trial.place(web).message
        trial.put(storage.volume("v", on="n1"))
        trial.put(storage.claim("data", volume="v"))
        assert trial.place(web).node == "n1"
        trial.remove("web")
        claim = asked.cluster.objects.find(PersistentVolumeClaim, "data", "default")
        assert claim is not None
        trial.delete(claim)
        assert 'persistentvolumeclaim "data" not found' in trial.place(web).message
    with Transaction(asked) as trial, pytest.raises(UnsupportedError, match="PriorityClass"):
        trial.put(PriorityClass(metadata=ObjectMeta(name="high")))


def storing() -> Session:
    return session(
        [node("n1"), node("n2")],
        [
            storage.local_class(),
            storage.volume("v1", "local", on="n1"),
            storage.claim("a", "local"),
            storage.claim("b", "local"),
        ],
    )


def test_volumes_are_taken_and_given_back() -> None:
    with Transaction(storing()) as trial:
        with trial.fork() as inner:
            assert inner.place(pod("one", volumes=[storage.mount("a")])).node == "n1"
            assert not inner.place(pod("two", volumes=[storage.mount("b")])).is_placed
            with pytest.raises(UnsupportedError, match="cannot change once"):
                inner.put(storage.claim("c", "local"))
        assert trial.place(pod("two", volumes=[storage.mount("b")])).node == "n1"
        trial.cordon("n2")
        bound = session(trial.objects()).cluster.objects.find(PersistentVolumeClaim, "b", "default")
    assert bound is not None
    assert bound.spec.volume_name == "v1"


def test_claims_of_templates_are_made() -> None:
    template = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "gpu", "namespace": "default"},
        "spec": {"spec": {"devices": {"requests": [dra.exactly()]}}},
    }
    asked = session(
        [node("n1"), node("n2")], [template], [dra.device_class(), dra.resource_slice("s", dra.devices("d0"))]
    )
    wanted = {"resourceClaims": [{"name": "g", "resourceClaimTemplateName": "gpu"}]}
    with Transaction(asked) as trial:
        assert trial.place(pod("one", **wanted)).node == "n1"
        assert not trial.place(pod("two", **wanted)).is_placed
        with Transaction(session(trial.objects())) as afterwards:
            assert not afterwards.place(pod("two", **wanted)).is_placed
            afterwards.remove("one")
            assert afterwards.place(pod("two", **wanted)).node == "n1"
        trial.remove("one")
        assert trial.place("two").node == "n1"


# What holds of any transaction

OPERATIONS = ("place", "place some", "preempt", "remove", "change", "lose", "add", "fork", "keep", "undo")
STEPS = st.lists(st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 999)), min_size=3, max_size=14)

CHANGES: tuple[Callable[[Transaction, str], None], ...] = (
    lambda t, n: t.cordon(n),
    lambda t, n: t.cordon(n, False),
    lambda t, n: t.taint(n, Taint(key="dedicated", value="db", effect="NoSchedule")),
    lambda t, n: t.untaint(n, "dedicated"),
    lambda t, n: t.label(n, ZONE, "b"),
    lambda t, n: t.label(n, "disk", None),
    lambda t, n: t.set_allocatable(n, {"cpu": "500m"}),
)


def play(asked: Session, steps: list[tuple[str, int]], look: Callable[[Transaction], None]) -> None:
    """Do what makes sense of the steps, and look at the end, with everything open."""

    with Transaction(asked, diagnose=False) as outermost:
        open_ones = [outermost]
        for step, (what, number) in enumerate(steps):
            trial, rng = open_ones[-1], random.Random(number)
            nodes, name = trial.nodes, f"p{step}"
            on_nodes = [one for where in nodes for one in trial.pods_on(where)]
            match what:
                case "place":
                    trial.place(random_pod(rng, name))
                case "place some":
                    trial.place(random_pod(rng, name), nodes=rng.sample(nodes, min(2, len(nodes))))
                case "preempt":
                    trial.place(random_pod(rng, name), preempt=True)
                case "remove" if on_nodes:
                    removed = trial.remove(rng.choice(on_nodes))
                    if number % 2:
                        trial.place(removed)
                case "change":
                    CHANGES[number % len(CHANGES)](trial, rng.choice(nodes))
                case "lose" if len(nodes) > 2:
                    for removed in trial.remove_node(rng.choice(nodes)):
                        trial.place(removed)
                case "add":
                    trial.add_node(made(node(f"x{step}", rng.choice("ab"))))  # type: ignore[arg-type]
                case "fork":
                    open_ones.append(trial.fork())
                case "keep" if len(open_ones) > 1:
                    open_ones.pop().keep()
                case "undo" if len(open_ones) > 1:
                    open_ones.pop().undo()
        look(open_ones[-1])


def everything(asked: Session) -> dict[str, Any]:
    """What is kept of a cluster, as values."""
    cluster = asked.cluster
    return {
        "nodes": cluster.nodes.objects,
        "order": cluster.present.order.tolist(),
        "requested": cluster.usage.requested.tolist(),
        "on nodes": [list(listed) for listed in cluster.usage.pods],
        "pods": [record.pod for record in cluster.pods.records],
        "nominated": {name: list(pods) for name, pods in cluster.nominations.items() if pods},
        "start": cluster.next_start,
        "revision": cluster.journal.revision,
        "objects": cluster.objects,
        "open": asked.in_transaction,
    }


def loaded(seed: int) -> Session:

    return session([made(data) for data in random_objects(random.Random(seed), 5)], score_single=False)


@settings(max_examples=60)
@given(seed=st.integers(0, 20), steps=STEPS)
def test_nothing_is_left_of_a_transaction(seed: int, steps: list[tuple[str, int]]) -> None:
    asked = loaded(seed)
    before = everything(asked)
    play(asked, steps, lambda _: None)
    assert everything(asked) == before


@settings(max_examples=40)
@given(seed=st.integers(0, 20), steps=STEPS)
def test_a_transaction_decides_as_a_cluster_of_its_objects(seed: int, steps: list[tuple[str, int]]) -> None:
    """Which nodes fit, and why others do not; ties may fall otherwise, since nodes may be in another order."""

    def look(trial: Transaction) -> None:
        candidates = [random_pod(random.Random(number), f"c{number}") for number in range(8)]
        found = [told(trial, data) for data in candidates]
        with Transaction(session(trial.objects())) as anew:
            assert [told(anew, data) for data in candidates] == found

    play(loaded(seed), steps, look)


def told(trial: Transaction, data: Data) -> tuple[list[str], dict[str, list[tuple[str, str]]]]:
    found = trial.diagnose(data)
    why = {node: [(s.plugin, s.message) for s in statuses] for node, statuses in found.by_node.items()}
    return sorted(found.fits), why
