"""What is suggested for groups of pods that are scheduled as one."""

from __future__ import annotations

import time

import pytest
from advice_scratch import group_holds
from builders import made, node, pod, session
from gang_builders import GATES, composite, group, members

from kschedctl.advice.groups import group_suggestions
from kschedctl.advice.limits import FULL
from kschedctl.cluster.group_members import GroupMembers
from kschedctl.framework.versions.v1_35 import VERSION as V1_35
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.framework.versions.v1_37 import VERSION as V1_37

_TOPOLOGY = {"TopologyAwareWorkloadScheduling": True}
_OWNED = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web"}


def _advice(objects, pods, *, version=V1_37, gates=None):
    on = GATES.get(version.minor, {}) | dict(gates or {})
    loaded = session(objects, version=version, gates=on, every_failure=True)
    asked = [made(one) for one in pods]
    before = len(loaded.cluster.pods.records)
    found = group_suggestions(loaded, asked[0], asked, limits=FULL)
    assert len(loaded.cluster.pods.records) == before
    assert group_holds(objects, pods, found, loaded) == []
    return found


def _texts(objects, pods, **more):
    return [one.text for one in _advice(objects, pods, **more).found]


def _racks(cpu="2"):
    return [
        node(f"{rack}{i}", zone, cpu=cpu, labels={"rack": rack})
        for rack, zone in (("a", "z1"), ("b", "z1"), ("c", "z2"))
        for i in range(2)
    ]


@pytest.mark.parametrize("version", [V1_36, V1_37], ids=lambda version: version.minor)
def test_a_smaller_minimum_is_the_largest_that_fits(version):
    nodes = [node(f"n{i}", cpu="2") for i in range(3)]
    objects = [*nodes, group("g", 5, version=version.minor)]
    found = _texts(objects, members("g", 5, cpu="2"), version=version)
    assert "minCount <= 3" in found


@pytest.mark.parametrize("version", [V1_36, V1_37], ids=lambda version: version.minor)
def test_a_minimum_of_billions_is_not_gone_through_one_by_one(version):
    objects = [*(node(f"n{i}", cpu="2") for i in range(3)), group("g", 2**31 - 1, version=version.minor)]
    start = time.process_time()
    _advice(objects, members("g", 5, cpu="2"), version=version)
    assert time.process_time() - start < 5


def test_what_every_member_gives_up():
    nodes = [node(f"n{i}", cpu="2") for i in range(2)]
    found = _advice([*nodes, group("g", 4, version="1.37")], members("g", 4, cpu="1500m"))
    (first, *_) = found.found
    assert first.text == "cpu request <= 1 for each of its 4 pods"
    assert [member.name for member in found.alike] == ["g-0", "g-1", "g-2", "g-3"]


def test_members_that_are_written_otherwise_stay_as_they_are():
    objects = [node("n1", cpu="1"), node("n2", cpu="8"), group("g", 3, version="1.37")]
    workers = members("g", 3, cpu="2")
    workers[0] = members("g", 1, cpu="8")[0]
    found = _advice(objects, workers)
    assert [member.name for member in found.alike] == ["g-1", "g-2"]
    assert "cpu request <= 0.5 for each of its 2 pods" in [one.text for one in found.found]


def test_another_topology_key_and_the_room_that_one_domain_lacks():
    objects = [*_racks(), group("g", 3, key="rack", version="1.37")]
    texts = _texts(objects, members("g", 3, cpu="2"), gates=_TOPOLOGY)
    assert "topology key topology.kubernetes.io/zone in place of rack" in texts
    assert "one more node like b0 (rack=b)" in texts
    assert "minCount <= 2" in texts


def test_no_topology_constraint_where_no_other_key_helps():
    objects = [*_racks(), group("g", 5, key="rack", version="1.37")]
    texts = _texts(objects, members("g", 5, cpu="2"), gates=_TOPOLOGY)
    assert "no topology constraint (rack)" in texts


