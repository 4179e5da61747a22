"""What a snapshot could not read is told where an answer hangs on it, and what cannot be judged is no "no"."""

import json

import pytest
from builders import made, node, pod

from kschedctl import CapacityQuestion, DrainQuestion, SimulationQuestion, capacity, drain, simulate
from kschedctl.objects.apps import Deployment
from kschedctl.objects.core import PriorityClass
from kschedctl.objects.kinds import BY_TYPE, KINDS
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.objects.resource import DeviceClass, DeviceTaintRule, ResourceSlice
from kschedctl.objects.storage import CsiNode, PersistentVolume, PersistentVolumeClaim
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.explain import explain_pod
from kschedctl.questions.preempt import preempt_pod
from kschedctl.questions.scheduler import scheduler_of
from kschedctl.reports.caveats.not_judged import not_judged
from kschedctl.reports.explain.sentences import verdict
from kschedctl.reports.preempt.sentences import verdict as preempt_verdict
from kschedctl.reports.simulate.sentences import verdict as simulation_verdict
from kschedctl.sources import access
from kschedctl.sources.snapshot import Header, Snapshot
from kschedctl.sources.snapshot_writer import save_snapshot
from kschedctl.whatif.world.changes import Scale

NODES = (node("a"), node("b"))
VOLUMES = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
CLAIMS = [{"name": "c", "resourceClaimName": "c"}]
EVERYTHING = tuple(kind.type for kind in KINDS if kind.type not in (Node, Pod))
UNREAD = "persistentvolumeclaims could not be read (Forbidden)"


@pytest.fixture
def load(tmp_path, monkeypatch):
    """A function that loads a snapshot of objects in which some kinds were forbidden."""
    monkeypatch.chdir(tmp_path)

    def load_snapshot(missing, *objects):
        entries = tuple(access.forbidden(BY_TYPE[type_], "no") for type_ in missing)
        save_snapshot(Snapshot(Header(missing=entries), [made(obj) for obj in objects]), "s.json")
        return Cluster.load("s.json")

    return load_snapshot


def told(report):
    """The caveats about kinds that could not be read."""
    return [(c.message, c.may_change_answer) for c in report.cluster.caveats if c.code == "kind-missing"]


def explained(cluster, candidate):
    return explain_pod(cluster, made(candidate))


class TestCaveats:
    @pytest.mark.parametrize(
        ("kind", "fields"),
        [
            pytest.param(PersistentVolumeClaim, {"volumes": VOLUMES}, id="claims"),
            pytest.param(CsiNode, {"volumes": VOLUMES}, id="nodes of drivers, where claims are unknown too"),
            pytest.param(ResourceSlice, {"resourceClaims": CLAIMS}, id="devices"),
            pytest.param(DeviceClass, {"more": {"example.com/gpu": "1"}}, id="extended resources"),
        ],
    )
    def test_a_kind_is_told_of_pods_that_read_it_alone(self, load, kind, fields):
        cluster = load((PersistentVolumeClaim, CsiNode, ResourceSlice, DeviceClass), *NODES)
        resource = access.resource_of(BY_TYPE[kind])
        messages = [message for message, grave in told(explained(cluster, pod("p", **fields))) if grave]
        assert len(messages) == 1
        assert resource in messages[0]
        assert told(explained(cluster, pod("p", cpu="1"))) == []

    def test_many_kinds_are_one_caveat(self, load):
        cluster = load(EVERYTHING, *NODES)
        caveats = told(explained(cluster, pod("p", volumes=VOLUMES, resourceClaims=CLAIMS)))
        assert len(caveats) == 1
        message, grave = caveats[0]
        assert grave
        assert "kinds could not be read (Forbidden). " in message
        assert "persistentvolumeclaims: pods with claims are refused" in message
        assert message.count("pods with volumes may be refused") == 1

    def test_each_reason_is_told(self, load):
        cluster = load((PersistentVolumeClaim,), *NODES)
        other = access.unavailable(BY_TYPE[PersistentVolume], "503")
        header = cluster.headers[0]
        save_snapshot(Snapshot(Header(missing=(*header.missing, other)), [made(n) for n in NODES]), "s.json")
        messages = [
            message for message, _ in told(explained(Cluster.load("s.json"), pod("p", volumes=VOLUMES)))
        ]
        assert [("Forbidden" in m, "Unavailable" in m) for m in messages] == [(True, False), (False, True)]

    def test_rules_that_taint_devices_matter_where_the_gate_is_on(self, load):
        candidate = made(pod("p", resourceClaims=CLAIMS))
        load((DeviceTaintRule,), *NODES)
        for on in (True, False):
            scheduler = scheduler_of(version="1.36", gates={"DRADeviceTaintRules": on})
            cluster = Cluster.load("s.json", scheduler=scheduler)
            assert bool(told(explain_pod(cluster, candidate))) is on

    def test_workloads_matter_where_some_are_changed(self, load):
        deployment = {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": {}},
        }
        cluster = load((Deployment,), *NODES, deployment, pod("p", cpu="1"))
        assert told(simulate(cluster)) == []
        changed = simulate(cluster, SimulationQuestion(changes=[Scale("replicaset/web", 0)]))
        assert [grave for _, grave in told(changed)] == [True]


