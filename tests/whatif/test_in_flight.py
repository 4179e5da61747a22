"""Many pods while victims still terminate, several workloads that roll at once, and the order in which pods arrive."""

import random
from collections import Counter

import pytest
from builders import profile
from random_clusters import random_objects, random_pod

from kschedctl.run.story import Happening
from kschedctl.whatif.queue.effects import EffectsModel
from kschedctl.whatif.world.change_forms import RolloutMode

from .builders import node, owned_replica_set, placements, pod, replica, run, workload

SURGE = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
IN_PLACE = {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}


@pytest.mark.parametrize(
    ("effects", "taken"),
    [
        pytest.param(EffectsModel.IN_FLIGHT, [1, 1, 1], id="victims still count for the next pod"),
        pytest.param(EffectsModel.IMMEDIATE, [2, 1], id="the room of all victims of a node is free"),
    ],
)
@pytest.mark.parametrize("grace", [0, 30])
def test_three_pods_preempt_on_three_nodes(effects, taken, grace):
    nodes = [node(name, cpu="2") for name in "abc"]
    low = [
        replica(f"low-{name}{i}", name, cpu="1", priority=0, terminationGracePeriodSeconds=grace)
        for name in "abc"
        for i in (1, 2)
    ]
    high = workload("Deployment", "high", 3, pod={"priority": 100})
    found = run([*nodes, *low], manifests=[high], effects=effects)

    hits = Counter(eviction.node for eviction in found.evictions)
    assert sorted(hits.values(), reverse=True) == taken
    assert len(found.pending) == 3
    assert found.seconds == {EffectsModel.IN_FLIGHT: max(grace, 1), EffectsModel.IMMEDIATE: 0}[effects]
    assert bool(found.story) is (effects is EffectsModel.IN_FLIGHT)


def deployed(name: str, replicas: int, cpu: str = "2") -> list[dict]:
    before = workload("Deployment", name, replicas, cpu=cpu)
    pods = [replica(f"{name}-abc-{i}", "n", f"{name}-abc", cpu=cpu) for i in range(replicas)]
    return [before, owned_replica_set(f"{name}-abc", before), *pods]


@pytest.mark.parametrize("effects", EffectsModel)
@pytest.mark.parametrize("replicas", [1, 6])
def test_one_workload_frees_the_room_that_another_needs(replicas, effects):
    cluster = [node("n", cpu=str(4 * replicas)), *deployed("a", replicas), *deployed("b", replicas)]
    release = [
        workload("Deployment", "a", replicas, strategy=SURGE),
        workload("Deployment", "b", replicas, strategy=IN_PLACE),
    ]
    found = run(cluster, manifests=release, rollout=RolloutMode.ROLLING, effects=effects)

    assert [(update.updated, update.old, update.stuck) for update in found.rollouts] == [
        (replicas, 0, "")
    ] * 2
    assert found.pending == []


def test_a_member_frees_the_room_that_another_workload_needs():
    owner = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db"}
    members = [
        workload("StatefulSet", "db", 2, cpu="2"),
        *(pod(f"db-{i}", "n", cpu="2", owner=owner) for i in (0, 1)),
    ]
    release = [workload("Deployment", "a", 2, strategy=SURGE), workload("StatefulSet", "db", 2)]
    found = run(
        [node("n", cpu="8"), *deployed("a", 2), *members], manifests=release, rollout=RolloutMode.ROLLING
    )

    assert [(update.updated, update.old, update.stuck) for update in found.rollouts] == [(2, 0, "")] * 2


def test_none_can_go_on_where_both_wait_for_room():
    cluster = [node("n", cpu="4"), *deployed("a", 1), *deployed("b", 1)]
    release = [workload("Deployment", name, 1, strategy=SURGE) for name in "ab"]
    found = run(cluster, manifests=release, rollout=RolloutMode.ROLLING)

    assert [(update.updated, update.old) for update in found.rollouts] == [(0, 1), (0, 1)]
    for update in found.rollouts:
        name = update.stuck.partition(":")[0]
        assert [task.placed for task in found.tasks if task.name == name] == [False]


