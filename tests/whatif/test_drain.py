import math
from collections import Counter, defaultdict
from pathlib import Path

import pytest
import yaml

from kschedctl.errors import UsageError
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.sources.load import load
from kschedctl.whatif.disruption.drain import drain
from kschedctl.whatif.disruption.drain_plan import DrainPlan, Treatment
from kschedctl.whatif.session import Session
from kschedctl.whatif.world.changes import AddNode, Scale
from kschedctl.whatif.world.world import PodOrigin

from .builders import CONFIGURATION, Data, controlled, node, objects, pod, replica, workload

ZONE = "topology.kubernetes.io/zone"
FIXTURE = Path(__file__).parents[2] / "fixtures/zone-drain/cluster.yaml"


def plan(cluster: list[Data], *nodes: str, force: bool = False) -> DrainPlan:
    return drain(Session(objects(cluster), CONFIGURATION), SchedulingOptions(), nodes, force=force)


def budget(name: str, app: str = "web", *, status: Data | None = None, **rule) -> Data:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"app": app}}} | rule,
        "status": status or {},
    }


def web(name: str, on: str = "", **more) -> Data:
    return replica(name, on, labels={"app": "web"}, cpu="1", **more)


def waves(found: DrainPlan) -> dict[str, int]:
    return {d.pod.name: d.wave for d in found.pods if d.goes}


def expected_waves(zone: str) -> dict[str, int]:
    """Pod -> wave, from the budgets' rules alone: each wave of a budget is as large as what it allows.

    Every replacement finds a node in this fixture, so a budget has its whole allowance back in the next wave.
    """
    documents = [d for d in yaml.safe_load_all(FIXTURE.read_text()) if d]
    rules = {
        d["spec"]["selector"]["matchLabels"]["app"]: d["spec"]
        for d in documents
        if d["kind"] == "PodDisruptionBudget"
    }
    pods = [d for d in documents if d["kind"] == "Pod" and d["status"]["phase"] == "Running"]
    total: dict[str, int] = defaultdict(int)
    in_zone: dict[str, list[str]] = defaultdict(list)
    for p in pods:
        app = p["metadata"].get("labels", {}).get("app")
        total[app] += 1
        if p["spec"]["nodeName"].startswith(zone):
            in_zone[app].append((p["spec"]["nodeName"], p["metadata"]["name"]))
    found = {}
    for app, rule in rules.items():
        if "maxUnavailable" in rule:
            allowed = rule["maxUnavailable"]
        elif isinstance(rule["minAvailable"], str):
            allowed = total[app] - math.ceil(total[app] * int(rule["minAvailable"][:-1]) / 100)
        else:
            allowed = total[app] - rule["minAvailable"]
        for place, (_, name) in enumerate(sorted(in_zone[app])):
            found[name] = place // allowed + 1 if allowed else 0
    return found


@pytest.mark.parametrize("zone", ["a", "b", "c"])
def test_the_waves_of_a_zone_follow_the_budgets(zone):
    found = drain(
        Session(load([str(FIXTURE)]).objects, CONFIGURATION),
        SchedulingOptions(),
        [f"topology.kubernetes.io/zone={zone}"],
    )

    assert waves(found) == expected_waves(zone)
    assert found.waves == max(expected_waves(zone).values())
    assert not found.pending
    assert found.possible is (zone == "b")
    assert all(d.task is not None and d.task.node[0] != zone for d in found.pods if d.wave)


def test_no_budget_is_ever_overdrawn():
    found = drain(
        Session(load([str(FIXTURE)]).objects, CONFIGURATION),
        SchedulingOptions(),
        ["topology.kubernetes.io/zone in (a, b)"],
    )
    at_once: dict[tuple[str, int], int] = defaultdict(int)
    for drained in found.pods:
        if drained.wave:
            at_once[drained.pod.metadata.labels["app"], drained.wave] += 1

    assert max(count for (app, _), count in at_once.items() if app == "web") == 4
    assert max(count for (app, _), count in at_once.items() if app == "api") == 2
    assert max(count for (app, _), count in at_once.items() if app == "db") == 1


