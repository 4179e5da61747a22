"""Which kinds that a plain input lacks are told, and whether they could turn the answer round."""

import json

import pytest
from builders import made, node, pod

from kschedctl import CapacityQuestion, DrainQuestion, SimulationQuestion, capacity, drain, simulate
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.explain import explain, explain_pod
from kschedctl.questions.gate import gate
from kschedctl.questions.scheduler import scheduler_of
from kschedctl.sources.snapshot import Header, Snapshot
from kschedctl.sources.snapshot_writer import save_snapshot
from kschedctl.whatif.world.changes import AddNode, DrainNodes

SMALL, BIG = {"cpu": "1"}, {"cpu": "4"}
NODES = [node("a"), node("b")]
HOSTS = "kubernetes.io/hostname"


def thing(kind, name="x", version="v1", namespace=None, **fields):
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **fields}


def budget(name="x"):
    return thing(
        "PodDisruptionBudget", name, "policy/v1", "default", spec={"selector": {"matchLabels": {"no": "no"}}}
    )


def replica_set(name="web-1", image="a"):
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "a", "image": image}]},
    }
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    return thing("ReplicaSet", name, "apps/v1", "default", spec=spec)


def owned(name, on="", kind="ReplicaSet", **more):
    owner = {"apiVersion": "apps/v1", "kind": kind, "name": "web-1"}
    return pod(name, on, labels={"app": "web"}, owner=owner, **more)


def affinity(selector, kind="podAffinity", labels=None):
    term = {
        "topologyKey": HOSTS,
        "namespaceSelector": selector,
        "labelSelector": {"matchLabels": labels or {}},
    }
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def preferred(selector):
    term = {"topologyKey": HOSTS, "namespaceSelector": selector, "labelSelector": {}}
    return {
        "podAntiAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": term}]
        }
    }


CLAIM = thing(
    "PersistentVolumeClaim",
    "data",
    namespace="default",
    spec={"volumeName": "pv", "accessModes": ["ReadWriteOnce"], "storageClassName": ""},
    status={"phase": "Bound"},
)
CLAIM["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
VOLUMES = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]


def volume(**source):
    reference = {"kind": "PersistentVolumeClaim", "namespace": "default", "name": "data"}
    return thing(
        "PersistentVolume", "pv", spec={"claimRef": reference, "accessModes": ["ReadWriteOnce"], **source}
    )


CSI = volume(csi={"driver": "csi.example.com", "volumeHandle": "h"})
TEAM = {"matchLabels": {"team": "red"}}


@pytest.fixture
def load(tmp_path, monkeypatch):
    """A function that writes objects into a plain file and loads it."""
    monkeypatch.chdir(tmp_path)

    def load_objects(*objects, **options):
        (tmp_path / "cluster.json").write_text(
            json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
        )
        return Cluster.load("cluster.json", **options)

    return load_objects


def told(summary):
    """Of each caveat about an absent kind: the kind, and whether it may change the answer."""
    found = [c for c in summary.caveats if c.code == "kind-absent"]
    assert all(c.message.startswith("no ") for c in found)
    return {c.message.split()[1]: c.may_change_answer for c in found}


FULL = [pod("low", "a", **BIG), pod("low-2", "b", **BIG)]

