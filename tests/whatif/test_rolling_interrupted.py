"""Old pods that are pending, one too many, ending, or preempted before their rolling update comes to them."""

from typing import Any

import pytest

from kschedctl.reports.simulate.build import evicted_victim
from kschedctl.reports.simulate.sentences import then
from kschedctl.whatif.world.change_forms import RolloutMode
from kschedctl.whatif.world.changes import Scale

from .builders import (
    OTHER,
    Data,
    controlled,
    node,
    owned_replica_set,
    placements,
    pod,
    replica,
    run,
    workload,
)

DB = controlled("StatefulSet", "db")
HIGH = pod("high", cpu="1", priority=1000)


def db(replicas: int, **more: Any) -> Data:
    return workload("StatefulSet", "db", replicas, **more)


def member(ordinal: int, on: str = "n1", **more: Any) -> Data:
    return pod(f"db-{ordinal}", on, cpu="1", owner=DB, priority=0, **more)


def test_a_pending_member_that_is_placed_and_then_replaced_counts_once():
    cluster = [node("n1", cpu="4"), db(2), member(0), member(1, "")]
    found = run(cluster, manifests=[db(2, **OTHER)], rollout=RolloutMode.ROLLING)

    assert sorted(placements(found).items()) == [("db-0", "n1"), ("db-1", "n1")]
    assert len(found.tasks) == 2
    assert [(u.updated, u.old, u.stuck) for u in found.rollouts] == [(2, 0, "")]


def test_a_pending_member_that_is_one_too_many_is_gone():
    cluster = [node("n1", cpu="2"), db(3), member(0), member(1), member(2, "")]
    found = run(cluster, manifests=[db(2, **OTHER)], rollout=RolloutMode.ROLLING)

    assert placements(found) == {"db-0": "n1", "db-1": "n1"}
    assert found.pending == []


def test_a_nominated_member_that_is_one_too_many_holds_no_room():
    cluster = [node("n1", cpu="2"), db(3), member(0), member(1), member(2, "", nominated="n1")]
    found = run(cluster, manifests=[db(2, **OTHER)], rollout=RolloutMode.ROLLING)

    assert not any(found.session.cluster.nominations.values())


def test_a_member_that_is_preempted_before_its_turn_comes_in_its_new_form_alone():
    cluster = [node("n1", cpu="2"), db(2), member(0), member(1)]
    both = pod("high", cpu="2", priority=1000)
    found = run(cluster, manifests=[db(2, **OTHER), both], rollout=RolloutMode.ROLLING)

    (lost,) = found.evictions  # the controller has deleted db-1 before
    assert placements(found) == {"high": "n1", "db-1": None, "db-0": None}
    assert lost.victim == "default/db-0"
    assert lost.successor is None
    assert then(evicted_victim(lost)) == "is gone: the rollout brings its new form"


@pytest.mark.parametrize(
    "kept",
    [
        {"updateStrategy": {"type": "OnDelete"}},
        {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 5}}},
    ],
)
def test_a_member_that_the_update_would_have_kept_is_made_anew(kept: Data):
    cluster = [node("n1", cpu="2"), node("n2", cpu="1"), db(2), member(0), member(1)]
    found = run(
        cluster,
        manifests=[
            db(2, **OTHER, **kept),
            HIGH | {"spec": HIGH["spec"] | {"nodeSelector": {"kubernetes.io/hostname": "n1"}}},
        ],
        rollout=RolloutMode.ROLLING,
    )

    (lost,) = found.evictions
    assert lost.successor is not None
    assert lost.successor.node == "n2"


def test_a_replica_that_is_preempted_before_its_turn_is_made_anew_by_its_old_replica_set():
    before = workload("Deployment", "web", 2, **OTHER)
    old = [replica(f"web-abc-{x}", "n1", cpu="1", priority=0) for x in "ab"]
    cluster = [node("n1", cpu="2"), before, owned_replica_set("web-abc", before), *old]
    found = run(cluster, manifests=[workload("Deployment", "web", 2), HIGH], rollout=RolloutMode.ROLLING)

    (lost,) = found.evictions
    assert lost.successor is not None
    assert lost.successor.pending
    (update,) = found.rollouts
    assert (update.updated, update.old) == (0, 2)
    assert len([task for task in found.tasks if task.pending]) == 2


def test_what_an_old_replica_set_makes_anew_may_find_room_elsewhere():
    before = workload("Deployment", "low", 2)
    old = [replica(f"low-abc-{x}", "a", "low-abc", cpu="1", priority=0) for x in "ab"]
    cluster = [node("a", cpu="4"), node("b", cpu="4"), before, owned_replica_set("low-abc", before), *old]
    release = workload(
        "Deployment", "low", 2, cpu="8", strategy={"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    )
    high = pod("hi", cpu="3", priority=1000, nodeSelector={"kubernetes.io/hostname": "a"})
    found = run(cluster, manifests=[release, high], rollout=RolloutMode.ROLLING)

    (lost,) = found.evictions
    assert lost.successor is not None
    assert lost.successor.node == "b"
    assert len(found.pending) == 1
    (update,) = found.rollouts
    assert (update.updated, update.old) == (0, 2)


def test_an_ending_member_that_is_preempted_is_made_anew_and_its_followers_wait_for_it():
    cluster = [node("n1", cpu="1"), db(1), member(0, terminating=True)]
    found = run(cluster, Scale("statefulset/db", 3), manifests=[HIGH])

    assert {t.pod.name: t.waits_for for t in found.tasks} == {
        "high": "",
        "db-0": "",
        "db-1": "db-0",
        "db-2": "db-0",
    }
    assert [t.pod.name for t in found.pending] == ["db-0"]


def test_jobs_of_a_cron_job_go_on_when_it_is_changed():
    cron: Data = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "nightly", "namespace": "default", "uid": "c"},
        "spec": {"schedule": "@daily", "jobTemplate": {"spec": workload("Job", "x")["spec"]}},
    }
    job = workload("Job", "nightly-1")
    job["metadata"]["ownerReferences"] = [
        {"apiVersion": "batch/v1", "kind": "CronJob", "name": "nightly", "uid": "c", "controller": True}
    ]
    running = pod(
        "nightly-1-a", "n1", cpu="1", owner={"apiVersion": "batch/v1", "kind": "Job", "name": "nightly-1"}
    )
    found = run([node("n1", cpu="4"), cron, job, running], manifests=[cron], rollout=RolloutMode.ROLLING)

    assert found.rollouts == []
    assert found.session.find("default", "nightly-1-a") is not None
    assert [task.node for task in found.tasks] == ["n1"]


def test_a_member_that_is_ending_is_replaced_once_it_is_gone():
    cluster = [node("n1", cpu="4"), db(2), member(0), member(1, terminating=True)]
    found = run(cluster, manifests=[db(2, **OTHER)], rollout=RolloutMode.ROLLING)

    assert placements(found) == {"db-1": "n1", "db-0": "n1"}
    assert [(u.updated, u.old, u.stuck) for u in found.rollouts] == [(2, 0, "")]
