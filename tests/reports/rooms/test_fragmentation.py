"""Of what use free room is: figures by hand."""

import json

import pytest
from builders import node, pod

from kschedctl import Cluster, SimulationQuestion, simulate
from kschedctl.reports.document import wanted
from kschedctl.reports.medium import FULL, Medium
from kschedctl.reports.rooms.fragmentation_blocks import fragmentation_blocks

GPU = "nvidia.com/gpu"
TYPE = "node.kubernetes.io/instance-type"


def replica(name, on="", **more):
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r"}
    return pod(name, on, owner=owner, **more)


def found(tmp_path, *data, **question):
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(data)}))
    return simulate(Cluster.load(str(path)), SimulationQuestion(**question))


def group(report, by, name=""):
    (one,) = [g for g in report.fragmentation.groups if (g.by, g.name) == (by, name)]
    return one


def test_what_is_allocated_and_stranded_by_zone_pool_and_shape(tmp_path):
    report = found(
        tmp_path,
        node("n1", "a", cpu="4", memory="8Gi", labels={TYPE: "small"}),
        node("n2", "b", cpu="8", memory="16Gi", labels={TYPE: "large"}),
        replica("full", "n1", cpu="4", memory="2Gi"),
        replica("half", "n2", cpu="4", memory="2Gi"),
        replica("comes", cpu="2", memory="1Gi"),
    )

    whole = group(report, "cluster")
    assert (whole.nodes, whole.allocatable["cpu"], whole.before["cpu"], whole.after["cpu"]) == (
        2,
        12000,
        8000,
        10000,
    )
    assert whole.stranded == whole.stranded_before == {"memory": 6 * 2**30, "pods": 109}
    assert group(report, "zone", "a").stranded["memory"] == 6 * 2**30
    assert group(report, "zone", "b").stranded == {}
    assert group(report, "pool", "large").after["cpu"] == 6000
    assert group(report, "shape", "8 cpu, 16Gi memory").after["cpu"] == 6000


def test_how_many_of_each_size_fit(tmp_path):
    daemon = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d"}
    report = found(
        tmp_path,
        node("n1", cpu="4", memory="8Gi"),
        node("n2", cpu="4", memory="8Gi"),
        pod("daemon", "n1", cpu="500m", owner=daemon),
        replica("a", "n1", cpu="1500m"),
        replica("b", "n2", cpu="1500m"),
        replica("waits", cpu="5"),
    )

    waits, runs = report.fragmentation.sizes
    assert (waits.requests, waits.pending, waits.running) == ({"cpu": 5000}, 1, 0)
    # 2 and 2.5 cores are left: one each of 1.5 cores, three in one piece of 4.5 cores
    assert (runs.requests, runs.running, runs.pending) == ({"cpu": 1500}, 2, 0)
    assert (runs.before, runs.after, runs.nodes, runs.in_one_piece) == (2, 2, 2, 3)


def test_free_devices_that_no_pending_pod_can_use(tmp_path):
    report = found(
        tmp_path,
        node("g1", cpu="4", more={GPU: "4"}),
        node("g2", cpu="4", more={GPU: "2"}),
        node("plain", cpu="4"),
        replica("eats", "g1", cpu="3500m"),
        replica("some", "g2", cpu="1", more={GPU: "1"}),
        replica("trains", cpu="1", more={GPU: "2"}),
    )

    assert report.fragmentation.useless == {GPU: 5}
    (facts,) = wanted(fragmentation_blocks(report.fragmentation), Medium.TABLE)
    assert facts.facts[0].texts == [
        f"5 {GPU} are free on nodes on which no pending pod that asks for some has room"
    ]


def test_a_pending_pod_that_could_use_them_leaves_them_of_use(tmp_path):
    report = found(
        tmp_path,
        node("g1", cpu="4", more={GPU: "4"}),
        replica("far", cpu="1", more={GPU: "2"}, nodeSelector={"not": "there"}),
    )

    assert report.pending
    assert report.fragmentation.useless == {}


def test_nodes_that_come_and_go(tmp_path):
    from kschedctl.whatif.world.changes import AddNode, RemoveNode

    report = found(
        tmp_path,
        node("n1", cpu="4"),
        node("n2", cpu="4"),
        replica("a", "n1", cpu="1"),
        changes=[RemoveNode("n2"), AddNode(2, like="n1", name="new")],
    )

    whole = group(report, "cluster")
    assert (whole.nodes, whole.allocatable_before["cpu"], whole.allocatable["cpu"]) == (3, 8000, 12000)
    (size,) = report.fragmentation.sizes
    assert (size.before, size.after) == (7, 11)


@pytest.mark.parametrize("medium", sorted(FULL))
def test_in_full_there_are_tables(tmp_path, medium):
    report = found(
        tmp_path,
        node("n1", cpu="4"),
        node("n2", cpu="8"),
        replica("full", "n1", cpu="4"),
        replica("waits", cpu="9"),
    )

    titles = [table.columns[0].title for table in wanted(fragmentation_blocks(report.fragmentation), medium)]
    assert titles == ["shape", "stranded", "pod size"]
    assert not list(wanted(fragmentation_blocks(report.fragmentation), Medium.TABLE))
    assert not list(fragmentation_blocks(None))