EXPLAINED = [
    pytest.param([], pod("p"), {}, id="nothing is read"),
    pytest.param([pod("q", labels={"app": "web"})], pod("p", labels={"app": "web"}), {}, id="labels alone"),
    pytest.param(FULL, pod("p", priority=9, **SMALL), {"PodDisruptionBudget": False}, id="victims"),
    pytest.param([*FULL, budget()], pod("p", priority=9, **SMALL), {}, id="victims, and some budget"),
    pytest.param(FULL, pod("p", **SMALL), {}, id="nobody to preempt"),
    pytest.param([], pod("p", affinity=affinity(TEAM)), {"Namespace": True}, id="affinity to namespaces"),
    pytest.param([], pod("p", affinity=preferred(TEAM)), {"Namespace": True}, id="preferred"),
    pytest.param([], pod("p", affinity=affinity({})), {}, id="affinity to every namespace"),
    pytest.param([], pod("p", affinity=affinity(None)), {}, id="affinity to the own namespace"),
    pytest.param([thing("Namespace", "default")], pod("p", affinity=affinity(TEAM)), {}, id="some namespace"),
    pytest.param(
        [pod("q", "a", affinity=affinity(TEAM, "podAntiAffinity", {"app": "web"}))],
        pod("p", labels={"app": "web"}),
        {"Namespace": True},
        id="another pod keeps pods of namespaces away",
    ),
    pytest.param(
        [pod("q", "a", affinity=affinity(TEAM, "podAntiAffinity", {"app": "web"}))],
        pod("p", labels={"app": "other"}),
        {},
        id="another pod keeps others away",
    ),
    pytest.param([CLAIM, CSI], pod("p", volumes=VOLUMES), {"CSINode": True}, id="an attached volume"),
    pytest.param(
        [CLAIM, CSI, thing("CSINode", "a", "storage.k8s.io/v1", spec={"drivers": []})],
        pod("p", volumes=VOLUMES),
        {},
        id="an attached volume, and some CSINode",
    ),
    pytest.param(
        [CLAIM, volume(hostPath={"path": "/"})], pod("p", volumes=VOLUMES), {}, id="nothing is attached"
    ),
    pytest.param([], pod("p", volumes=VOLUMES), {}, id="a claim that is refused by name"),
    pytest.param(
        [],
        pod("p", resourceClaims=[{"name": "gpu", "resourceClaimName": "gpu"}]),
        {"ResourceSlice": True},
        id="devices",
    ),
    pytest.param([], owned("p"), {"ReplicaSet": False}, id="spread along with a replica set"),
    pytest.param([], owned("p", kind="StatefulSet"), {"StatefulSet": False}, id="a stateful set"),
    pytest.param([], owned("p", kind="DaemonSet"), {}, id="spread by no daemon set"),
    pytest.param([replica_set("other")], owned("p"), {}, id="some replica set"),
    pytest.param(
        [],
        owned(
            "p",
            topologySpreadConstraints=[
                {
                    "maxSkew": 1,
                    "topologyKey": HOSTS,
                    "whenUnsatisfiable": "ScheduleAnyway",
                    "labelSelector": {},
                }
            ],
        ),
        {},
        id="constraints of its own",
    ),
]


class TestExplain:
    @pytest.mark.parametrize(("objects", "candidate", "expected"), EXPLAINED)
    def test_only_what_is_read_is_told(self, load, objects, candidate, expected):
        answer = explain_pod(load(*NODES, *objects), made(candidate))
        assert told(answer.cluster) == expected

    @pytest.mark.parametrize(("objects", "candidate", "expected"), EXPLAINED)
    def test_objects_from_elsewhere_lack_nothing(self, objects, candidate, expected):
        cluster = Cluster([made(one) for one in [*NODES, *objects]], scheduler_of())
        assert told(explain_pod(cluster, made(candidate)).cluster) == {}

    def test_the_text_says_what_to_do(self, load):
        (caveat,) = explain_pod(load(*NODES, *FULL), made(pod("p", priority=9, **SMALL))).cluster.caveats
        assert caveat.message == (
            "no PodDisruptionBudget in the input (kubectl get poddisruptionbudgets -A): "
            "preemption and drains take every pod to be free to go"
        )

    @pytest.mark.parametrize(
        ("constraints", "expected"),
        [
            pytest.param([], {}, id="none"),
            pytest.param(["ScheduleAnyway"], {"ReplicaSet": False}, id="soft"),
            pytest.param(["ScheduleAnyway", "DoNotSchedule"], {"ReplicaSet": True}, id="hard"),
        ],
    )
    def test_default_constraints_of_the_profile_count(self, load, tmp_path, constraints, expected):
        defaults = [
            {"maxSkew": 1, "topologyKey": HOSTS, "whenUnsatisfiable": action} for action in constraints
        ]
        args = {"defaultingType": "List", "defaultConstraints": defaults}
        config = {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "profiles": [{"pluginConfig": [{"name": "PodTopologySpread", "args": args}]}],
        }
        (tmp_path / "scheduler.json").write_text(json.dumps(config))
        cluster = load(*NODES, scheduler=scheduler_of("scheduler.json"))
        assert told(explain_pod(cluster, made(owned("p"))).cluster) == expected

    def test_manifests_do_not_make_up_for_the_cluster(self, load, tmp_path):
        cluster = load(*NODES, *FULL)
        items = [pod("p", priority=9, **SMALL), budget()]
        (tmp_path / "manifests.json").write_text(
            json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
        )
        (answer,) = explain(cluster, "manifests.json")
        assert told(answer.cluster) == {"PodDisruptionBudget": False}

    def test_a_snapshot_says_itself_what_it_lacks(self, tmp_path):
        objects = [made(one) for one in [*NODES, *FULL]]
        save_snapshot(Snapshot(Header(), objects), str(tmp_path / "snapshot.json"))
        answer = explain_pod(
            Cluster.load(str(tmp_path / "snapshot.json")), made(pod("p", priority=9, **SMALL))
        )
        assert answer.preemption is not None
        assert told(answer.cluster) == {}

    def test_the_replica_set_of_a_deployment_in_a_manifest_is_there(self, load, tmp_path):
        deployment = replica_set("web") | {"kind": "Deployment"}
        (tmp_path / "web.json").write_text(json.dumps(deployment))
        assert told(explain(load(*NODES), str(tmp_path / "web.json"))[0].cluster) == {}
        assert (
            told(simulate(load(*NODES), SimulationQuestion(manifests=[str(tmp_path / "web.json")])).cluster)
            == {}
        )


