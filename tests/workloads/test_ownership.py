import pytest

from kschedctl.workloads import Ownership, PodGroups, WorkloadKey

from .builders import all_from_yaml, from_yaml

OBJECTS = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {selector: {matchLabels: {app: web}}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-abc, ownerReferences: [{kind: Deployment, name: web, controller: true}]}
spec: {selector: {matchLabels: {app: web}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: nightly-7, ownerReferences: [{kind: CronJob, name: nightly, controller: true}]}
"""

OF_CUSTOM_RESOURCE = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: prom, ownerReferences: [{kind: Prometheus, name: main, controller: true}]}
"""


def _pod(owner: str = "", labels: str = "{}", namespace: str = "default"):
    owners = f"ownerReferences: [{owner}]" if owner else "ownerReferences: []"
    return from_yaml(
        f"{{apiVersion: v1, kind: Pod, metadata: {{name: p, namespace: {namespace}, labels: {labels}, {owners}}}}}"
    )


@pytest.mark.parametrize(
    ("owner", "labels", "root"),
    [
        pytest.param("", "{}", ("Pod", "p"), id="nothing controls it"),
        pytest.param(
            "{kind: ReplicaSet, name: web-abc, controller: true}", "{}", ("Deployment", "web"), id="chain"
        ),
        pytest.param(
            "{kind: ReplicaSet, name: api-5d9, controller: true}",
            "{pod-template-hash: 5d9}",
            ("Deployment", "api"),
            id="the replica set is not in the input",
        ),
        pytest.param(
            "{kind: ReplicaSet, name: alone, controller: true}", "{}", ("ReplicaSet", "alone"), id="no hash"
        ),
        pytest.param(
            "{kind: Job, name: nightly-7, controller: true}", "{}", ("CronJob", "nightly"), id="cron job"
        ),
        pytest.param("{kind: ReplicaSet, name: web-abc}", "{}", ("Pod", "p"), id="owner without control"),
    ],
)
def test_root(owner, labels, root):
    found = Ownership(all_from_yaml(OBJECTS)).root(_pod(owner, labels))

    assert found == WorkloadKey(root[0], "default", root[1])


def test_orphans_belong_to_the_workload_that_selects_them():
    objects = all_from_yaml(OBJECTS)
    mine = _pod(labels="{app: web}")
    others = [_pod(labels="{app: db}"), _pod(labels="{app: web}", namespace="other")]
    foreign = _pod("{kind: StatefulSet, name: s, controller: true}", "{app: web}")

    groups = PodGroups(Ownership(objects), [*others, foreign, mine])

    assert groups.of(objects[0]) == [mine]
    groups.drop(mine)
    assert groups.of(objects[0]) == []


def test_owned_pods_are_found_through_the_replica_set():
    objects = all_from_yaml(OBJECTS)
    pod = _pod("{kind: ReplicaSet, name: web-abc, controller: true}")

    assert PodGroups(Ownership(objects), [pod]).of(objects[0]) == [pod]


@pytest.mark.parametrize(
    ("owner", "kind", "name"),
    [
        pytest.param("ReplicaSet, name: web-abc", "ReplicaSet", "web-abc", id="replica set of a deployment"),
        pytest.param("Job, name: nightly-7", "Job", "nightly-7", id="job of a cron job"),
        pytest.param("StatefulSet, name: prom", "StatefulSet", "prom", id="set of a custom resource"),
    ],
)
def test_a_workload_that_has_a_controller_keeps_its_pods(owner, kind, name):
    objects = all_from_yaml(f"{OBJECTS}---\n{OF_CUSTOM_RESOURCE}")
    mine = next(obj for obj in objects if (obj.kind, obj.name) == (kind, name))
    pod = _pod(f"{{kind: {owner}, controller: true}}")
    groups = PodGroups(Ownership(objects), [pod])

    assert groups.of(mine) == [pod]
    groups.drop(pod)
    assert groups.of(mine) == []


def test_a_ring_of_owners_ends():
    ring = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: a, ownerReferences: [{kind: StatefulSet, name: a, controller: true}]}
"""
    chain = Ownership(all_from_yaml(ring)).chain(_pod("{kind: StatefulSet, name: a, controller: true}"))

    assert set(chain) == {WorkloadKey("StatefulSet", "default", "a")}