class TestNotJudged:
    def test_a_pod_that_fits_nowhere_for_the_lack_of_rights(self, load):
        report = explained(load(EVERYTHING, *NODES), pod("p", volumes=VOLUMES))
        assert report.outcome == "Unschedulable"
        (message,) = not_judged(report.cluster)
        assert message == (
            "default/p cannot be judged: persistentvolumeclaims, persistentvolumes, storageclasses.storage.k8s.io "
            "and 5 more could not be read (Forbidden)"
        )
        assert verdict(report) == "default/p cannot be judged: what its answer hangs on could not be read"

    @pytest.mark.parametrize(
        ("missing", "fields"),
        [
            pytest.param((PersistentVolumeClaim,), {"cpu": "99"}, id="too big"),
            pytest.param(
                (DeviceClass,),
                {"cpu": "99", "more": {"example.com/gpu": "1"}},
                id="too big, whatever devices",
            ),
            pytest.param((DeviceClass,), {"volumes": VOLUMES}, id="for what can be read"),
        ],
    )
    def test_a_pod_that_fits_nowhere_all_the_same(self, load, missing, fields):
        report = explained(load(missing, *NODES), pod("p", **fields))
        assert report.outcome == "Unschedulable"
        assert not_judged(report.cluster) == []

    def test_devices_behind_an_extended_resource(self, load):
        report = explained(load((DeviceClass,), *NODES), pod("p", more={"example.com/gpu": "1"}))
        assert len(not_judged(report.cluster)) == 1

    def test_a_pod_that_fits_is_judged(self, load):
        report = explained(load(EVERYTHING, *NODES), pod("p", cpu="1"))
        assert report.scheduled
        assert not_judged(report.cluster) == []

    def test_a_class_that_could_not_be_read(self, load):
        report = explained(load((PriorityClass,), *NODES), pod("p", priorityClassName="high"))
        assert report.outcome == "Invalid"
        assert not_judged(report.cluster) == [
            "default/p cannot be judged: priorityclasses.scheduling.k8s.io could not be read (Forbidden)"
        ]

    def test_preemption(self, load):
        report = preempt_pod(load((PersistentVolumeClaim,), *NODES), made(pod("p", volumes=VOLUMES)))
        assert not_judged(report.cluster) == [f"default/p cannot be judged: {UNREAD}"]
        assert "cannot be judged" in preempt_verdict(report)

    def test_a_simulation(self, load):
        pods = [pod(f"p{i}", volumes=VOLUMES) for i in range(3)]
        report = simulate(load((PersistentVolumeClaim,), *NODES, *pods, pod("q", cpu="1")))
        assert report.not_judged == ["default/p0", "default/p1", "default/p2"]
        assert report.undecided
        assert simulation_verdict(report) == "1 of 4 pods placed, 3 not judged"
        assert not_judged(report.cluster) == [
            f"default/p0, default/p1, default/p2 cannot be judged: {UNREAD}"
        ]

    def test_a_pod_that_fits_nowhere_for_certain_decides(self, load):
        pods = [pod("p", volumes=VOLUMES), pod("q", cpu="99")]
        report = simulate(load((PersistentVolumeClaim,), *NODES, *pods))
        assert not report.undecided
        assert simulation_verdict(report) == "0 of 2 pods placed, 1 stays pending, 1 not judged"

    def test_a_drain(self, load):
        owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web"}
        cluster = load((PersistentVolumeClaim,), *NODES, pod("p", "a", volumes=VOLUMES, owner=owner))
        report = drain(cluster, DrainQuestion(nodes=["a"]))
        assert len(report.not_judged) == 1
        assert report.undecided

    def test_capacity(self, load, tmp_path):
        cluster = load((PersistentVolumeClaim,), *NODES)
        (tmp_path / "p.json").write_text(json.dumps(pod("p", volumes=VOLUMES)))
        report = capacity(cluster, CapacityQuestion(manifests=["p.json"]))
        assert report.sets == 0
        assert len(not_judged(report.cluster)) == 1
