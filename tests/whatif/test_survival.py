"""Failures after a simulation, and the cluster that is left of it."""

from kschedctl.objects.pod import Pod
from kschedctl.objects.storage import PersistentVolume, PersistentVolumeClaim
from kschedctl.observer import Silent
from kschedctl.parallel import Workers
from kschedctl.whatif.disruption.survival import FailureUnit, fatal_losses
from kschedctl.whatif.simulate import SimulationResult, settled_session
from kschedctl.whatif.world.world import PodOrigin

from .builders import Data, controlled, node, pod, replica, run, workload

ZONE = "topology.kubernetes.io/zone"


def lost_nodes(found: SimulationResult, at_once: int = 1) -> list[tuple[str, ...]]:
    session = settled_session(found)
    return [
        loss.failed for loss in fatal_losses(FailureUnit.NODES, session, found.world.workload_of, at_once)
    ]


def lost_zones(found: SimulationResult) -> list[tuple[str, ...]]:
    session = settled_session(found)
    return [loss.failed for loss in fatal_losses(FailureUnit.ZONES, session, found.world.workload_of, 1)]


def test_a_node_whose_pods_fit_elsewhere_may_fail():
    cluster = [
        node("n1", cpu="4"),
        node("n2", cpu="2"),
        replica("a", "n1", cpu="2"),
        replica("b", "n2", cpu="1"),
    ]
    found = run(cluster)

    assert lost_nodes(found) == [("n1",)]


def test_two_nodes_at_once_by_hand():
    cluster = [node(f"n{i}", cpu="2") for i in range(4)]
    cluster += [replica(f"p{i}", f"n{i}", cpu="1") for i in range(4)]

    assert lost_nodes(run(cluster), 2) == []
    assert len(lost_nodes(run(cluster), 3)) == 4


def test_several_processes_try_the_same():
    cluster = [node(f"n{i}", cpu="4" if i else "8") for i in range(5)]
    cluster += [replica(f"p{i}", f"n{i}", cpu="3" if i % 2 else "1") for i in range(5)]
    found = run(cluster)
    session = settled_session(found)

    def told(workers):
        losses = fatal_losses(FailureUnit.NODES, session, found.world.workload_of, 3, workers=workers)
        return [(loss.failed, [task.name for task in loss.pending]) for loss in losses]

    alone = told(Workers(1))
    assert 0 < len(alone) < 10
    assert told(Workers(2)) == alone


def test_daemons_static_and_bare_pods_are_not_made_anew():
    static = pod("static", "n1", cpu="4")
    static["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
    cluster = [
        node("n1"),
        node("n2"),
        static,
        pod("agent", "n1", owner=controlled("DaemonSet", "agent")),
        pod("bare", "n2", cpu="4"),
    ]

    assert lost_nodes(run(cluster)) == []


def test_victims_of_those_that_move_count():
    cluster = [
        node("n1", cpu="2"),
        node("n2", cpu="2"),
        replica("high", "n1", cpu="2", priority=10),
        replica("low", "n2", owner="low-abc", cpu="2", priority=1),
    ]

    assert lost_nodes(run(cluster)) == [("n1",), ("n2",)]


def test_the_cluster_is_left_as_it_was():
    found = run([node("n1"), node("n2"), replica("a", "n1", cpu="1")], manifests=[pod("new", cpu="1")])
    session = settled_session(found)
    before = session.cluster.usage.requested.copy()

    assert list(fatal_losses(FailureUnit.NODES, session, found.world.workload_of, 1)) == []
    assert (session.cluster.usage.requested == before).all()
    assert session.cluster.nodes.count == 2


def test_nodes_without_a_zone_stay():
    cluster = [
        node("n1", "a", cpu="2"),
        node("n2", cpu="2"),
        replica("p", "n2", cpu="2"),
        replica("q", "n1", cpu="1"),
    ]

    assert lost_zones(run(cluster)) == [("a",)]


def _storage_class(provisioner: str = "csi.example.com") -> Data:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "fast"},
        "provisioner": provisioner,
        "volumeBindingMode": "WaitForFirstConsumer",
    }


CLAIM = {
    "metadata": {"name": "data"},
    "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast"},
}


def _csi_node(name: str, keys: list[str]) -> Data:
    driver = {"name": "csi.example.com", "nodeID": name, "topologyKeys": keys}
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSINode",
        "metadata": {"name": name},
        "spec": {"drivers": [driver]},
    }


def test_a_new_volume_stays_in_the_zone_of_its_first_pod():
    release = [workload("StatefulSet", "db", 1, volumeClaimTemplates=[CLAIM])]
    nodes = [node("n1", "a"), node("n2", "a"), node("n3", "b", cpu="500m")]
    found = run([*nodes, _storage_class()], manifests=release)

    assert lost_nodes(found) == []
    assert lost_zones(found) == [("a",)]
    settled = settled_session(found)
    (claim,) = settled.cluster.objects.all(PersistentVolumeClaim).values()
    volume = settled.cluster.objects.find(PersistentVolume, claim.spec.volume_name)
    assert volume is not None
    assert volume.spec.claim_ref is not None
    assert volume.spec.claim_ref.name == "data-db-0"


def test_a_driver_may_bind_a_volume_to_its_node_or_to_nothing():
    release = [workload("StatefulSet", "db", 1, volumeClaimTemplates=[CLAIM])]
    nodes = [node("n1", "a"), node("n2", "b", cpu="1")]
    host = [_csi_node(name, ["kubernetes.io/hostname"]) for name in ("n1", "n2")]
    anywhere = [_csi_node(name, []) for name in ("n1", "n2")]

    assert lost_nodes(run([*nodes, _storage_class(), *host], manifests=release)) == [("n1",)]
    assert lost_zones(run([*nodes, _storage_class(), *anywhere], manifests=release)) == []


def test_settled_pods_run():
    found = run(
        [node("n1", cpu="2"), replica("old", "n1", cpu="1")],
        manifests=[pod("new", cpu="1"), pod("no", cpu="9")],
    )
    session = settled_session(found)

    running = {r.name: r.pod.node_name for r in session.cluster.pods.records}
    assert running == {"old": "n1", "new": "n1"}
    assert session.pending() == []
    assert [t.origin for t in found.tasks] == [PodOrigin.NEW, PodOrigin.NEW]
    assert all(isinstance(r.pod.source, Pod) for r in session.cluster.pods.records)


def test_trials_do_not_pile_up():
    count = 6
    cluster = [node(f"n{i}", cpu="2") for i in range(count)]
    cluster += [replica(f"p{i}", f"n{i}", cpu="1") for i in range(count)]
    found = run(cluster)
    session = settled_session(found)

    assert list(fatal_losses(FailureUnit.NODES, session, found.world.workload_of, 3)) == []
    assert len(session.entered) == count
    kept = [seen for seen in range(session.cluster.changes.end) if session.cluster.changes.since(seen)]
    assert len(kept) <= 2 * 64 < session.cluster.changes.end


def test_progress_is_told():
    told = []

    class Told(Silent):
        def progress(self, what: str, done: int, total: int | None) -> None:
            told.append((what, done, total))

    found = run([node(f"n{i}") for i in range(40)])
    assert (
        list(fatal_losses(FailureUnit.NODES, settled_session(found), found.world.workload_of, 1, Told()))
        == []
    )
    assert told == [("failures", 0, 40), ("failures", 16, 40), ("failures", 32, 40)]
