"""Gangs as 1.35 has them, parts of a workload whose members wait for each other once they have a node."""

import json

import pytest

OPTIONS = ("--kubernetes-version", "1.35", "--feature-gates", "GenericWorkload=true,GangScheduling=true")
NODE = """\
apiVersion: v1
kind: Node
metadata: {{name: a}}
status: {{allocatable: {{cpu: "{cpu}", memory: 8Gi, pods: "10"}}}}
---
"""
WORKLOAD = """\
apiVersion: scheduling.k8s.io/v1alpha1
kind: Workload
metadata: {{name: w, namespace: default}}
spec: {{podGroups: [{{name: g, policy: {{{policy}}}}}]}}
---
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: {name}, namespace: default}}
spec:
  {more}
  workloadRef: {{name: w, podGroup: g}}
  containers: [{{name: c, image: x, resources: {{requests: {{cpu: 2}}}}}}]
---
"""
GANG = "gang: {minCount: 2}"


@pytest.fixture
def ask(run, tmp_path):
    def answers(*names, cpu, verb="explain", policy=GANG, running=()):
        cluster, gang = tmp_path / "cluster.yaml", tmp_path / "gang.yaml"
        bound = [POD.format(name=name, more="nodeName: a") for name in running]
        cluster.write_text(NODE.format(cpu=cpu) + "".join(bound), encoding="utf-8")
        pods = "".join(POD.format(name=name, more="priority: 0") for name in names)
        gang.write_text(WORKLOAD.format(policy=policy) + pods, encoding="utf-8")
        done = run(verb, str(gang), "-c", str(cluster), *OPTIONS, "-o", "json")
        assert done.err == ""
        report = json.loads(done.out)
        return done.code, {one["pod"]["name"]: one for one in report.get("items", [report])}

    return answers


def test_a_gang_that_has_room_is_placed(ask):
    code, found = ask("p", "q", cpu=4)
    assert code == 0
    group = found["p"]["group"]
    assert (group["kind"], group["name"], group["minimum"]) == ("Workload", "default/w/g", 2)
    assert [member["placed"] for member in group["members"]] == [True, True]


def test_a_member_that_has_a_node_gives_it_back_where_the_gang_is_not_complete(ask):
    code, found = ask("p", "q", cpu=3)
    assert code == 1
    assert (found["p"]["outcome"], found["p"]["selectedNode"]) == ("Unschedulable", None)
    assert (
        found["p"]["event"]["message"]
        == "rejected due to timeout after waiting 5m0s at plugin GangScheduling"
    )
    assert [member["node"] for member in found["p"]["group"]["members"]] == ["a", None]
    assert "Insufficient cpu" in found["q"]["event"]["message"]


def test_running_members_count(ask):
    code, found = ask("q", cpu=4, running=["p"])
    assert (code, found["q"]["selectedNode"], found["q"]["group"]["running"]) == (0, "a", 1)


def test_the_basic_policy_makes_no_gang(ask):
    code, found = ask("p", "q", cpu=3, policy="basic: {}")
    assert (code, found["p"]["group"], found["p"]["selectedNode"]) == (0, None, "a")


def test_they_mean_nothing_to_a_version_that_has_others(run, tmp_path):
    path = tmp_path / "gang.yaml"
    path.write_text(WORKLOAD.format(policy=GANG) + POD.format(name="p", more="priority: 0"), encoding="utf-8")
    cluster = tmp_path / "cluster.yaml"
    cluster.write_text(NODE.format(cpu=4), encoding="utf-8")
    options = ("--kubernetes-version", "1.37", "--feature-gates", "GenericWorkload=true", "-o", "json")
    done = run("explain", str(path), "-c", str(cluster), *options)
    assert (done.code, done.err) == (0, "")
    told = {one["code"]: one["message"] for one in json.loads(done.out)["cluster"]["caveats"]}
    assert told["pod-groups-unknown"].endswith(
        "pods of Kubernetes 1.37 have spec.schedulingGroup, no spec.workloadRef"
    )
    assert "scheduling.k8s.io/v1alpha1 is not there" in told["api-not-served"]


def test_too_few_members_are_gated(ask):
    code, found = ask("p", cpu=4)
    assert (code, found["p"]["outcome"]) == (1, "Gated")


def test_preempt_asks_with_the_others(ask):
    code, found = ask("p", "q", cpu=3, verb="preempt")
    assert code == 1
    assert {one["outcome"] for one in found.values()} == {"Unschedulable"}
    assert found["p"]["group"]["outcome"] == "Unschedulable"