class TestManyPods:
    def test_a_kind_is_told_once(self, load):
        waiting = [owned(f"p{i}", cpu=f"{i}m") for i in range(1, 4)]
        assert told(simulate(load(*NODES, *waiting)).cluster) == {"ReplicaSet": False}

    def test_a_simulation_that_preempts_reads_budgets(self, load):
        cluster = load(*NODES, *FULL, pod("high", priority=9, **SMALL))
        assert told(simulate(cluster).cluster) == {"PodDisruptionBudget": False}
        assert told(simulate(cluster, SimulationQuestion(preemption=False)).cluster) == {}

    def test_pods_that_changes_displace_are_read_too(self, load):
        cluster = load(*NODES, owned("p", "a"))
        assert told(simulate(cluster, SimulationQuestion(changes=[DrainNodes("a")])).cluster) == {
            "ReplicaSet": False
        }

    @pytest.mark.parametrize(
        ("objects", "expected"),
        [
            pytest.param([replica_set(), owned("p", "a")], {"PodDisruptionBudget": True}, id="pods go"),
            pytest.param([replica_set(), owned("p", "a"), budget()], {}, id="some budget"),
            pytest.param([replica_set(), owned("p", "b")], {}, id="the node is empty"),
        ],
    )
    def test_a_drain_hangs_on_budgets(self, load, objects, expected):
        assert told(drain(load(*NODES, *objects), DrainQuestion(nodes=["a"])).cluster) == expected

    @pytest.mark.parametrize(
        ("change", "expected"),
        [
            pytest.param(AddNode(template=made(node("c"))), {"DaemonSet": True}, id="given"),
            pytest.param(AddNode(like="a"), {}, id="a copy, whose daemons are copied"),
        ],
    )
    def test_new_nodes_get_daemons(self, load, tmp_path, change, expected):
        cluster = load(*NODES, pod("p", **SMALL))
        assert told(simulate(cluster, SimulationQuestion(changes=[change])).cluster) == expected
        shapes = [("shape", change)]
        (tmp_path / "pod.json").write_text(json.dumps(pod("q", **SMALL)))
        assert (
            told(
                capacity(cluster, CapacityQuestion(manifests=["pod.json"], target=20, shapes=shapes)).cluster
            )
            == expected
        )

    def test_a_gate_tells_it_of_each_scenario(self, load, tmp_path):
        cluster = load(*NODES, *FULL, pod("high", priority=9, **SMALL))
        scenario = {
            "apiVersion": "kschedctl.dev/v1alpha1",
            "kind": "Scenario",
            "expectations": {"maxPending": 9},
        }
        for name in ("one", "two"):
            (tmp_path / f"{name}.json").write_text(json.dumps(scenario | {"metadata": {"name": name}}))
        answer = gate(["one.json", "two.json"], lambda _: cluster)
        simulations = [found.simulation for found in answer.scenarios]
        assert [told(s.cluster) for s in simulations if s] == [{"PodDisruptionBudget": False}] * 2

    def test_what_capacity_places_is_read(self, load, tmp_path):
        (tmp_path / "pod.json").write_text(json.dumps(pod("q", affinity=affinity(TEAM))))
        assert told(capacity(load(*NODES), CapacityQuestion(manifests=["pod.json"], limit=3)).cluster) == {
            "Namespace": True
        }
