"""Nodes that can go: each answer is proved by drains from scratch, and none is below what is possible."""

import random
from collections import Counter
from itertools import combinations

import pytest
from builders import Data, pod, session

from kschedctl.objects.node import Node
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.capacity.headroom import parse_headroom
from kschedctl.whatif.disruption.drain import drain
from kschedctl.whatif.disruption.survival import FailureUnit, fatal_losses
from kschedctl.whatif.fleet.catalogue import Shape
from kschedctl.whatif.fleet.consolidation import ConsolidationWish, ShrunkCluster, consolidate
from kschedctl.whatif.fleet.failures import Survival
from kschedctl.whatif.fleet.fixed_nodes import Hold
from kschedctl.whatif.session import Session
from kschedctl.whatif.simulate import Plan, settled_session, simulate
from kschedctl.whatif.world.changes import Cordon, RemoveNode
from kschedctl.whatif.world.removal import remove_nodes
from kschedctl.whatif.world.settled import settled_objects
from kschedctl.whatif.world.world import World
from whatif.builders import node, objects, replica, workload

OPTIONS = SchedulingOptions()
PRICES = {4: 0.2, 8: 0.37, 16: 0.8}


def shapes(prices=None):
    found = []
    for cpu, price in (prices or PRICES).items():
        (template,) = objects([node("x", cpu=str(cpu), memory=f"{cpu * 4}Gi")])
        found.append(Shape(f"s{cpu}", template=template, price=price))
    return found


def sized(name, cpu, zone="", **more):
    return node(name, zone, cpu=str(cpu), memory=f"{cpu * 4}Gi", **more)


def budget(name, app, **spec) -> Data:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"app": app}}, **spec},
    }


def shrunk(cluster, release=(), **wish) -> ShrunkCluster:
    return consolidate(session(cluster), OPTIONS, ConsolidationWish(Plan(objects(release)), **wish))


def names(found: ShrunkCluster) -> list[str]:
    return [removal.node.name for removal in found.removed]


def after_each_step(cluster, found: ShrunkCluster) -> Session:
    """The nodes of a round cordoned, then drained and deleted one after the other, each by a drain of its own."""
    now = session(cluster)
    for number in range(1, len(found.drains) + 1):
        going = [removal.node.name for removal in found.removed if removal.round == number]
        for name in going:
            closed = [
                Cordon(other) for other in going if any(n.name == other for n in now.cluster.nodes.objects)
            ]
            plan = drain(now, OPTIONS, [name], changes=closed)
            assert plan.possible, name
            world = World(settled_objects(plan.world, plan.session.cluster))
            remove_nodes(world, [n for n in world.all(Node) if n.name == name])
            now = now.with_objects(world.objects, OPTIONS)
    return now


def random_cluster(rng, count, *, full=0.7):
    """Nodes of three sizes in three zones, with replicas that are on them as luck had it."""
    sizes = [rng.choice((4, 8, 16)) for _ in range(count)]
    cluster = [sized(f"n{i}", size, f"z{i % 3}") for i, size in enumerate(sizes)]
    free, wanted = [size * 1000 for size in sizes], sum(sizes) * 1000 * (1 - full)
    for at in range(count * 2):
        cpu, alone = rng.choice((250, 500, 1000, 2000)), rng.random() < 0.2
        took: set[int] = set()
        for one in range(rng.randint(1, 6)):
            fits = [i for i in range(count) if free[i] >= cpu and not (alone and i in took)]
            if not fits or sum(free) < wanted:
                break
            i = rng.choice(fits)
            took.add(i)
            free[i] -= cpu
            apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": f"w{at}"}}}
            ]}}  # fmt: skip
            cluster.append(
                replica(
                    f"w{at}-{one}",
                    f"n{i}",
                    owner=f"w{at}",
                    cpu=f"{cpu}m",
                    labels={"app": f"w{at}"},
                    **({"affinity": apart} if alone else {}),
                )
            )
        if rng.random() < 0.3:
            cluster.append(budget(f"b{at}", f"w{at}", maxUnavailable=1))
    return cluster


@pytest.mark.parametrize("priced", [pytest.param(True, id="prices"), pytest.param(False, id="no prices")])
@pytest.mark.parametrize("seed", range(3))
def test_each_answer_is_proved_and_none_is_below_the_bound(seed, priced):
    cluster = random_cluster(random.Random(seed), 10)
    found = shrunk(cluster, shapes=shapes() if priced else ())

    assert found.cost - found.saved >= found.bound
    left = after_each_step(cluster, found)
    assert {n.name for n in left.cluster.nodes.objects} == found.held.keys()
    running = Counter(one["metadata"]["labels"]["app"] for one in cluster if one["kind"] == "Pod")
    assert Counter(pod.pod.labels["app"] for pod in left.cluster.pods.records) == running
    for name, held in found.held.items():  # with any node less pods are left
        if held.hold is Hold.ROOM:
            assert not drain(left, OPTIONS, [name]).possible