def created(name: str, at: str, **parts: object) -> dict:
    data = pod(name, cpu="3", **parts)
    data["metadata"]["creationTimestamp"] = at
    return data


@pytest.mark.parametrize("effects", EffectsModel)
@pytest.mark.parametrize(
    ("late", "early", "first"),
    [
        pytest.param("2026-03-02T00:00:00Z", "2026-03-01T00:00:00Z", "b", id="the older pod"),
        pytest.param("2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z", "a", id="of the same age the first one"),
    ],
)
def test_who_comes_first(late, early, first, effects):
    found = run([node("n", cpu="4"), created("a", late), created("b", early)], effects=effects)

    assert placements(found) == {"a": None, "b": None} | {first: "n"}


def test_priority_comes_before_age():
    high = created("high", "2026-03-02T00:00:00Z", priority=10)
    found = run([node("n", cpu="4"), high, created("old", "2026-03-01T00:00:00Z")])

    assert placements(found) == {"high": "n", "old": None}


def test_manifests_come_in_their_order():
    found = run([node("n", cpu="4")], manifests=[pod("b", cpu="3"), pod("a", cpu="3")])

    assert placements(found) == {"b": "n", "a": None}


def test_what_is_told_of_a_pod_that_waits_is_as_things_are_at_the_end():
    low = replica("low", "n", cpu="2", priority=0)
    found = run([node("n", cpu="2"), low, pod("high", cpu="2", priority=9)])

    (waits,) = found.pending
    assert waits.message.startswith("0/1 nodes are available: 1 Insufficient cpu.")
    assert [event.happening for event in found.story if event.pod == "default/low"] == [
        Happening.PREEMPTED,
        Happening.GONE,
    ]


def test_pods_that_were_ending_before_stay_where_nobody_knows_for_how_long():
    ending = pod("ending", "n", cpu="2", terminating=True)
    found = run([node("n", cpu="2"), ending, pod("waits", cpu="2")])

    assert placements(found) == {"waits": None}


def test_they_go_where_a_preemptor_waits_for_them():
    ending = pod("ending", "n", cpu="2", priority=0, terminating=True)
    found = run([node("n", cpu="2"), ending, pod("high", cpu="2", priority=9)])

    assert placements(found) == {"high": "n"}


@pytest.mark.parametrize(
    ("effects", "gates", "notes"),
    [
        pytest.param(EffectsModel.IN_FLIGHT, {}, 1, id="on"),
        pytest.param(EffectsModel.IN_FLIGHT, {"OpportunisticBatching": False}, 0, id="off"),
        pytest.param(EffectsModel.IMMEDIATE, {}, 0, id="without a queue"),
    ],
)
def test_pods_that_share_scores_are_told(effects, gates, notes):
    config = profile("PodTopologySpread", {"defaultingType": "List"})
    nodes = [node(name) for name in "abc"]
    found = run(
        nodes, manifests=[workload("Deployment", "web", 3)], config=config, gates=gates, effects=effects
    )
    told = [note for note in found.notes if "OpportunisticBatching" in note]
    assert len(told) == notes
    assert all(note.startswith("2 pods went where the scores of an equal pod led") for note in told)


@pytest.mark.parametrize("seed", range(6))
def test_where_nothing_preempts_both_models_place_alike(seed):
    rng = random.Random(seed)
    cluster = list(random_objects(rng, 6))
    kinds = [random_pod(rng, "") for _ in range(5)]
    for i in range(24):
        kind = rng.choice(kinds)
        spec = kind["spec"] | {"priority": rng.choice((0, 0, 50))}
        cluster.append(kind | {"metadata": kind["metadata"] | {"name": f"p{i:02}"}, "spec": spec})
    one, other = (run(cluster, effects=effects, preemption=False) for effects in EffectsModel)

    assert placements(one) == placements(other)
    assert any(placements(one).values())
