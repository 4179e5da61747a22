"""What is decided otherwise from version to version, each by the smallest case that shows it (spec 06)."""

import pytest
from builders import column, decide, feasible, node, pod, profile, session, told

from kschedctl.framework.versions.v1_34 import VERSION as V1_34
from kschedctl.framework.versions.v1_35 import VERSION as V1_35
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.framework.versions.v1_37 import VERSION as V1_37

DRIVER = "csi.example.com"


def image_volume(name):
    return {"name": name, "image": {"reference": "app:1"}}


@pytest.mark.parametrize(
    ("version", "volumes", "score"),
    [
        pytest.param(V1_35, 1, 0, id="1.35 does not see image volumes"),
        pytest.param(V1_36, 1, 50, id="1.36 adds their sizes"),
        pytest.param(V1_37, 1, 24, id="1.37 counts each like a container"),
    ],
)
def test_image_volumes(version, volumes, score):
    images = [{"names": ["app:1"], "sizeBytes": 512 * 1024 * 1024}]
    asked = session(node("n1", images=images), node("n2", images=images), version=version)
    candidate = pod("p")
    candidate["spec"]["volumes"] = [image_volume(f"v{i}") for i in range(volumes)]
    found = column(decide(asked, candidate), "ImageLocality")
    assert found == {"n1": score, "n2": score}


@pytest.mark.parametrize(
    ("version", "last"),
    [
        pytest.param(V1_36, "Insufficient cpu.", id="1.36 ends after the filters"),
        pytest.param(
            V1_37,
            "Insufficient cpu. preemption: found a potential placement for pod on node n1, preempting 2 victims",
            id="1.37 names node and victims",
        ),
    ],
)
def test_the_event_of_a_pod_that_preempts(version, last):
    there = [pod(f"v{i}", "n1", cpu="2", priority=0) for i in range(2)]
    decision = decide(session(node("n1"), there, version=version), pod("p", cpu="4", priority=9))
    assert decision.event == f"0/1 nodes are available: 1 {last}"


@pytest.mark.parametrize(
    ("version", "middle"),
    [(V1_36, "no new claims to deallocate, preemption:"), (V1_37, "preemption:")],
    ids=str,
)
def test_nothing_to_deallocate_is_not_told_since_1_37(version, middle):
    decision = decide(session(node("n1"), version=version), pod("p", cpu="9"))
    assert f"1 Insufficient cpu. {middle} 0/1 nodes" in decision.event


@pytest.mark.parametrize(
    ("version", "refused"),
    [
        (V1_36, "UnschedulableAndUnresolvable NodeName: node(s) didn't match the requested node name"),
        (V1_37, "UnschedulableAndUnresolvable : node(s) didn't satisfy plugin(s) [NodeName]"),
    ],
    ids=str,
)
def test_a_pod_that_names_its_node(version, refused):
    candidate = pod("p")
    candidate["spec"]["nodeName"] = "n1"
    decision = decide(session(node("n1"), node("n2"), version=version), candidate)
    assert feasible(decision) == ["n1"]
    assert told(decision.status_of(decision.cluster.nodes.row_of["n2"])) == refused


@pytest.mark.parametrize(("version", "violations"), [(V1_36, 2), (V1_37, 1)], ids=str)
def test_a_budget_after_one_that_is_exceeded(version, violations):
    """Budget a covers all and allows none; b covers v1 and v2 and allows one disruption of the two."""

    def budget(name, allowed, **labels):
        return {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": name},
            "spec": {"selector": {"matchLabels": labels}},
            "status": {"disruptionsAllowed": allowed},
        }

    there = [
        pod("v1", "n1", cpu="2", priority=1, labels={"a": "x", "b": "x"}),
        pod("v2", "n1", cpu="2", priority=0, labels={"b": "x"}),
    ]
    budgets = [budget("a", 0, a="x"), budget("b", 1, b="x")]
    decision = decide(session(node("n1"), there, budgets, version=version), pod("p", cpu="4", priority=9))
    assert decision.preemption is not None
    [candidate] = decision.preemption.candidates.values()
    assert candidate.violations == violations