@pytest.mark.parametrize("seed", range(2))
def test_no_choice_of_nodes_saves_much_more(seed):
    """Against every choice of six nodes, drained from scratch."""
    cluster = random_cluster(random.Random(100 + seed), 6, full=0.5)
    found = shrunk(cluster, shapes=shapes())
    price = {n["metadata"]["name"]: PRICES[int(n["status"]["allocatable"]["cpu"])] for n in cluster[:6]}

    best = max(
        sum(map(price.get, gone))
        for count in range(6)
        for gone in combinations(price, count)
        if sum(map(price.get, gone)) <= found.saved or drain(session(cluster), OPTIONS, gone).possible
    )
    assert found.saved == pytest.approx(best)
    assert found.cost - best >= found.bound


def test_the_dear_one_goes():
    cluster = [
        sized("cheap", 4),
        sized("dear", 8),
        sized("kept", 16, labels={"node-role.kubernetes.io/control-plane": ""}),
        replica("a", "cheap", cpu="1"),
        replica("b", "dear", cpu="1"),
        replica("c", "kept", cpu="15"),
    ]
    found = shrunk(cluster, shapes=shapes())

    assert (names(found), found.saved) == (["dear"], 0.37)
    assert found.bound == pytest.approx(1.0, abs=1e-3)
    assert found.held["kept"].hold is Hold.CONTROL_PLANE
    assert found.held["cheap"].hold is Hold.ROOM


def test_what_is_empty_goes_first_and_then_what_saves_most_for_a_move():
    cluster = [
        *(sized(name, 4) for name in ("one", "none", "two")),
        sized("rest", 16),
        replica("a", "one", cpu="1"),
        replica("b", "two", cpu="1"),
        replica("c", "two", cpu="1"),
        replica("d", "rest", cpu="8"),
    ]
    found = shrunk(cluster)

    assert names(found) == ["none", "one", "two"]
    assert [len(removal.moved) for removal in found.removed] == [0, 1, 2]
    assert {drained.task.node for removal in found.removed for drained in removal.moved} == {"rest"}


UNDISTURBED = replica("r", "n1")
UNDISTURBED["metadata"]["annotations"] = {"karpenter.sh/do-not-disrupt": "true"}
ONE_REPLICA = replica("db", "n1", cpu="1", labels={"app": "db"})


@pytest.mark.parametrize(
    ("more", "wish", "hold", "text"),
    [
        pytest.param(
            [pod("bare", "n1", cpu="1")], {}, Hold.BARE_POD, "nothing controls a pod", id="a bare pod"
        ),
        pytest.param(
            [ONE_REPLICA, budget("db", "db", minAvailable=1)],
            {},
            Hold.BUDGET,
            "default/db allows no disruption: 1 of 1 pods healthy, 1 needed by minAvailable 1",
            id="a budget",
        ),
        pytest.param(
            [ONE_REPLICA, budget("x", "db", maxUnavailable=1), budget("y", "db", maxUnavailable=1)],
            {},
            Hold.BUDGET,
            "several budgets cover a pod, which is never evicted: default/x and default/y",
            id="two budgets",
        ),
        pytest.param(
            [UNDISTURBED],
            {},
            Hold.ANNOTATION,
            "the annotation karpenter.sh/do-not-disrupt: true of a pod",
            id="an annotation of a pod",
        ),
        pytest.param(
            [], {"keep": ["kubernetes.io/hostname=n1", "n2"]}, Hold.ASKED, "it is to be kept", id="--keep"
        ),
        pytest.param(
            [], {"shapes": shapes({4: 1})}, Hold.PRICE, "no shape of the catalogue is like it", id="price"
        ),
        pytest.param(
            [replica("r", "n1", tolerations=[{"operator": "Exists"}], nodeSelector={"on": "n1"})],
            {},
            Hold.RETURN,
            "its pods tolerate the cordon",
            id="a pod that comes back",
        ),
        pytest.param(
            [replica("r", "n1", cpu="7")], {}, Hold.ROOM, "its pods would find no other node", id="no room"
        ),
    ],
)
def test_what_keeps_a_node(more, wish, hold, text):
    cluster = [sized("n1", 8, labels={"on": "n1"}), sized("n2", 4), replica("a", "n2", cpu="1"), *more]
    found = shrunk(cluster, **{"keep": ["n2"]} | wish)

    assert "n1" not in names(found)
    assert found.held["n1"].hold is hold
    assert text in found.held["n1"].text