def test_pods_are_treated_as_kubectl_drain_does():
    static = pod("static", "n1")
    static["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
    finished = web("finished", "n1")
    finished["status"] = {"phase": "Succeeded"}
    cluster = [
        node("n1"),
        node("n2"),
        web("web-1", "n1"),
        pod("bare", "n1"),
        pod("agent", "n1", owner=controlled("DaemonSet", "agent")),
        static,
        finished,
        web("ending", "n1", terminating=True),
    ]
    found = plan(cluster, "n1")

    assert {d.pod.name: d.treatment for d in found.pods} == {
        "web-1": Treatment.EVICT,
        "bare": Treatment.REFUSE,
        "agent": Treatment.DAEMON,
        "static": Treatment.STATIC,
        "finished": Treatment.FINISHED,
        "ending": Treatment.ENDING,
    }
    assert not found.possible
    assert [d.pod.name for d in found.refused] == ["bare"]
    forced = plan(cluster, "n1", force=True)
    assert forced.possible
    assert {d.pod.name: d.wave for d in forced.pods if d.goes} == {"web-1": 1, "bare": 1}


def test_a_budget_that_waits_for_a_pod_that_finds_no_node_is_a_deadlock():
    cluster = [
        node("n1", cpu="2"),
        node("n2", cpu="1"),
        web("web-1", "n1"),
        web("web-2", "n1"),
        pod("other", "n2", cpu="1"),
        budget("web", minAvailable=1),
    ]
    found = plan(cluster, "n1")

    assert waves(found) == {"web-1": 1, "web-2": 0}
    (deadlock,) = found.deadlocks
    assert deadlock.budget == "default/web"
    assert deadlock.pods == ("default/web-2",)
    assert deadlock.waiting == ("default/web-1",)
    assert deadlock.state == "1 of 2 pods healthy, 1 needed by minAvailable 1"
    assert not found.possible


def test_a_budget_counts_the_pending_replicas_that_find_a_node():
    """The scheduler goes on while a drain waits: with web-2 placed, web-1 may go."""
    cluster = [
        node("n1"),
        node("n2"),
        web("web-1", "n1"),
        web("web-2"),
        budget("web", minAvailable=1),
    ]
    found = plan(cluster, "n1")

    assert found.possible
    assert waves(found) == {"web-1": 1}


def test_a_pending_replica_is_placed_once_a_wave_makes_room():
    """web-2 bears no blocker in its zone; that one has gone with the first wave."""
    term = {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"app": "blocker"}}}
    alone = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    cluster = [
        node("n1", "a"),
        node("n2", "a"),
        node("n3", "b"),
        web("web-1", "n1"),
        web("web-2", nodeSelector={ZONE: "a"}, affinity=alone),
        replica("blocker", "n1", labels={"app": "blocker"}, nodeSelector={ZONE: "b"}),
        budget("web", minAvailable=1),
    ]
    found = plan(cluster, "n1")

    assert waves(found) == {"blocker": 1, "web-1": 2}
    assert found.possible


def test_pods_that_changes_ask_for_are_there_too():
    """The daemon of an added node takes its part of the room, a further replica lets the budget give way."""
    cluster = [
        node("n1", cpu="2"),
        workload("DaemonSet", "agent"),
        workload("ReplicaSet", "web", 1),
        replica("web-1", "n1", owner="web", labels={"app": "web"}, cpu="1"),
        budget("web", minAvailable=1),
    ]
    changes = (AddNode(count=2, like="n1"), Scale("ReplicaSet/web", 2))
    found = drain(Session(objects(cluster), CONFIGURATION), SchedulingOptions(), ["n1"], changes=changes)

    assert found.possible
    assert Counter(t.node for t in found.tasks) == {"n1-new-1": 2, "n1-new-2": 2}