def test_several_nodes_are_opened_together():
    nodes = [node("n1", cpu="2"), *(node(f"n{i}", cpu="2", cordoned=True) for i in (2, 3))]
    texts = _texts([*nodes, group("g", 3, version="1.37")], members("g", 3, cpu="2"))
    assert "n2 uncordoned and n3 uncordoned" in texts


def test_pods_that_leave_are_told_with_their_places():
    nodes = [node("n1", cpu="2"), node("n2", cpu="2"), node("n3", cpu="1", taints=["a:NoSchedule"])]
    tolerates = [{"key": "a", "operator": "Exists"}]
    running = pod("p", "n1", cpu="1", owner=_OWNED, tolerations=tolerates)
    found = _advice([*nodes, running, group("g", 2, version="1.37")], members("g", 2, cpu="2")).found
    one = next(one for one in found if one.text == "default/p moved off n1")
    assert [(move.pod, move.target) for move in one.proof.moves] == [("default/p", "n3")]


def test_too_few_members():
    assert _texts([node("n1"), group("g", 4, version="1.37")], members("g", 2)) == ["minCount <= 2"]


def test_a_gate_of_a_member():
    pods = members("g", 2)
    pods[1]["spec"]["schedulingGates"] = [{"name": "quota"}]
    assert _texts([node("n1"), group("g", 2, version="1.37")], pods) == ["scheduling gate quota removed"]


def test_a_composite_group_of_fewer_groups():
    parents = {"workloadRef": {"workloadName": "w", "templateName": "t"}}
    groups = [group(name, 2, parent="root", version="1.37", **parents) for name in ("a", "b")]
    objects = [node("n1", cpu="2"), composite("root", 2), *groups]
    objects = [
        obj | {"apiVersion": "scheduling.k8s.io/v1alpha3"} if obj["kind"] == "PodGroup" else obj
        for obj in objects
    ]
    pods = [*members("a", 2, cpu="1"), *members("b", 2, cpu="1")]
    assert "minGroupCount <= 1" in _texts(objects, pods, gates=_TOPOLOGY | {"CompositePodGroup": True})


def test_a_gang_of_a_workload_of_1_35():
    workload = {
        "apiVersion": "scheduling.k8s.io/v1alpha1",
        "kind": "Workload",
        "metadata": {"name": "w", "namespace": "default"},
        "spec": {"podGroups": [{"name": "g", "policy": {"gang": {"minCount": 3}}}]},
    }
    reference = {"name": "w", "podGroup": "g"}
    pods = [pod(f"g-{i}", cpu="2", workloadRef=reference) for i in range(3)]
    gates = {"GenericWorkload": True, "GangScheduling": True}
    assert "minCount <= 2" in _texts([node("n1"), workload], pods, version=V1_35, gates=gates)


def test_members_that_wait_in_the_cluster():
    objects = [node("n1", cpu="2"), group("g", 3, version="1.37"), *members("g", 3, cpu="2")]
    loaded = session(objects, version=V1_37, gates=GATES["1.37"], every_failure=True)
    asked = loaded.find("default", "g-1")
    texts = [one.text for one in group_suggestions(loaded, asked, limits=FULL).found]
    assert "minCount <= 1" not in texts  # g-0 would be the one that is placed
    assert "cpu request <= 0.666 for each of its 3 pods" in texts


def test_members_that_were_entered_later_are_counted_once():
    loaded = session(node("n1"), group("g", 4, version="1.37"), version=V1_37, gates=GATES["1.37"])
    records = [loaded.enter(made(one)) for one in members("g", 2)]
    for record in records:
        GroupMembers.of(loaded.cluster).arrive(record)
    assert [one.text for one in group_suggestions(loaded, records[0]).found] == ["minCount <= 2"]


def test_a_group_that_is_placed_gets_none():
    assert _texts([node("n1"), group("g", 2, version="1.37")], members("g", 2)) == []
