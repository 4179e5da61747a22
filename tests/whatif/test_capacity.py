"""Capacity against placing one by one, and against numbers made by hand."""

import random
import time
from collections import Counter
from collections.abc import Sequence

import pytest
from builders import profile

from kschedctl.admission.invalid import Invalid
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.errors import UsageError
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import DEFAULT, feature_gates
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.plugins.registry import IN_TREE
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import place
from kschedctl.scheduling.options import Sampling, SchedulingOptions, TieBreak
from kschedctl.whatif.capacity import copies, filling
from kschedctl.whatif.capacity.capacity import CapacityResult, FillingQuestion, RepeatedFilling
from kschedctl.whatif.capacity.headroom import parse_headroom
from kschedctl.whatif.session import Session
from kschedctl.whatif.world.changes import AddNode
from kschedctl.whatif.world.replicas import WantedPods
from kschedctl.workloads import Workload

from .builders import CONFIGURATION, Data, controlled, node, objects, pod, replica, workload

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
OPTIONS = SchedulingOptions()


def ask(data: Data, share: int = 1) -> WantedPods:
    (source,) = objects(data)
    assert isinstance(source, Pod | Workload)
    return WantedPods(source, share)


def capacity(
    cluster: Sequence[Data], *asks: WantedPods, options=OPTIONS, configuration=CONFIGURATION, **more
) -> CapacityResult:
    return RepeatedFilling(Session(objects(cluster), configuration), options).capacity(
        FillingQuestion(asks, **more)
    )


def counts(found: CapacityResult) -> dict[str, list[int]]:
    return dict(sorted(found.filling.by_node.items()))


def random_cluster(choose: random.Random) -> list[Data]:
    nodes = [
        node(
            f"n{i}",
            choose.choice(["", "a", "b", "c"]),
            cpu=str(choose.randint(1, 6)),
            memory=f"{choose.randint(1, 8)}Gi",
            pods=str(choose.randint(2, 12)),
            labels={"disk": choose.choice(["ssd", "hdd"])},
            taints=choose.choice([[], [], ["dedicated=gpu:NoSchedule"], ["old=:PreferNoSchedule"]]),
            cordoned=choose.random() < 0.1,
        )
        for i in range(choose.randint(1, 8))
    ]
    pods = [
        pod(
            f"p{i}",
            choose.choice(nodes)["metadata"]["name"],
            labels={"app": choose.choice(["web", "db"])},
            cpu=f"{choose.randint(0, 10) * 100}m",
            memory=f"{choose.randint(0, 10) * 100}Mi",
        )
        for i in range(choose.randint(0, 12))
    ]
    return [*nodes, *pods]


