import re

import pytest

from kschedctl.errors import UsageError
from kschedctl.objects.merge_patch import merge_patch
from kschedctl.objects.node import Node, Taint
from kschedctl.objects.pod import Pod
from kschedctl.whatif.world.change_forms import FailMode
from kschedctl.whatif.world.changes import (
    AddNode,
    Cordon,
    Delete,
    DrainNodes,
    FailDomain,
    LabelNodes,
    Patch,
    RemoveNode,
    Scale,
    TaintNodes,
    apply_changes,
)
from kschedctl.whatif.world.targets import find_nodes, parse_selector
from kschedctl.whatif.world.world import PodOrigin, World

from .builders import (
    controlled,
    node,
    nodes_of,
    objects,
    owned_replica_set,
    placements,
    pod,
    replica,
    run,
    workload,
)

HOSTNAME = "kubernetes.io/hostname"
MIRROR = {"kubernetes.io/config.mirror": "x"}


def _static(name: str, on: str):
    data = pod(name, on)
    data["metadata"]["annotations"] = MIRROR
    return data


NODES = [node("n1", "a"), node("n2", "a"), node("n3", "b")]
PODS = [
    replica("web-1", "n1", cpu="1"),
    pod("bare", "n1", cpu="1"),
    pod("agent-1", "n1", owner=controlled("DaemonSet", "agent")),
    _static("kube-proxy-n1", "n1"),
    replica("web-2", "n3", cpu="1"),
]


@pytest.mark.parametrize(
    ("change", "moved", "lost", "left"),
    [
        pytest.param(DrainNodes("n1"), ["web-1"], ["bare"], ["agent-1", "kube-proxy-n1"], id="drain"),
        pytest.param(RemoveNode("n1"), ["web-1"], ["bare"], [], id="remove"),
        pytest.param(
            FailDomain("topology.kubernetes.io/zone", "a"), ["web-1"], ["bare"], [], id="domain is gone"
        ),
        pytest.param(Delete("Node/n1"), ["web-1"], ["bare"], [], id="delete"),
        pytest.param(Delete("pod/web-1"), ["web-1"], [], ["agent-1", "bare", "kube-proxy-n1"], id="one pod"),
        pytest.param(Cordon("n1"), [], [], ["agent-1", "bare", "kube-proxy-n1", "web-1"], id="cordon"),
        pytest.param(
            TaintNodes("n1", Taint(key="k", effect="NoExecute")),
            ["web-1"],
            ["bare", "kube-proxy-n1"],
            [],
            id="NoExecute taint",
        ),
    ],
)
def test_what_becomes_of_pods(change, moved, lost, left):
    world = World(objects(NODES, PODS))
    apply_changes(world, [change])

    assert [name for _, name in world.origins] == moved
    assert sorted(p.name for p in world.lost) == lost
    assert [p.name for p in world.pods if p.spec.node_name == "n1"] == left


def test_a_drained_node_takes_no_pods():
    found = run([*NODES, *PODS], DrainNodes("n1"))

    assert placements(found) == {"web-1": "n2"}
    assert found.tasks[0].origin is PodOrigin.DISPLACED
    assert found.tasks[0].running_on == "n1"
    assert [p.name for p in found.lost] == ["bare"]


def test_uncordon_makes_room():
    cluster = [node("n1", cordoned=True), pod("a")]

    assert placements(run(cluster)) == {"a": None}
    assert placements(run(cluster, Cordon("n1", cordoned=False))) == {"a": "n1"}


def test_unreachable_nodes_keep_their_dying_pods():
    cluster = [
        *NODES,
        replica("web-1", "n1", cpu="1"),
        pod("db-0", "n1", owner=controlled("StatefulSet", "db")),
        pod("agent", "n1", owner=controlled("DaemonSet", "agent"), tolerations=[{"operator": "Exists"}]),
    ]
    change = FailDomain("topology.kubernetes.io/zone", "a", FailMode.UNREACHABLE)
    found = run(cluster, change)

    (task,) = found.tasks
    assert task.node == "n3"
    assert task.pod.name != "web-1"
    states = {p.name: p.is_terminating for p in found.world.pods if p.spec.node_name}
    assert states == {"web-1": True, "db-0": True, "agent": False}
    assert found.notes == ["default/db-0 is not made anew before it is gone from its unreachable node"]


def test_added_nodes_are_copies():
    cluster = [
        node("n1", "a", cpu="2", labels={"pool": "x"}, taints=["node.kubernetes.io/not-ready:NoSchedule"]),
        replica("full", "n1", cpu="2"),
        pod("p1", cpu="2"),
        pod("p2", cpu="2"),
    ]
    found = run(cluster, AddNode(count=2, like="n1"))

    assert placements(found) == {"p1": "n1-new-1", "p2": "n1-new-2"}
    copy = found.world.find(Node, "n1-new-1")
    assert copy is not None
    assert copy.metadata.labels["kubernetes.io/hostname"] == "n1-new-1"
    assert copy.metadata.labels["pool"] == "x"
    assert copy.spec.taints == ()


