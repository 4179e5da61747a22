import pytest

from kschedctl.scheduling.decision import Outcome
from kschedctl.whatif.world.change_forms import RolloutMode
from kschedctl.whatif.world.world import PodOrigin

from .builders import (
    controlled,
    node,
    nodes_of,
    owned_replica_set,
    placements,
    pod,
    replica,
    run,
    workload,
)


def test_pending_pods_of_the_cluster_are_scheduled():
    found = run([node("n1"), pod("a", "n1", cpu="3"), pod("b", cpu="1"), pod("c", cpu="1")])

    assert placements(found) == {"b": "n1", "c": None}
    (left,) = found.pending
    assert left.outcome is Outcome.UNSCHEDULABLE
    assert left.message.startswith("0/1 nodes are available: 1 Insufficient cpu.")
    assert [task.origin for task in found.tasks] == [PodOrigin.PENDING, PodOrigin.PENDING]


def test_higher_priority_comes_first_then_order_of_arrival():
    cluster = [node("n1", cpu="2"), pod("a", cpu="1"), pod("b", cpu="1"), pod("z", cpu="1", priority=5)]

    assert placements(run(cluster)) == {"a": "n1", "b": None, "z": "n1"}


def test_a_pod_that_fails_holds_its_nominated_node_no_longer():
    cluster = [
        node("n1", cpu="4"),
        pod("p0", cpu="6", priority=10, nominated="n1"),
        pod("p1", cpu="1", priority=10),
    ]

    assert placements(run(cluster)) == {"p0": None, "p1": "n1"}


def test_a_pod_whose_nomination_was_cleared_frees_those_that_failed_before():
    cluster = [
        node("n1", cpu="4"),
        pod("p0", cpu="1", priority=10),
        pod("p1", cpu="6", priority=10, nominated="n1"),
    ]
    found = run(cluster)

    assert placements(found) == {"p0": "n1", "p1": None}


def test_equal_pods_that_fail_move_the_start_of_the_search_one_by_one():
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    large = [pod(name, cpu="9", affinity={"nodeAffinity": required}) for name in ("a1", "a2")]
    found = run([*(node(f"n{i}") for i in range(1, 5)), *large, pod("z", cpu="1")])

    assert placements(found) == {"a1": None, "a2": None, "z": "n3"}


def test_a_workload_that_is_there_is_not_counted_twice():
    old = workload("Deployment", "web", 2, cpu="2")
    cluster = [
        node("n1", cpu="4"),
        old,
        owned_replica_set("web-abc", old),
        *(replica(f"web-abc-{i}", "n1", cpu="2") for i in range(2)),
    ]
    release = [workload("Deployment", "web", 2, cpu="2")]

    assert nodes_of(run(cluster, manifests=release), "Deployment/web") == ["n1", "n1"]
    kept = run(cluster, manifests=release, rollout=RolloutMode.ADD)
    assert nodes_of(kept, "Deployment/web") == [None, None]


def test_preemption_evicts_and_the_victims_come_back_elsewhere():
    cluster = [
        node("n1", cpu="2", labels={"disk": "ssd"}),
        node("n2", cpu="2"),
        replica("low", "n1", cpu="2", priority=1),
        pod("high", cpu="2", priority=10, nodeSelector={"disk": "ssd"}),
    ]
    found = run(cluster)

    assert placements(found) == {"high": "n1", "low": "n2"}
    (eviction,) = found.evictions
    assert (eviction.victim, eviction.by, eviction.node) == ("default/low", "default/high", "n1")
    assert eviction.successor is not None
    assert eviction.successor.origin is PodOrigin.PREEMPTED


def test_a_victim_without_a_controller_is_gone():
    cluster = [
        node("n1", cpu="2"),
        pod("low", "n1", cpu="2", priority=1),
        pod("high", cpu="2", priority=10),
    ]
    found = run(cluster)

    assert placements(found) == {"high": "n1"}
    assert found.evictions[0].successor is None


def test_without_preemption_nobody_is_evicted():
    cluster = [
        node("n1", cpu="2"),
        replica("low", "n1", cpu="2", priority=1),
        pod("high", cpu="2", priority=10),
    ]
    found = run(cluster, preemption=False)

    assert placements(found) == {"high": None}
    assert not found.evictions