def random_pod(choose: random.Random, name: str = "more") -> Data:
    mine = {"matchLabels": {"app": "web"}}
    spec: Data = {}
    if choose.random() < 0.3:
        spec["topologySpreadConstraints"] = [
            {
                "maxSkew": choose.randint(1, 3),
                "topologyKey": choose.choice([ZONE, HOST]),
                "whenUnsatisfiable": choose.choice(["DoNotSchedule", "ScheduleAnyway"]),
                "labelSelector": mine,
            }
        ]
    if choose.random() < 0.3:
        kind = choose.choice(["required", "preferred"])
        term: Data = {"topologyKey": choose.choice([ZONE, HOST]), "labelSelector": mine}
        terms = [term if kind == "required" else {"weight": 5, "podAffinityTerm": term}]
        spec["affinity"] = {
            choose.choice(["podAffinity", "podAntiAffinity"]): {
                f"{kind}DuringSchedulingIgnoredDuringExecution": terms
            }
        }
    if choose.random() < 0.3:
        spec["tolerations"] = [{"operator": "Exists"}]
    if choose.random() < 0.3:
        spec["nodeSelector"] = {"disk": "ssd"}
    data = pod(
        name,
        labels={"app": "web"},
        cpu=f"{choose.randint(0, 15) * 100}m",
        memory=f"{choose.randint(0, 15) * 100}Mi",
        **spec,
    )
    if choose.random() < 0.2:
        data["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 8080}]
    return data


def brute_force(cluster: Sequence[Data], asked: Data) -> Counter[str]:
    """Place one by one, each decided in full, until nothing fits."""
    options = SchedulingOptions(preemption=False, reuse=False)
    session = Session(objects(cluster), CONFIGURATION, options)
    placed: Counter[str] = Counter()
    while True:
        (candidate,) = objects({**asked, "metadata": {**asked["metadata"], "name": f"m{placed.total()}"}})
        assert isinstance(candidate, Pod)
        record = session.enter(candidate)
        assert not isinstance(record, Invalid)
        decision = session.scheduler.decide(record, session.cluster)
        if decision.outcome is not Outcome.SCHEDULED or place(decision) is not None:
            return placed
        assert decision.selected_node is not None
        placed[decision.selected_node] += 1


@pytest.mark.parametrize("seed", range(100))
def test_capacity_is_what_placing_one_by_one_gives(seed):
    choose = random.Random(seed)
    cluster, asked = random_cluster(choose), random_pod(choose)

    found = capacity(cluster, ask(asked))
    expected = brute_force(cluster, asked)
    assert {name: count for name, (count,) in found.filling.by_node.items()} == dict(expected)
    assert found.filling.sets == expected.total()
    assert found.filling.blocking == 0


@pytest.mark.parametrize("seed", range(60))
def test_sets_at_a_time_are_what_sets_one_by_one_are(seed, monkeypatch):
    """Some nodes have room for hundreds: once the others are full little is decided pod by pod."""
    choose = random.Random(f"sets {seed}")
    monkeypatch.setattr(filling, "_SHORT", choose.choice([1, 2, 5]))
    monkeypatch.setattr(copies, "MOST_WORLDS", choose.choice([3, 16, 4096]))
    huge = [huge_node(choose, name) for name in choose.choice([["big"], ["big"], ["big", "bigger"]])]
    cluster = [*random_cluster(choose), *huge]
    cluster += [pod(f"q{i}", "big", labels={"app": "web"}, **repelling(choose)) for i in range(2)]
    kinds = [
        ask(random_pod(choose, f"kind{i}"), choose.choice([1, 1, 2, 3]))
        for i in range(choose.choice([1, 2, 3]))
    ]
    limit = choose.choice([40, 200, 1_000])
    options = SchedulingOptions(
        tie_break=choose.choice([TieBreak.UPSTREAM, *TieBreak]),
        sampling=choose.choice([Sampling.OFF, *Sampling]),
    )

    at_once = capacity(cluster, *kinds, options=options, limit=limit)
    with monkeypatch.context() as patch:
        patch.setattr(filling, "sets_that_fit", lambda *_: 0)
        patch.setattr(filling, "room_per_node", lambda *_: None)
        one_by_one = capacity(cluster, *kinds, options=options, limit=limit)

    assert at_once.filling == one_by_one.filling
    found, expected = at_once.session.cluster, one_by_one.session.cluster
    assert found.usage.requested.tolist() == expected.usage.requested.tolist()
    assert found.usage.non_zero.tolist() == expected.usage.non_zero.tolist()
    assert [len(pods) for pods in found.usage.pods] == found.usage.pod_count.tolist()
    assert found.next_start == expected.next_start
    if len(kinds) > 1:  # pods of one kind alone come node by node
        assert named_places(found) == named_places(expected)


def named_places(cluster: ClusterState) -> list[tuple[str, int, int, int]]:
    """Every pod with its node, its place there and its class."""
    table = cluster.pods
    columns = (table.node.tolist(), table.place.tolist(), table.pod_class.tolist())
    return [(r.full_name, *values) for r, *values in zip(table.records, *columns, strict=True)]


def huge_node(choose: random.Random, name: str) -> Data:
    """A node that takes hundreds of pods, and may be in a zone with others."""
    amounts = {
        "cpu": choose.choice(["60", "500", "8Ei"]),
        "memory": choose.choice(["1Ti", "1Ei"]),
        "pods": choose.choice(["90", "700", "8Ei"]),
    }
    return node(name, choose.choice(["", "a", "d"]), **amounts, labels={"disk": "ssd"})


def repelling(choose: random.Random) -> Data:
    """Maybe an anti-affinity that some nodes know nothing of."""
    if choose.random() < 0.5:
        return {}
    term = {"topologyKey": choose.choice(["rack", ZONE]), "labelSelector": {}}
    return {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


REPELS = {"topologyKey": "disk", "labelSelector": {}}
REPELLING = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [REPELS]}}