def test_daemons_come_with_a_new_node_and_take_their_room():
    cluster = [
        node("n1", cpu="2"),
        workload("DaemonSet", "agent", cpu="500m"),
        pod("agent-1", "n1", cpu="500m", owner=controlled("DaemonSet", "agent")),
        pod("helper-1", "n1", cpu="500m", owner=controlled("DaemonSet", "helper")),
        _static("proxy-n1", "n1"),
        pod("p1", cpu="1500m"),
    ]
    found = run(cluster, AddNode(like="n1"))

    assert nodes_of(found, "DaemonSet/agent") == ["n1-new-1"]
    assert nodes_of(found, "DaemonSet/helper") == ["n1-new-1"]
    assert placements(found)["p1"] is None
    assert found.world.find(Pod, "proxy-n1-new-1", "default") is not None


def test_a_given_node_keeps_its_name():
    (shape,) = objects(node("big", cpu="32"))
    assert isinstance(shape, Node)
    found = run([node("n1"), pod("a", cpu="16")], AddNode(template=shape))

    assert placements(found) == {"a": "big"}


def _shape(name: str, labels: dict[str, str]) -> Node:
    (shape,) = objects({**node(name), "metadata": {"name": name, "labels": labels}})
    assert isinstance(shape, Node)
    return shape


@pytest.mark.parametrize(
    ("change", "names"),
    [
        pytest.param(AddNode(3, like="n1"), ["n1-new-1", "n1-new-2", "n1-new-3"], id="copies"),
        pytest.param(AddNode(2, like="bare"), [None, None], id="copies of one without the label"),
        pytest.param(AddNode(1, template=_shape("big", {})), ["big"], id="a template without"),
        pytest.param(AddNode(2, template=_shape("big", {})), ["big-new-1", "big-new-2"], id="several"),
        pytest.param(
            AddNode(1, template=_shape("n1", {HOSTNAME: "n1"})), ["n1-new-1"], id="its name is taken"
        ),
        pytest.param(
            AddNode(2, template=_shape("big", {HOSTNAME: "big"})), ["big-new-1", "big-new-2"], id="its own"
        ),
        pytest.param(
            AddNode(1, template=_shape("big", {HOSTNAME: "h7"})), ["h7"], id="one that says otherwise"
        ),
        pytest.param(
            AddNode(2, template=_shape("big", {HOSTNAME: "h7"})),
            ["big-new-1", "big-new-2"],
            id="not so for two",
        ),
    ],
)
def test_added_nodes_have_the_hostname_that_their_kubelets_set(change, names):
    bare = node("bare")
    bare["metadata"]["labels"] = {}
    cluster = [node("n1"), bare]
    found = run(cluster, change)

    added = [n for n in found.world.nodes if n.name not in ("n1", "bare")]
    assert [n.metadata.labels.get(HOSTNAME) for n in added] == names