@pytest.mark.parametrize(("single_pass", "node_of_first"), [(True, None), (False, "n1")])
def test_pods_are_tried_again_once_something_has_moved(single_pass, node_of_first):
    affinity = {
        "podAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "db"}}}
            ]
        }
    }
    cluster = [node("n1"), pod("a", affinity=affinity), pod("b", labels={"app": "db"})]

    found = run(cluster, single_pass=single_pass)
    assert placements(found) == {"a": node_of_first, "b": "n1"}


def test_pods_that_the_api_server_refuses_are_invalid():
    found = run([node("n1")], manifests=[pod("a", priorityClassName="unknown")])

    (task,) = found.tasks
    assert task.outcome is Outcome.INVALID
    assert "no PriorityClass with name unknown was found" in task.message


def test_terminating_pods_are_not_scheduled():
    assert not run([node("n1"), pod("a", terminating=True)]).tasks


def test_companions_of_a_release_count():
    release = [
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": "gold"},
            "value": 7,
        },
        pod("a", priorityClassName="gold"),
    ]
    found = run([node("n1")], manifests=release)

    assert found.tasks[0].record is not None
    assert found.tasks[0].record.priority == 7


def test_daemon_set_in_a_release_reaches_every_node():
    found = run([node("n1"), node("n2", cordoned=True)], manifests=[workload("DaemonSet", "agent")])

    assert nodes_of(found, "DaemonSet/agent") == ["n1", "n2"]


def test_stateful_set_claims_are_provisioned():
    claim = {
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    storage_class = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {
            "name": "fast",
            "annotations": {"storageclass.kubernetes.io/is-default-class": "true"},
        },
        "provisioner": "csi.example.com",
    }
    release = [workload("StatefulSet", "db", 2, volumeClaimTemplates=[claim])]

    waiting = {**storage_class, "volumeBindingMode": "WaitForFirstConsumer"}
    assert nodes_of(run([node("n1"), waiting], manifests=release), "StatefulSet/db") == ["n1", "n1"]
    immediate = run([node("n1"), storage_class], manifests=release)
    assert nodes_of(immediate, "StatefulSet/db") == ["n1", "n1"]
    assert any("Immediate" in note for note in immediate.notes)
    no_class = run([node("n1")], manifests=release)
    assert nodes_of(no_class, "StatefulSet/db") == [None, None]


def test_before_and_after():
    found = run([node("n1", cpu="4"), pod("a", "n1", cpu="1")], manifests=[pod("b", cpu="2")])

    assert found.before.total()["cpu"].requested == 1000
    assert found.after.total()["cpu"].requested == 3000
    assert found.after.total()["cpu"].share == 0.75
    assert found.after.shares("cpu") == {"n1": 0.75}


def test_a_bare_pod_of_a_release_replaces_the_one_of_its_name():
    found = run([node("n1", cpu="2"), pod("a", "n1", cpu="2")], manifests=[pod("a", cpu="2")])

    assert placements(found) == {"a": "n1"}


def test_victims_that_were_placed_in_this_run_go_back_to_the_queue():
    # `high` needs `db` beside it, so the low ones are there before it comes in a second pass.
    affinity = {
        "podAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "db"}}}
            ]
        }
    }
    cluster = [node("n1", cpu="4"), pod("db", cpu="1", labels={"app": "db"}, priority=5)]
    cluster += [replica(f"low-{i}", cpu="1", priority=-1) for i in range(3)]
    cluster += [pod("a-high", cpu="2", priority=5, affinity=affinity)]
    found = run(cluster)

    assert placements(found)["a-high"] == "n1"
    assert len(found.pending) == 2
    assert [e.successor in found.pending for e in found.evictions] == [True, True]
    assert len(found.tasks) == 5


def test_pods_of_a_job_keep_their_workload():
    found = run([node("n1")], manifests=[workload("Job", "once", parallelism=2, completions=2)])

    assert nodes_of(found, "Job/once") == ["n1", "n1"]


def test_controlled_by_an_unknown_replica_set():
    found = run([node("n1"), pod("x", owner=controlled("ReplicaSet", "api-1"))])

    assert str(found.tasks[0].workload) == "ReplicaSet/api-1"


@pytest.mark.parametrize("single_pass", [True, False])
def test_every_pending_pod_is_inspected_once_for_its_class(single_pass):
    inspected = []
    cluster = [node("n1", cpu="4"), *(pod(f"big-{i}", cpu="3") for i in range(3)), pod("small", cpu="1")]
    found = run(
        cluster, single_pass=single_pass, inspect=lambda decision: inspected.append(decision) or "why"
    )

    assert [task.inspected for task in found.pending] == ["why", "why"]
    assert len(inspected) == 1