@pytest.mark.parametrize("kinds", [1, 2, 3])
@pytest.mark.parametrize(
    ("cluster", "most"),
    [
        pytest.param(
            [node("n1", pods="8Ei"), node("n2", taints=["old=:NoSchedule"]), pod("p", "n1", affinity=REPELLING)],
            {"n1": 100_000},
            id="one, with a pod that repels others elsewhere",
        ),
        pytest.param(
            [node("n1", pods="8Ei"), node("n2", pods="8Ei")], {"n1": 99_960, "n2": 40}, id="several, full at last"
        ),
        pytest.param(
            [node("n1", cpu="8Ei", memory="8Ei", pods="8Ei"), node("n2", cpu="8Ei", memory="4Ei", pods="8Ei")],
            {"n1": 100_000},
            id="several, one of them always better",
        ),
    ],
)  # fmt: skip
def test_nodes_without_bound_are_not_filled_pod_by_pod(kinds, cluster, most, monkeypatch):
    decisions, decide = Counter[str](), Scheduler.decide

    def counted(scheduler: Scheduler, pod: PodRecord, state: ClusterState) -> Decision:
        decisions[pod.name] += 1
        return decide(scheduler, pod, state)

    monkeypatch.setattr(Scheduler, "decide", counted)
    found = capacity(cluster, *(ask(pod(f"kind{i}")) for i in range(kinds)), limit=100_000)
    assert found.filling.sets == 100_000
    if kinds == 1:
        assert counts(found) == {name: [count] for name, count in most.items()}
    assert decisions.total() < 2_000


def test_by_hand():
    cluster = [
        node("n1", cpu="4"),
        node("n2", cpu="10", memory="3Gi"),
        node("n3", pods="2"),
        pod("x", "n3"),
        pod("p", "n1", cpu="1500m"),
    ]
    found = capacity(cluster, ask(pod("more", cpu="1", memory="1Gi")))

    assert counts(found) == {"n1": [2], "n2": [3], "n3": [1]}
    assert found.filling.outcome is Outcome.UNSCHEDULABLE
    assert found.after.total()["cpu"].requested - found.before.total()["cpu"].requested == 6000


def test_a_limit_ends_the_counting():
    found = capacity([node("n1", cpu="100")], ask(pod("more", cpu="1")), limit=7)

    assert found.filling.sets == 7
    assert found.filling.blocking is None


@pytest.mark.parametrize(
    ("past_room", "share", "sets"),
    [
        pytest.param(False, 1, 7, id="one more than all nodes take"),
        pytest.param(False, 4, 2, id="one set more than all nodes take"),
        pytest.param(True, 1, 50, id="up to a target"),
    ],
)
def test_without_a_plugin_that_counts_pods_nodes_tell_where_counting_ends(past_room, share, sets):
    config = profile(plugins={"filter": {"disabled": [{"name": "NodeResourcesFit"}]}})
    found = capacity(
        [node("n1", pods="4"), node("n2", pods="2"), node("n3", pods="-1")],
        ask(pod("more"), share),
        configuration=load_configuration(config, DEFAULT, feature_gates(DEFAULT), IN_TREE),
        past_room=past_room,
        limit=50,
    )
    assert (found.filling.sets, found.limit) == (sets, sets)
    assert found.filling.blocking is None