def test_a_budget_that_makes_evictions_wait():
    cluster = [sized("n1", 4), sized("n2", 8)]
    cluster += [replica(f"r{i}", "n1", cpu="1", labels={"app": "web"}) for i in range(3)]
    cluster += [budget("web", "web", maxUnavailable=1), replica("big", "n2", cpu="5")]
    found = shrunk(cluster)

    assert names(found) == ["n1"]
    (plan,) = found.drains
    assert plan.waves == 3


@pytest.mark.parametrize(
    ("survival", "unit"),
    [
        pytest.param(Survival(nodes=1), FailureUnit.NODES, id="a node"),
        pytest.param(Survival(zones=1), FailureUnit.ZONES, id="a zone"),
    ],
)
def test_failures_that_are_survived_in_the_end(survival, unit):
    cluster = [sized(f"n{i}", 4, f"z{i % 3}") for i in range(6)]
    cluster += [replica(f"r{i}", f"n{i}", cpu="1") for i in range(6)]
    found = shrunk(cluster, survival=survival)

    assert found.removed
    assert len(found.removed) < len(shrunk(cluster).removed)
    left = after_each_step(cluster, found)
    world = World(left.objects)
    assert not list(fatal_losses(unit, left, world.workload_of, 1))
    assert {held.hold for held in found.held.values()} == {Hold.FAILURE}


def test_what_is_not_survived_even_with_all_nodes():
    found = shrunk([sized("n1", 4), replica("r", "n1", cpu="3")], survival=Survival(nodes=1))

    assert (names(found), found.failed) == ([], ("n1",))


def test_a_release_that_fits_takes_part_and_one_that_does_not_stops_it():
    cluster = [sized("n1", 4), sized("n2", 4)]
    fits, huge = workload("Deployment", "web", 3, cpu="1"), workload("Deployment", "huge", 1, cpu="9")

    assert len(shrunk(cluster).removed) == 2
    assert len(shrunk(cluster, [fits]).removed) == 1
    gone = [RemoveNode(name) for name in names(shrunk(cluster, [fits]))]
    without = simulate(session(cluster), OPTIONS, Plan(objects([fits]), changes=gone))
    assert all(task.placed for task in without.tasks)
    stopped = shrunk(cluster, [huge])
    assert (names(stopped), [task.workload.name for task in stopped.lacking]) == ([], ["huge"])


def test_pods_that_are_pending_anyway_do_not_stop_it():
    cluster = [sized("n1", 4), sized("n2", 4), replica("a", "n1", cpu="1"), replica("waits", cpu="9")]

    assert len(names(shrunk(cluster))) == 1


def test_a_pending_pod_that_fits_is_not_left_without_a_node():
    cluster = [sized("n1", 4), sized("n2", 4), replica("a", "n1", cpu="2"), replica("waits", cpu="3")]

    assert names(shrunk(cluster)) == []


def test_headroom_is_kept_free_and_what_runs_there_may_stay():
    cluster = [sized("full", 4), sized("half", 4), sized("none", 4)]
    cluster += [replica("a", "full", cpu="4"), replica("b", "half", cpu="2")]
    found = shrunk(cluster, headroom=[parse_headroom("cpu=25%")])

    assert names(found) == ["none"]
    assert found.bound <= found.cost - found.saved
    assert found.after.total()["cpu"].allocatable == 8000


def test_daemons_and_static_pods_do_not_keep_a_node():
    static = pod("static", "n1", cpu="1")
    static["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
    daemon = pod("daemon-x", "n1", cpu="1", owner={"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d"})
    cluster = [sized("n1", 4), sized("n2", 4), static, daemon, replica("r", "n2", cpu="3")]

    assert names(shrunk(cluster)) == ["n1"]


def test_pods_that_move_twice_are_moved_in_rounds():
    """What goes only once others have gone is closed in a round of its own."""
    cluster = random_cluster(random.Random(5), 14, full=0.5)
    found = shrunk(cluster, shapes=shapes())

    assert [len(plan.nodes) for plan in found.drains] == [4, 1]
    assert [removal.round for removal in found.removed] == [1, 1, 1, 1, 2]
    after_each_step(cluster, found)


def test_the_base_is_what_a_simulation_finds():
    cluster = random_cluster(random.Random(3), 6)
    found = shrunk(cluster)

    base = settled_session(simulate(session(cluster), OPTIONS, Plan()))
    assert found.found.session.cluster.nodes.count == base.cluster.nodes.count == 6
