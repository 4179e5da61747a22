"""Mixes of nodes: each is proved by a simulation from scratch, and none is below what is possible."""

import random

import pytest
from builders import node as a_node
from builders import profile, session

from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.disruption.survival import FailureUnit, fatal_losses
from kschedctl.whatif.fleet.catalogue import Shape
from kschedctl.whatif.fleet.mix import cheapest_fleet
from kschedctl.whatif.fleet.wish import Wish
from kschedctl.whatif.simulate import Plan, settled_session, simulate
from whatif.builders import node, objects, workload

ZONE = "topology.kubernetes.io/zone"
OPTIONS = SchedulingOptions()


def shape(name, cpu, price, *, zones=(), limit=None, **more):
    (template,) = objects([node(name, cpu=str(cpu), **more)])
    return Shape(name, template=template, price=price, zones=zones, limit=limit)


def bought(cluster, release, shapes, config=None, **wish):
    return cheapest_fleet(
        session(cluster, config=config), OPTIONS, Wish(Plan(objects(release)), shapes, **wish)
    )


def counts(fleet, shapes):
    found = {}
    for column, count in zip(fleet.columns, fleet.mix, strict=True):
        if count:
            found[shapes[column.shape].name, column.zone] = count
    return found


def from_scratch(cluster, release, shapes, mix, columns):
    """The simulation with these nodes, as somebody else would run it."""
    added = [
        shapes[column.shape].bought(column.zone, count)
        for column, count in zip(columns, mix, strict=True)
        if count
    ]
    return simulate(session(cluster), OPTIONS, Plan(objects(release), changes=added))


def test_nothing_is_bought_where_everything_fits():
    shapes = [shape("small", 4, 1)]
    fleet = bought([node("n1", cpu="4")], [workload("Deployment", "web", 3)], shapes)

    assert fleet.possible
    assert (fleet.mix, fleet.cost, fleet.bound) == ((0,), 0, pytest.approx(0))


def test_the_cheaper_of_two_shapes():
    shapes = [shape("small", 4, 1), shape("large", 16, 3)]
    fleet = bought([], [workload("Deployment", "web", 16, cpu="1")], shapes)

    assert counts(fleet, shapes) == {("large", ""): 1}
    assert fleet.bound == pytest.approx(3, abs=1e-3)


def test_scores_by_a_resource_that_nobody_has():
    """It is met where scores are first taken: on the one node that is there none are."""
    args = {
        "scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "nobody.has/this", "weight": 1}]}
    }
    enabled = [{"name": name} for name in ("PrioritySort", "DefaultBinder", "NodeResourcesFit")]
    config = profile(
        "NodeResourcesFit", args, plugins={"multiPoint": {"disabled": [{"name": "*"}], "enabled": enabled}}
    )
    shapes = [shape("small", 4, 1)]
    release = [
        workload("Deployment", "other", 1, pod={"schedulerName": "of-somebody-else"}),
        *(workload("Deployment", name, 1, cpu=cpu) for name, cpu in (("web", "1"), ("db", "2"))),
    ]
    fleet = bought([node("n1", cpu="4")], release, shapes, config)

    assert counts(fleet, shapes) == {}
    assert not fleet.possible


def test_a_limit():
    shapes = [shape("small", 4, 1), shape("large", 16, 3, limit=0)]
    fleet = bought([], [workload("Deployment", "web", 16, cpu="1")], shapes)

    assert counts(fleet, shapes) == {("small", ""): 4}


def test_pods_that_no_shape_can_take():
    shapes = [shape("small", 4, 1)]
    release = [workload("Deployment", "web", 2, cpu="1"), workload("Deployment", "huge", 1, cpu="9")]
    fleet = bought([], release, shapes)

    assert not fleet.possible
    assert [task.workload.name for task in fleet.homeless] == ["huge"]
    assert fleet.bound is None
    assert counts(fleet, shapes) == {("small", ""): 1}


def test_a_failure_that_is_to_be_survived():
    shapes = [shape("small", 4, 1, zones=("a", "b"))]
    release = [workload("Deployment", "web", 4, cpu="1")]

    alone = bought([], release, shapes)
    assert alone.cost == 1
    for wish, unit in (
        ({"survive_nodes": 1}, FailureUnit.NODES),
        ({"survive_zones": 1}, FailureUnit.ZONES),
    ):
        fleet = bought([], release, shapes, **wish)
        assert fleet.possible
        assert fleet.cost == 2
        found = from_scratch([], release, shapes, fleet.mix, fleet.columns)
        assert not list(fatal_losses(unit, settled_session(found), found.world.workload_of, 1))


def random_release(rng):
    for at in range(rng.randint(2, 6)):
        name = f"w{at}"
        labels = {"matchLabels": {"app": name}}
        more = {}
        if rng.random() < 0.3:
            more["topologySpreadConstraints"] = [
                {
                    "maxSkew": 1,
                    "topologyKey": ZONE,
                    "whenUnsatisfiable": "DoNotSchedule",
                    "labelSelector": labels,
                }
            ]
        yield workload(
            "Deployment", name, rng.randint(1, 8), cpu=f"{rng.choice((250, 500, 1000, 1500))}m", **more
        )


@pytest.mark.parametrize("seed", range(6))
def test_each_answer_is_proved_and_none_is_below_the_bound(seed):
    rng = random.Random(seed)
    shapes = [
        shape(f"s{at}", rng.choice((4, 8, 16)), rng.randint(2, 9) / 4, zones=("a", "b")[: rng.randint(1, 2)])
        for at in range(rng.randint(1, 3))
    ]
    cluster, release = [a_node("old", "a", cpu="2")], list(random_release(rng))
    fleet = bought(cluster, release, shapes, most_trials=60)

    assert fleet.possible
    assert fleet.cost >= fleet.bound
    found = from_scratch(cluster, release, shapes, fleet.mix, fleet.columns)
    assert all(task.placed for task in found.tasks)
    for place, count in enumerate(fleet.mix if fleet.all_tried else ()):
        if count:  # with any node less pods are left
            less = [n - (at == place) for at, n in enumerate(fleet.mix)]
            found = from_scratch(cluster, release, shapes, less, fleet.columns)
            assert not all(task.placed for task in found.tasks)