@pytest.mark.parametrize("pods", ["1", "110", "8Ei"])
def test_where_pods_are_counted_room_of_nodes_ends_nothing_early(pods):
    cluster = [node("n1", cpu="3", pods=pods), node("n2", cpu="2", pods=pods)]
    (first, second) = (
        capacity(cluster, ask(pod("more", cpu="1")), past_room=past_room) for past_room in (False, True)
    )
    assert first.filling.sets == second.filling.sets
    assert first.filling.blocking == second.filling.blocking == 0


def test_sets_are_placed_whole():
    cluster = [node("n1", cpu="10")]
    found = capacity(cluster, ask(pod("a", cpu="1"), 3), ask(pod("b", cpu="2")))

    assert found.filling.sets == 2
    assert counts(found) == {"n1": [6, 2]}
    assert found.filling.blocking == 0
    assert found.after.total()["cpu"].requested == 10_000


def test_the_kind_that_blocks_is_named():
    cluster = [node("n1", cpu="4"), node("n2", cpu="4", labels={"disk": "ssd"})]
    found = capacity(cluster, ask(pod("a", cpu="1")), ask(pod("b", cpu="3", nodeSelector={"disk": "ssd"})))

    assert found.filling.sets == 1
    assert found.filling.blocking == 1


@pytest.mark.parametrize(
    ("headroom", "fits"),
    [
        ("cpu=0%", 10),
        ("cpu=10%", 9),
        ("cpu=15%", 8),
        ("cpu=2500m", 7),
        ("cpu=100%", 0),
        ("example.com/x=5", 10),
    ],
)
def test_headroom_is_kept_free(headroom, fits):
    found = capacity([node("n1", cpu="10")], ask(pod("m", cpu="1")), headroom=[parse_headroom(headroom)])

    assert found.filling.sets == fits


@pytest.mark.parametrize("text", ["cpu", "cpu=", "cpu=10.5%", "cpu=110%", "cpu=ten", "=10%"])
def test_what_is_no_headroom_is_told(text):
    with pytest.raises(UsageError, match="is no headroom"):
        parse_headroom(text)


def test_pending_pods_are_left_out_unless_they_are_to_come_first():
    cluster = [node("n1", cpu="4"), pod("waits", cpu="3")]

    assert capacity(cluster, ask(pod("m", cpu="1"))).filling.sets == 4
    assert capacity(cluster, ask(pod("m", cpu="1"))).pending == 1
    assert capacity(cluster, ask(pod("m", cpu="1")), place_pending=True).filling.sets == 1


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet", "Job"])
def test_workloads_are_multiplied(kind):
    cluster = [node("n1", cpu="5"), workload(kind, "w", 1), pod("w-0", "n1", cpu="1")]

    assert capacity(cluster, ask(workload(kind, "w", 1))).filling.sets == 4


@pytest.mark.parametrize(
    ("changes", "sets", "daemons"),
    [
        pytest.param([], 6, (2, 2), id="on the nodes that are there"),
        pytest.param([AddNode(2, like="n1")], 12, (4, 4), id="and on those that are added"),
    ],
)
def test_a_daemon_set_among_the_companions_comes_first(changes, sets, daemons):
    agent = objects(workload("DaemonSet", "agent", cpu="1"))
    cluster = [node("n1", cpu="4"), node("n2", cpu="4")]
    found = capacity(cluster, ask(workload("Deployment", "w", 1)), companions=agent, changes=changes)

    assert found.filling.sets == sets
    assert list(found.daemons.values()) == [daemons]


def test_a_daemon_set_that_is_there_has_its_pods_already():
    agent = workload("DaemonSet", "agent", cpu="1")
    running = pod("agent-x", "n1", cpu="1", owner=controlled("DaemonSet", "agent"))
    cluster = [node("n1", cpu="4"), agent, running]

    assert capacity(cluster, ask(workload("Deployment", "w", 1)), companions=objects(agent)).filling.sets == 3


