"""Groups of pods in the verbs about many pods: all of minCount members, or none."""

import json
from pathlib import Path

import pytest

STORED = Path(__file__).parent / "golden"
CLUSTER = ("-c", "fixtures/gang/cluster.yaml")
TOPOLOGY = ("--feature-gates", "TopologyAwareWorkloadScheduling=true")

pytestmark = pytest.mark.usefixtures("in_the_root")


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("too-big", ("simulate", "-f", "fixtures/gang/too-big.yaml", *CLUSTER), 1),
        ("preempts", ("simulate", "-f", "fixtures/gang/preempts.yaml", *CLUSTER), 0),
        ("job", ("simulate", "-f", "fixtures/gang/job.yaml", *CLUSTER, *TOPOLOGY), 1),
        ("too-few", ("simulate", "-f", "fixtures/gang/too-few.yaml", *CLUSTER), 1),
    ],
)
def test_a_simulation_is_printed_as_stored(run, golden, name, arguments, code):
    done = run(*arguments)
    assert (done.code, done.err) == (code, "")
    golden(STORED / f"simulate-gang-{name}.txt", done.out)


def groups_of(run, *arguments: str):
    report = json.loads(run(*arguments, "-o", "json").out)
    codes = {caveat["code"] for caveat in report["cluster"]["caveats"]}
    return report["groups"], codes


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("fits", {"minCount": 2, "wanted": 3, "placed": 3, "running": 0, "message": ""}),
        ("too-big", {"minCount": 4, "wanted": 4, "placed": 0, "running": 0}),
        ("no-group", {"name": "ml/nowhere", "exists": False, "minCount": None, "wanted": 1, "placed": 0}),
    ],
)
def test_groups_are_told_in_json(run, name, told):
    groups, codes = groups_of(run, "simulate", "-f", f"fixtures/gang/{name}.yaml", *CLUSTER)
    assert len(groups) == 1
    assert told.items() <= groups[0].items()
    assert "pod-groups-not-evaluated" not in codes


@pytest.mark.parametrize("version", ["1.36", "1.37"])
def test_where_nobody_may_preempt_a_group_does_not(run, version):
    gates = ["GenericWorkload"] + (["GangScheduling", "WorkloadAwarePreemption"] if version == "1.36" else [])
    switches = ",".join(f"{gate}=true" for gate in gates)
    options = ("--no-preemption", "--kubernetes-version", version, "--feature-gates", switches)
    done = run("simulate", "-f", "fixtures/gang/preempts.yaml", *CLUSTER, *options, "-o", "json")
    report = json.loads(done.out)
    assert (report["evictions"], report["groups"][0]["placed"]) == ([], 0)


def test_with_immediate_effects_groups_are_not_looked_at(run):
    arguments = ("simulate", "-f", "fixtures/gang/too-big.yaml", *CLUSTER, "--effects", "immediate")
    groups, codes = groups_of(run, *arguments)
    assert groups == []
    assert "pod-groups-not-evaluated" in codes


def test_a_drain_places_members_anew(run):
    """Members that nothing controls are gone for good; none of their group waits."""
    groups, codes = groups_of(run, "drain", "a1", *CLUSTER, "--force")
    assert groups == []
    assert "pod-groups-not-evaluated" not in codes


WORKLOAD = """\
apiVersion: scheduling.k8s.io/v1alpha1
kind: Workload
metadata: {{name: w, namespace: default}}
spec: {{podGroups: [{{name: g, policy: {{gang: {{minCount: {count}}}}}}}]}}
---
"""
WORKER = """\
apiVersion: v1
kind: Pod
metadata: {{name: g-{i}, namespace: default}}
spec: {{workloadRef: {{name: w, podGroup: g}}, containers: [{{name: c, image: x}}]}}
---
"""


@pytest.mark.parametrize(
    ("count", "code"), [pytest.param(2, 0, id="enough"), pytest.param(3, 1, id="too few")]
)
def test_gangs_of_1_35_are_followed(run, tmp_path, count, code):
    path = tmp_path / "gang.yaml"
    path.write_text(
        WORKLOAD.format(count=count) + "".join(WORKER.format(i=i) for i in range(2)), encoding="utf-8"
    )
    gates = ("--kubernetes-version", "1.35", "--feature-gates", "GenericWorkload=true,GangScheduling=true")
    done = run("simulate", "-f", str(path), "-c", "fixtures/quickstart/cluster.yaml", *gates, "-o", "json")
    assert (done.code, done.err) == (code, "")
    assert "pod-groups-not-evaluated" not in done.out


GATE = """\
apiVersion: kschedctl.dev/v1alpha1
kind: Scenario
metadata: {{name: gang}}
cluster: [{gang}/cluster.yaml]
manifests: [{gang}/{name}.yaml]
expectations: {{maxPending: 0}}
"""


@pytest.mark.parametrize(("name", "code"), [("fits", 0), ("too-big", 1)])
def test_a_gate_takes_a_group_as_one(run, tmp_path, name, code):
    path = tmp_path / "gate.yaml"
    path.write_text(GATE.format(name=name, gang=Path("fixtures/gang").absolute()))
    done = run("gate", str(path), "-o", "json")
    report = json.loads(done.out)
    assert done.code == code, report
    placed = report["scenarios"][0]["simulation"]["placed"]
    assert placed == (3 if name == "fits" else 0)


CATALOGUE = """\
apiVersion: kschedctl.dev/v1alpha1
kind: Catalogue
shapes:
- name: standard
  node: {status: {allocatable: {cpu: "4", memory: 16Gi, pods: "110"}}}
  pricePerHour: 0.2
"""


def test_nodes_are_bought_for_a_whole_group(run, tmp_path):
    path = tmp_path / "catalogue.yaml"
    path.write_text(CATALOGUE, encoding="utf-8")
    done = run("plan", "-f", "fixtures/gang/too-big.yaml", *CLUSTER, "--catalogue", str(path))
    assert (done.code, done.err) == (0, "")
    assert "2 nodes for 0.40 an hour take all 4 pods" in done.out
    assert "is not evaluated" not in done.out


def test_two_versions_are_compared_with_their_groups(run):
    gates = ("--feature-gates", "GenericWorkload=true")
    versions = ("--kubernetes-version", "1.36", "--to-version", "1.37")
    done = run("compare", "fixtures/gang/too-big.yaml", *CLUSTER, *versions, *gates)
    assert done.err == ""
    assert "1 pod finds no node any more" in done.out
    assert "is not evaluated" not in done.out