def test_a_pod_that_is_preempted_before_its_turn_is_not_evicted_again():
    """boss tolerates the cordon and may not return to n2: its replacement takes the place of web-1 on n1."""
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "keeper"}}}
    elsewhere = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    drained = {"disk": "ssd"}
    cluster = [
        node("n1", cpu="1", labels=drained),
        node("n2", labels=drained),
        node("n3"),
        pod("keeper", "n2", labels={"app": "keeper"}, priority=20, owner=controlled("DaemonSet", "keeper")),
        replica(
            "boss",
            "n2",
            owner="boss-abc",
            cpu="1",
            priority=10,
            nodeSelector=drained,
            affinity=elsewhere,
            tolerations=[{"operator": "Exists"}],
        ),
        web("web-1", "n1"),
        budget("web", maxUnavailable=0),
    ]
    found = plan(cluster, "n1", "n2")

    assert [(e.victim, e.node) for e in found.evictions] == [("default/web-1", "n1")]
    assert {t.pod.name: t.node for t in found.tasks} == {"boss": "n1", "web-1": "n3"}
    assert not found.held


def test_two_budgets_over_one_pod_are_a_deadlock():
    cluster = [
        node("n1"),
        node("n2"),
        web("web-1", "n1"),
        budget("one", maxUnavailable=1),
        budget("two", maxUnavailable=1),
    ]
    found = plan(cluster, "n1")

    assert [(d.budget, d.several) for d in found.deadlocks] == [
        ("default/one", True),
        ("default/two", True),
    ]


@pytest.mark.parametrize(
    ("rule", "status", "wave_sizes"),
    [
        pytest.param({"maxUnavailable": 1}, None, [1, 1, 1, 1], id="maxUnavailable"),
        pytest.param({"maxUnavailable": "50%"}, None, [2, 2], id="maxUnavailable in percent"),
        pytest.param({"maxUnavailable": "30%"}, None, [2, 2], id="percent rounds up"),
        pytest.param({"minAvailable": 1}, None, [3, 1], id="minAvailable"),
        pytest.param({"minAvailable": "60%"}, None, [1, 1, 1, 1], id="minAvailable in percent rounds up"),
        pytest.param({}, None, [3, 1], id="no rule means one available"),
        pytest.param(
            {"minAvailable": 1},
            {"disruptionsAllowed": 2, "currentHealthy": 4, "desiredHealthy": 2, "expectedPods": 4},
            [2, 2],
            id="the status counts where there is one",
        ),
        pytest.param({"selector": None}, None, [4], id="without a selector it covers nothing"),
    ],
)
def test_sizes_of_waves(rule, status, wave_sizes):
    cluster = [node("n1"), node("n2"), *(web(f"web-{i}", "n1") for i in range(4))]
    found = plan([*cluster, budget("web", status=status, **rule)], "n1")

    sizes: dict[int, int] = defaultdict(int)
    for wave in waves(found).values():
        sizes[wave] += 1
    assert [sizes[w] for w in sorted(sizes)] == wave_sizes


def test_an_empty_selector_covers_the_namespace():
    cluster = [node("n1"), node("n2"), web("web-1", "n1"), web("web-2", "n1")]
    found = plan([*cluster, budget("all", selector={}, maxUnavailable=1)], "n1")

    assert found.waves == 2


def test_what_is_owed_counts_by_the_scale_of_the_workload():
    """A budget in percent counts the replicas that are asked for, not those that are there."""
    deployment = workload("Deployment", "web", 10)
    pods = [web(f"web-abc-{i}", "n1") for i in range(4)]
    for p in pods:
        p["metadata"]["labels"]["pod-template-hash"] = "abc"
    found = plan([node("n1"), node("n2"), deployment, *pods, budget("web", maxUnavailable="60%")], "n1")

    assert found.waves == 0
    assert found.deadlocks[0].state == "4 of 10 pods healthy, 4 needed by maxUnavailable 60%"


def test_victims_of_replacements_are_followed():
    cluster = [
        node("n1", cpu="2"),
        node("n2", cpu="2"),
        web("web-1", "n1", priority=10) | {},
        replica("low", "n2", owner="low-abc", cpu="2", priority=-1),
    ]
    found = plan(cluster, "n1")

    assert [e.victim for e in found.evictions] == ["default/low"]
    assert [t.name for t in found.pending] == ["default/low"]
    assert not found.possible


@pytest.mark.parametrize(("policy", "goes"), [("", False), ("IfHealthyBudget", False), ("AlwaysAllow", True)])
def test_pods_that_are_not_ready_go_by_the_policy_of_their_budget(policy, goes):
    unready = web("a", "n1")
    unready["status"] = {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}]}
    rule = {"minAvailable": 2} | ({"unhealthyPodEvictionPolicy": policy} if policy else {})
    found = plan([node("n1"), node("n2"), unready, web("b", "n2"), budget("web", **rule)], "n1")

    assert waves(found) == {"a": int(goes)}