def test_a_daemon_set_is_not():
    with pytest.raises(UsageError, match="runs once on each node"):
        capacity([node("n1")], ask(workload("DaemonSet", "agent")))


def test_each_pod_of_a_stateful_set_has_its_own_volume():
    zone = {"key": ZONE, "operator": "In", "values": ["a"]}
    volumes = [
        {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": f"pv{i}"},
            "status": {"phase": "Available"},
            "spec": {
                "capacity": {"storage": "1Gi"},
                "accessModes": ["ReadWriteOnce"],
                "storageClassName": "local",
                "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [zone]}]}},
            },
        }
        for i in range(3)
    ]
    storage_class = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "local"},
        "provisioner": "kubernetes.io/no-provisioner",
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    claim = {
        "metadata": {"name": "data"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "local",
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }
    asked = ask(workload("StatefulSet", "db", 1, cpu="100m", volumeClaimTemplates=[claim]))
    found = capacity([node("n1", "a"), node("n2", "b"), storage_class, *volumes], asked)

    assert counts(found) == {"n1": [3]}


def test_more_than_one_batch_of_claims():
    storage_class = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "fast"},
        "provisioner": "csi.example.com",
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    claim = {
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast"},
    }
    asked = ask(workload("StatefulSet", "db", 1, cpu="1m", volumeClaimTemplates=[claim]))
    found = capacity([node("n1", pods="150"), storage_class], asked)

    assert found.filling.sets == 150


def test_missing_nodes():
    cluster = [
        node("n1", cpu="4"),
        replica("p", "n1", cpu="2"),
        pod("agent", "n1", cpu="1", owner=controlled("DaemonSet", "agent")),
    ]
    estate = RepeatedFilling(Session(objects(cluster), CONFIGURATION), OPTIONS)
    question = FillingQuestion([ask(pod("m", cpu="1"))])

    assert estate.capacity(question).filling.sets == 1
    # A copy of n1 holds 3: its daemon comes along, its other pods do not.
    found = [estate.missing_nodes(question, wanted, [AddNode(like="n1")]).nodes for wanted in (2, 4, 5, 40)]
    assert found == [1, 1, 2, 13]


def test_missing_nodes_of_several_shapes_take_turns():
    shapes = []
    for name, zone in (("a", "a"), ("b", "b")):
        (shape,) = objects(node(name, zone, cpu="1"))
        assert isinstance(shape, Node)
        shapes.append(AddNode(template=shape))
    spread = [
        {
            "maxSkew": 1,
            "topologyKey": ZONE,
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "w"}},
        }
    ]
    asked = ask(pod("m", cpu="1", labels={"app": "w"}, topologySpreadConstraints=spread))
    estate = RepeatedFilling(Session([], CONFIGURATION), OPTIONS)

    assert estate.missing_nodes(FillingQuestion([asked]), 6, shapes).nodes == 6


def test_no_number_of_nodes_may_help():
    estate = RepeatedFilling(Session(objects([node("n1", cpu="1")]), CONFIGURATION), OPTIONS)
    found = estate.missing_nodes(FillingQuestion([ask(pod("m", cpu="2"))]), 1, [AddNode(like="n1")])

    assert found.nodes is None
    assert found.full is not None


@pytest.mark.parametrize("names", [("n1",), ("n1", "n2")], ids=["one node", "several"])
def test_nodes_without_bound_end_at_the_limit(names):
    """Where one node takes all there is nothing to choose, and pods need not be placed one by one."""
    start = time.process_time()
    found = capacity([node(name, cpu="8Ei", pods="8Ei") for name in names], ask(pod("more")), limit=3_000)
    assert found.filling.sets == 3_000
    assert sum(taken for (taken,) in found.filling.by_node.values()) == 3_000
    assert set(found.filling.by_node) == set(names)
    assert time.process_time() - start < 5
