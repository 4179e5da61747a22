"""Pods that the API server does not let anybody create: quotas that are full, limits of a namespace."""

from __future__ import annotations

import json

import pytest
from builders import node, pod

_LABELS = {"app": "web"}


def _quota(**hard):
    names = {name.replace("_", "."): value for name, value in hard.items()}
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "default"},
        "spec": {"hard": names},
    }


def _limit_range(**item):
    return {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "limits", "namespace": "default"},
        "spec": {"limits": [{"type": "Container", **item}]},
    }


def _web(replicas, image, cpu="1", **strategy):
    container = {"name": "c", "image": image, "resources": {"requests": {"cpu": cpu}, "limits": {"cpu": cpu}}}
    spec = {
        "replicas": replicas,
        "selector": {"matchLabels": _LABELS},
        "template": {"metadata": {"labels": _LABELS}, "spec": {"containers": [container]}},
    }
    if strategy:
        spec["strategy"] = {"type": "RollingUpdate", "rollingUpdate": strategy}
    metadata = {"name": "web", "namespace": "default"}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}


def _running(count):
    """Pods of the deployment, with the replica set between."""
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "d", "controller": True}
    of_set = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1"}
    labels = _LABELS | {"pod-template-hash": "1"}
    template = _web(count, "i:1")["spec"]["template"] | {"metadata": {"labels": labels}}
    yield _web(count, "i:1") | {"metadata": {"name": "web", "namespace": "default", "uid": "d"}}
    yield {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": "web-1", "namespace": "default", "uid": "u", "ownerReferences": [owner]},
        "spec": {"replicas": count, "selector": {"matchLabels": labels}, "template": template},
    }
    for i in range(count):
        made = pod(f"web-1-{i}", "n1", labels=labels, cpu="1", owner=of_set)
        made["spec"]["containers"] = template["spec"]["containers"]
        yield made


@pytest.fixture
def asked(run, tmp_path):
    """A verb about manifests in a cluster."""

    def ask(verb, manifests, cluster, *options):
        paths = []
        for name, objects in (("release.json", manifests), ("cluster.json", cluster)):
            paths.append(tmp_path / name)
            paths[-1].write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))
        files = ["-f", str(paths[0])] if manifests else []
        done = run(verb, *files, "-c", str(paths[1]), *options)
        return done.code, " ".join(done.out.split())

    return ask


_BOTH = pytest.mark.parametrize("effects", ["in-flight", "immediate"])


@_BOTH
@pytest.mark.parametrize(
    ("quota", "why"),
    [
        pytest.param(_quota(requests_cpu="2"), "(requests.cpu: 2 of 2 used, 1 wanted)", id="requests"),
        pytest.param(_quota(pods="2"), "(pods: 2 of 2 used, 1 wanted)", id="pods"),
    ],
)
def test_a_new_workload_beyond_its_quota(asked, effects, quota, why):
    code, told = asked("simulate", [_web(3, "i:1")], [node("n1", cpu="9"), quota], "--effects", effects)
    assert code == 1
    assert "2 of 3 pods placed, 1 not created" in told
    assert f"waits for room in ResourceQuota default/q {why}" in told


@_BOTH
def test_a_quota_demands_what_containers_do_not_say(asked, effects):
    cluster = [node("n1"), _quota(limits_memory="9Gi")]
    code, told = asked("simulate", [_web(1, "i:1")], cluster, "--effects", effects)
    assert code == 1
    assert "waits for limits.memory of its container c, which ResourceQuota default/q demands" in told


@_BOTH
@pytest.mark.parametrize(
    ("strategy", "code", "text"),
    [
        pytest.param(
            {"maxSurge": 1, "maxUnavailable": 0},
            1,
            "not created: waits for room in ResourceQuota default/q (requests.cpu: 2 of 2 used, 1 wanted)",
            id="a surge that never comes",
        ),
        pytest.param(
            {"maxSurge": 1, "maxUnavailable": 1},
            0,
            "a pod was refused until another one was gone: it waited for room in ResourceQuota default/q",
            id="a surge that comes later",
        ),
        pytest.param({"maxSurge": 0, "maxUnavailable": 1}, 0, "2 new, 0 old left", id="no surge"),
    ],
)
def test_a_rolling_update_in_a_full_namespace(asked, effects, strategy, code, text):
    cluster = [node("n1", cpu="9"), _quota(requests_cpu="2"), *_running(2)]
    release = [_web(2, "i:2", **strategy)]
    found = asked("simulate", release, cluster, "--rollout", "rolling", "--effects", effects)
    assert found[0] == code
    assert text in found[1]


def test_what_is_replaced_first_makes_room(asked):
    cluster = [node("n1", cpu="9"), _quota(requests_cpu="2"), *_running(2)]
    code, told = asked("simulate", [_web(2, "i:2")], cluster)
    assert (code, "all 2 pods placed" in told) == (0, True)


@_BOTH
def test_a_victim_makes_room_in_the_quota_of_its_own(asked, effects):
    urgent = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "u"},
        "value": 9,
    }
    boss = pod("boss", cpu="1", priorityClassName="u")
    cluster = [node("n1", cpu="1"), urgent, _quota(requests_cpu="3"), *_running(1)]
    code, told = asked("simulate", [boss], cluster, "--effects", effects)
    assert (code, "1 running pod preempted" in told) == (1, True)


@pytest.mark.parametrize("verb", ["simulate", "gate"])
@pytest.mark.parametrize(
    ("limits", "why"),
    [
        pytest.param(
            {"max": {"cpu": "500m"}}, "maximum cpu usage per Container is 500m, but limit is 1", id="max"
        ),
        pytest.param(
            {"min": {"cpu": "2"}}, "minimum cpu usage per Container is 2, but request is 1", id="min"
        ),
    ],
)
def test_limits_of_a_namespace(run, asked, tmp_path, verb, limits, why):
    release, cluster = [_web(2, "i:1")], [node("n1"), _limit_range(**limits)]
    code, told = asked("simulate", release, cluster)
    if verb == "gate":
        code, told = _gated(run, tmp_path)
    assert code != 0
    assert why in told


def test_a_gate_sees_full_quotas(run, asked, tmp_path):
    asked("simulate", [_web(3, "i:1")], [node("n1", cpu="9"), _quota(requests_cpu="2")])
    code, told = _gated(run, tmp_path)
    assert code == 1
    assert "is not created: it waits for room in ResourceQuota default/q" in told


def _gated(run, tmp_path):
    """The gate over what was asked before."""
    scenario = {
        "apiVersion": "kschedctl.dev/v1alpha1",
        "kind": "Scenario",
        "metadata": {"name": "s"},
        "cluster": ["cluster.json"],
        "manifests": ["release.json"],
        "expectations": {"schedulable": "manifests"},
    }
    path = tmp_path / "scenario.json"
    path.write_text(json.dumps(scenario))
    done = run("gate", str(path))
    return done.code, " ".join(done.out.split()) + " ".join(done.err.split())


@pytest.mark.parametrize("verb", ["explain", "preempt"])
def test_a_pod_beyond_its_quota_is_no_yes(asked, verb):
    code, told = asked(
        verb, [pod("new", cpu="1")], [node("n1"), pod("runs", "n1", cpu="1"), _quota(pods="1")]
    )
    assert code == 1
    assert told.startswith("✗ default/new goes to n1 once it is created, which a ResourceQuota forbids")
    assert "ResourceQuota default/q allows 1 pods: 1 are used" in told