def test_a_replacement_that_tolerates_the_cordon_keeps_the_node_from_being_empty():
    anywhere = {"tolerations": [{"operator": "Exists"}]}
    cluster = [node("n1", cpu="2"), node("n2", cpu="1"), replica("a", "n1", cpu="2", **anywhere)]
    found = plan(cluster, "n1")

    assert [task.node for task in found.returning] == ["n1"]
    assert not found.possible
    assert plan([*cluster, node("n3", cpu="9")], "n1").possible


def test_pods_that_were_pending_before_do_not_count():
    found = plan([node("n1"), node("n2"), web("web-1", "n1"), pod("huge", cpu="100")], "n1")

    assert found.possible
    assert [(t.name, t.origin) for t in found.tasks if not t.placed] == [("default/huge", PodOrigin.PENDING)]


def test_claims_made_for_a_pod_are_made_anew():
    volume = {
        "name": "scratch",
        "ephemeral": {
            "volumeClaimTemplate": {
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "storageClassName": "zonal",
                    "resources": {"requests": {"storage": "1Gi"}},
                }
            }
        },
    }
    zone = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["a"]}
    storage = [
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": "zonal"},
            "provisioner": "csi.example.com",
            "volumeBindingMode": "WaitForFirstConsumer",
        },
        {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": "pv"},
            "spec": {
                "capacity": {"storage": "1Gi"},
                "accessModes": ["ReadWriteOnce"],
                "storageClassName": "zonal",
                "claimRef": {
                    "kind": "PersistentVolumeClaim",
                    "namespace": "default",
                    "name": "web-1-scratch",
                },
                "csi": {"driver": "csi.example.com", "volumeHandle": "v"},
                "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [zone]}]}},
            },
        },
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {
                "name": "web-1-scratch",
                "annotations": {"pv.kubernetes.io/bind-completed": "yes"},
                "ownerReferences": [{"kind": "Pod", "name": "web-1", "uid": "u-1", "controller": True}],
            },
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "storageClassName": "zonal",
                "volumeName": "pv",
                "resources": {"requests": {"storage": "1Gi"}},
            },
        },
    ]
    running = web("web-1", "n1", volumes=[volume])
    running["metadata"]["uid"] = "u-1"
    found = plan([node("n1", "a"), node("n2", "b"), running, *storage], "n1")

    assert [t.node for t in found.tasks] == ["n2"]


def test_an_unknown_node_is_told():
    with pytest.raises(UsageError, match="there is no node 'n9'"):
        plan([node("n1")], "n9")


def test_members_of_a_stateful_set_come_back_one_after_another():
    members = [pod(f"db-{i}", "n1", cpu="1", owner=controlled("StatefulSet", "db")) for i in range(3)]
    cluster = [node("n1"), node("n2", cpu="1"), workload("StatefulSet", "db", 3), *members]
    found = plan(cluster, "n1")

    assert not found.possible
    assert waves(found) == {"db-0": 1, "db-1": 1, "db-2": 1}
    assert [(t.pod.name, t.node, t.waits_for) for t in found.tasks] == [
        ("db-0", "n2", ""),
        ("db-1", None, ""),
        ("db-2", None, "db-1"),
    ]


def test_a_budget_waits_for_members_that_are_there_and_not_for_those_that_are_not_created():
    members = [
        pod(f"db-{i}", "n1", cpu="1", owner=controlled("StatefulSet", "db"), labels={"app": "db"})
        for i in range(3)
    ]
    more = Scale("statefulset/db", 5)
    held = budget("db", "db", minAvailable=3)
    cluster = [node("n1", cpu="3"), node("n2", cpu="500m"), workload("StatefulSet", "db", 3), *members, held]
    found = drain(Session(objects(cluster), CONFIGURATION), SchedulingOptions(), ["n1"], changes=[more])

    (deadlock,) = found.deadlocks
    assert deadlock.waiting == ("default/db-3",)
    assert [t.pod.name for t in found.tasks if t.waits_for] == ["db-4"]