def test_pods_spread_over_added_nodes():
    spread = {
        "maxSkew": 1,
        "topologyKey": HOSTNAME,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
    pods = [pod(f"p{i}", labels={"app": "web"}, topologySpreadConstraints=[spread]) for i in range(3)]
    found = run(pods, AddNode(3, template=_shape("big", {})))

    assert sorted(placements(found).values()) == ["big-new-1", "big-new-2", "big-new-3"]


WEB = workload("Deployment", "web", 2)


@pytest.mark.parametrize(
    ("replicas", "created", "left"),
    [
        pytest.param(4, 2, ["web-abc-1", "web-abc-2"], id="up"),
        pytest.param(2, 0, ["web-abc-1", "web-abc-2"], id="same"),
        pytest.param(1, 0, ["web-abc-1"], id="down: the one on no node goes"),
        pytest.param(0, 0, [], id="to none"),
    ],
)
def test_scaling_keeps_the_pods_it_can(replicas, created, left):
    cluster = [
        *NODES,
        WEB,
        owned_replica_set("web-abc", WEB),
        replica("web-abc-1", "n1"),
        replica("web-abc-2"),
    ]
    found = run(cluster, Scale("deployment/web", replicas))

    assert sum(task.origin is PodOrigin.NEW for task in found.tasks) == created
    assert [p.name for p in found.world.pods] == left


def test_scaling_a_stateful_set_takes_the_highest():
    db = workload("StatefulSet", "db", 3)
    pods = [pod(f"db-{i}", "n1", owner=controlled("StatefulSet", "db")) for i in range(3)]
    found = run([*NODES, db, *pods], Scale("sts/db", 1))
    assert [p.name for p in found.world.pods] == ["db-0"]

    more = run([*NODES, db, *pods], Scale("sts/db", 5))
    assert list(placements(more)) == ["db-3", "db-4"]


def test_scaling_a_workload_of_the_release():
    found = run(NODES, Scale("deploy/web", 3), manifests=[workload("Deployment", "web", 1)])

    assert len(found.tasks) == 3


def test_deleting_a_workload_frees_its_room():
    cluster = [
        node("n1", cpu="2"),
        WEB,
        owned_replica_set("web-abc", WEB),
        replica("web-abc-1", "n1", cpu="2"),
        pod("a", cpu="2"),
    ]
    found = run(cluster, Delete("deployment/web"))

    assert placements(found) == {"a": "n1"}
    assert not found.lost


def test_labels_and_taints():
    cluster = [node("n1"), pod("a", nodeSelector={"tier": "hot"})]
    assert placements(run(cluster, LabelNodes("n1", "tier", "hot"))) == {"a": "n1"}
    undone = run(cluster, LabelNodes("*", "tier", "hot"), LabelNodes("n1", "tier", None))
    assert placements(undone) == {"a": None}

    tainted = [node("n1", taints=["dedicated=gpu:NoSchedule"]), pod("a")]
    assert placements(run(tainted)) == {"a": None}
    assert placements(run(tainted, TaintNodes("n1", Taint(key="dedicated"), remove=True))) == {"a": "n1"}


def test_patch_of_a_node_and_of_a_workload():
    patch = Patch({"kind": "Node", "metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "8"}}})
    assert placements(run([node("n1"), pod("a", cpu="6")], patch)) == {"a": "n1"}

    cluster = [node("n1", cpu="2"), WEB, owned_replica_set("web-abc", WEB), replica("web-abc-1", "n1")]
    smaller = {"kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 1}}
    assert len(run(cluster, Patch(smaller)).tasks) == 1


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        pytest.param(
            {"spec": {"replicsa": 1}}, 'spec.replicsa: unknown field; did you mean "replicas"', id="misspelt"
        ),
        pytest.param({"replicas": 1}, "replicas: unknown field; it belongs at spec.replicas", id="misplaced"),
        pytest.param(
            {"spec": {"template": {"spec": {"nodeSelektor": None}}}},
            'spec.template.spec.nodeSelektor: unknown field; did you mean "nodeSelector"',
            id="removed",
        ),
    ],
)
def test_a_patch_of_a_field_that_there_is_not(patch, message):
    change = Patch({"kind": "Deployment", "metadata": {"name": "web"}, **patch})
    with pytest.raises(UsageError, match=re.escape(message)):
        run([node("n1"), WEB], change)


def test_merge_patch():
    target = {"a": {"b": 1, "c": 2}, "d": [1, 2]}

    assert merge_patch(target, {"a": {"b": None, "e": 3}, "d": [3]}) == {"a": {"c": 2, "e": 3}, "d": [3]}
    assert target == {"a": {"b": 1, "c": 2}, "d": [1, 2]}


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ("n2", ["n2"]),
        ("*", ["n1", "n2", "n3"]),
        ("topology.kubernetes.io/zone=a", ["n1", "n2"]),
        ("topology.kubernetes.io/zone==a,kubernetes.io/hostname!=n1", ["n2"]),
        ("topology.kubernetes.io/zone in (a, b)", ["n1", "n2", "n3"]),
        ("topology.kubernetes.io/zone notin (a),kubernetes.io/hostname", ["n3"]),
        ("!nothing", ["n1", "n2", "n3"]),
    ],
)
def test_nodes_by_name_and_selector(selector, names):
    assert [n.name for n in find_nodes(World(objects(NODES)), selector)] == names


@pytest.mark.parametrize(
    ("change", "message", "hint"),
    [
        (DrainNodes("n11"), "there is no node 'n11'", "Did you mean n1"),
        (DrainNodes("topology.kubernetes.io/zone=c"), "no node matches", "are a, b"),
        (DrainNodes("rack=7"), "no node matches", "No node has the label rack"),
        (Scale("deployment/wob", 1), "there is no Deployment wob in namespace default", "Did you mean web"),
        (Scale("shop/deployment/web", 1), "there is no Deployment web in namespace shop", None),
        (Scale("gadget/web", 1), "'gadget' is no kind", None),
        (Scale("web", 1), "is no reference", "KIND/NAME"),
        (Scale("node/n1", 1), "is no workload", None),
        (Delete("pdb/x"), "there is no PodDisruptionBudget x", None),
        (AddNode(like="n9"), "there is no node 'n9'", None),
    ],
)
def test_what_is_not_there_is_told(change, message, hint):
    world = World(objects(NODES, WEB))
    with pytest.raises(UsageError, match=message) as error:
        change.apply(world)
    if hint:
        assert hint in (error.value.hint or "")


def test_a_selector_without_meaning_is_told():
    with pytest.raises(UsageError, match="is no label selector"):
        parse_selector("a=b,=c")


@pytest.mark.parametrize("numbers", [(5, 3), (1, 4), (0, 2, 3), (4, 4)], ids=str)
def test_the_last_number_of_replicas_counts(numbers):
    release = workload("ReplicaSet", "web", 2)
    running = [replica(name, "n1", owner="web", cpu="1") for name in ("web-a", "web-b")]
    found = run(
        [node("n1", cpu="9"), release, *running],
        *(Scale("ReplicaSet/web", number) for number in numbers),
    )
    cluster = found.session.cluster
    there = [r.name for r in cluster.pods.records if cluster.pods.node[r.id] >= 0]
    assert len(there) == numbers[-1]