@pytest.mark.parametrize(("version", "fits"), [(V1_36, True), (V1_37, False)], ids=str)
def test_a_namespace_selector_without_a_positive_requirement(version, fits):
    """The only pod to be near runs in a namespace that the selector leaves out."""
    namespace = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "far", "labels": {"env": "prod"}},
    }
    selector = {"matchExpressions": [{"key": "env", "operator": "NotIn", "values": ["prod"]}]}
    term = {
        "topologyKey": "kubernetes.io/hostname",
        "labelSelector": {"matchLabels": {"app": "db"}},
        "namespaceSelector": selector,
    }
    candidate = pod("p")
    candidate["spec"]["affinity"] = {
        "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    }
    there = pod("db", "n1", namespace="far", labels={"app": "db"})
    decision = decide(session(node("n1"), namespace, there, version=version), candidate)
    assert bool(feasible(decision)) is fits


def resized(one, two):
    """A pod of two containers; each is told what its spec asks, and what its status says it has."""
    data = pod("old", "n1")
    data["spec"]["containers"] = [
        {"name": name, "image": "app", "resources": {"requests": {"cpu": wanted}}}
        for name, (wanted, _) in (("a", one), ("b", two))
    ]
    data["status"] = {
        "containerStatuses": [
            {"name": name, "resources": {"requests": {"cpu": has}}, "allocatedResources": {"cpu": has}}
            for name, (_, has) in (("a", one), ("b", two))
        ]
    }
    return data


@pytest.mark.parametrize(("version", "fits"), [(V1_36, False), (V1_37, True)], ids=str)
def test_containers_that_are_resized_in_opposite_directions(version, fits):
    """3 + 3 where the larger figure of each counts, 4 where the larger sum does."""
    asked = session(node("n1", cpu="6"), resized(("1", "3"), ("3", "1")), version=version)
    assert bool(feasible(decide(asked, pod("p", cpu="2")))) is fits


@pytest.mark.parametrize(
    ("version", "insists", "fits"),
    [
        pytest.param(V1_35, False, False, id="1.35: any driver that exists"),
        pytest.param(V1_37, False, True, id="1.37: only one that insists"),
        pytest.param(V1_37, True, False, id="1.37: and does"),
    ],
)
def test_a_driver_that_is_not_on_the_node(version, insists, fits):
    gates = {} if version is V1_37 else {"VolumeLimitScaling": True}
    driver = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSIDriver",
        "metadata": {"name": DRIVER},
        "spec": {"preventPodSchedulingIfMissing": insists},
    }
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "pv"},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteMany"],
            "claimRef": {"namespace": "default", "name": "c"},
            "csi": {"driver": DRIVER, "volumeHandle": "h"},
        },
        "status": {"phase": "Bound"},
    }
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "c", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
        "spec": {
            "volumeName": "pv",
            "accessModes": ["ReadWriteMany"],
            "resources": {"requests": {"storage": "1Gi"}},
        },
        "status": {"phase": "Bound"},
    }
    candidate = pod("p")
    candidate["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]
    asked = session(node("n1"), driver, volume, claim, version=version, gates=gates)
    assert bool(feasible(decide(asked, candidate))) is fits


@pytest.mark.parametrize(("version", "column_is_there"), [(V1_36, False), (V1_37, True)], ids=str)
def test_volume_binding_has_a_column_since_1_37(version, column_is_there):
    decision = decide(session(node("n1"), node("n2"), version=version), pod("p"))
    assert (column(decision, "VolumeBinding") is not None) is column_is_there


def test_volume_binding_without_its_pre_filter_fails_the_cycle_since_1_37():
    off = {"disabled": [{"name": "VolumeBinding"}]}
    config = profile(plugins={"preFilter": off, "filter": off})
    decision = decide(session(node("n1"), node("n2"), config=config, version=V1_37), pod("p"))
    assert decision.message == 'running PreScore plugin "VolumeBinding": not found'


def test_ties_are_drawn_in_1_34_alone():
    assert [v.minor for v in (V1_34, V1_35, V1_36, V1_37) if v.facts.ties_are_random] == ["1.34"]
