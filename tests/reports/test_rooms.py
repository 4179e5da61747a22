"""The room of nodes: who holds it, what is free, in what pieces, and what nobody can use."""

import pytest
from builders import node, pod, session

from kschedctl.objects.units import amount_text
from kschedctl.reports.figures import NodeGroup
from kschedctl.reports.rooms.build import rooms_now, rooms_of
from kschedctl.reports.rooms.grid import room_figures, room_grid, room_text
from kschedctl.reports.rooms.histogram import histogram
from kschedctl.reports.rooms.model import NodeRoom
from kschedctl.reports.rooms.resources import told_resources
from kschedctl.reports.rooms.stranded import stranded
from kschedctl.reports.rooms.strips import room_sentence, room_strips
from kschedctl.whatif.world.largest_pods import largest_pods
from kschedctl.whatif.world.utilization import Utilization
from kschedctl.writers.catalogue import CATALOGUE

ZONE, RACK = "topology.kubernetes.io/zone", "topology.kubernetes.io/rack"


def room(name, has=4000, used=0, *, before=None, closed=None, **facts):
    """A node with cpu, memory in bytes and pods, of which as much memory is requested as of cpu."""
    after = None if used is None else {"cpu": used, "memory": used, "pods": 1}
    return NodeRoom(
        name=name,
        zone=facts.pop("zone", None),
        pool=None,
        rack=None,
        closed=closed,
        allocatable={"cpu": has, "memory": facts.pop("memory", has), "pods": 110},
        before=None if before is None else {"cpu": before, "memory": before, "pods": 1},
        after=after,
        largest=facts.pop("largest", []),
    )


def test_the_largest_pods_are_those_with_the_largest_share_of_anything():
    nodes = [node("a", cpu="4", memory="4Gi"), node("b", cpu="4", memory="64Gi"), node("c")]
    pods = [
        pod("cpu", "a", cpu="2"),
        pod("nothing", "a"),
        pod("memory", "a", memory="3Gi"),
        pod("small", "a", cpu="100m"),
        pod("least", "a", cpu="50m"),
        pod("cpu", "b", cpu="2", namespace="other"),
        pod("memory", "b", memory="3Gi"),
        pod("pending", cpu="1"),
    ]
    found = largest_pods(session(*nodes, *pods).cluster, 3)
    assert found == [
        ["default/memory", "default/cpu", "default/small"],
        ["other/cpu", "default/memory"],
        [],
    ]


def test_nodes_without_pods_hold_nothing():
    assert largest_pods(session(node("a"), node("b")).cluster, 3) == [[], []]


def test_a_room_is_what_a_node_has_and_where_it_is():
    here = node("a", cpu="4", memory="8Gi", labels={ZONE: "z", "agentpool": "p", RACK: "r"}, cordoned=True)
    (found,) = rooms_now(session(here, pod("x", "a", cpu="1500m")).cluster)
    assert (found.zone, found.pool, found.rack, found.closed) == ("z", "p", "r", "cordoned")
    assert (found.allocatable["cpu"], found.after["cpu"], found.before) == (4000, 1500, None)
    assert found.share("cpu") == 0.375
    assert amount_text("cpu", found.free("cpu")) == "2.5"
    assert found.largest == ["default/x"]


def test_before_and_after_are_those_of_the_same_node():
    was = Utilization.of(session(node("a", cpu="4"), node("b", cpu="4"), pod("x", "b", cpu="1")).cluster)
    then = session(node("b", cpu="4"), node("c", cpu="4"), pod("x", "b", cpu="2")).cluster
    found = {one.name: one for one in rooms_of(was, Utilization.of(then), then)}
    assert list(found) == ["b", "c", "a"]
    assert (found["b"].before["cpu"], found["b"].after["cpu"]) == (1000, 2000)
    assert (found["c"].before, found["c"].after["cpu"]) == (None, 0)
    assert (found["a"].before["cpu"], found["a"].after) == (0, None)


def test_resources_that_nobody_asks_for_are_not_told():
    nodes = [node("a", more={"example.com/gpu": "1", "example.com/nic": "1"})]
    rooms = rooms_now(session(*nodes, pod("x", "a", more={"example.com/gpu": "1"})).cluster)
    assert told_resources(rooms) == ["cpu", "memory", "example.com/gpu", "pods"]


@pytest.mark.parametrize(
    ("rooms", "amount", "nodes"),
    [
        pytest.param([room("a", 4000, 1000, memory=1000)], 3000, 1, id="memory is used up"),
        pytest.param([room("a", 4000, 1000, memory=1100)], 0, 0, id="some memory is left"),
        pytest.param([room("a", 4000, 1000, memory=1000, closed="cordoned")], 0, 0, id="a closed node"),
        pytest.param([room("a", 4000, None, before=1000, memory=1000)], 0, 0, id="a node that is gone"),
        pytest.param([room("a", 4000, 4000)], 0, 0, id="full of both"),
        pytest.param(
            [room("a", 4000, 1000, memory=1000), room("b", 4000, 2000, memory=2000)], 5000, 2, id="two nodes"
        ),
    ],
)
def test_room_is_stranded_where_something_else_is_used_up(rooms, amount, nodes):
    assert stranded("cpu", rooms) == (amount, nodes)


@pytest.mark.parametrize(
    ("rooms", "told"),
    [
        pytest.param([room("a", 4000, 1000)], "3 free on 1 node", id="one"),
        pytest.param(
            [room("a", 4000, 1000), room("b", 4000, 2000), room("c", 4000, 0, closed="cordoned")],
            "5 free on 2 nodes, at most 3 on one of them",
            id="pieces",
        ),
        pytest.param(
            [room("a", 4000, 1000, memory=1000)],
            "3 free on 1 node; 3 of it stranded on 1 node where something else is used up",
            id="stranded",
        ),
        pytest.param([room("a", 4000, 4000), room("b", 4000, 5000)], "0 free on 2 nodes", id="full"),
    ],
)
def test_what_is_free_is_told_in_pieces(rooms, told):
    assert room_sentence("cpu", rooms) == told


@pytest.mark.parametrize(
    ("resource", "free", "told"),
    [
        pytest.param("cpu", [0, 0], [("none", 2)], id="none"),
        pytest.param(
            "cpu",
            [250, 900, 3000, 4000],
            [("up to 0.25", 1), ("0.25 to 0.5", 0), ("0.5 to 1", 1), ("1 to 2", 0), ("2 to 4", 2)],
            id="doubling",
        ),
        pytest.param(
            "cpu",
            [0, 16000],
            [("none", 1), ("up to 1", 0), ("1 to 2", 0), ("2 to 4", 0), ("4 to 8", 0), ("8 to 16", 1)],
            id="a gap",
        ),
        pytest.param("memory", [3 * 2**30], [("2Gi to 4Gi", 1)], id="bytes"),
        pytest.param("cpu", [3], [("up to 0.007", 1)], id="next to nothing"),
        pytest.param("cpu", [], [], id="no node"),
    ],
)
def test_free_room_is_counted_in_bins_that_double(resource, free, told):
    assert histogram(resource, free) == told


def test_strips_are_sorted_and_leave_out_what_takes_no_pods():
    rooms = [
        room("a", 4000, 1000, before=4000),
        room("b", 4000, 3000),
        room("c", 4000, 0, closed="not ready"),
    ]
    (found,) = room_strips(rooms)
    assert [strip.label for strip in found.strips] == ["cpu", "memory", "pods"]
    assert (found.strips[0].before, found.strips[0].after) == ([1.0], [0.75, 0.25])
    assert room_strips([]) == []


def test_a_room_is_told_in_a_line():
    told = room_text(room("a", 4000, 1000, zone="z", closed="cordoned", largest=["shop/web", "shop/db"]))
    assert (
        told == "z, cordoned, cpu 3 of 4 free, memory 2.9Ki of 3.9Ki free, pods 109 of 110 free, "
        "largest shop/web, shop/db"
    )
    assert room_text(room("a", used=None, zone="z")) == "z, gone"


def test_a_grid_can_be_shaded_by_what_is_free_and_parted_by_where_nodes_are():
    rooms = [room("a", 4000, 1000, zone="y"), room("b", 4000, 6000, zone="z"), room("c", 0, 0)]
    grid = room_grid("nodes", [NodeGroup("fits", True, [("a", "41 points"), ("b", "")])], "verdict", rooms)
    shares = {shading.label: shading.of for shading in grid.shadings}
    assert shares["free cpu"] == {"a": 0.75, "b": 0.0}
    assert [(part.label, part.of) for part in grid.partitions] == [("zone", {"a": "y", "b": "z"})]
    assert [told.partition(";")[0] for _, told in grid.groups[0].nodes] == ["41 points", "fits"]


def test_every_node_is_in_the_picture_once():
    rooms = [room("a"), room("b"), room("c", closed="cordoned"), room("d", used=None)]
    grid, _ = room_figures("nodes", [("gets pods", {"b": "gets x"})], rooms)
    assert [(group.label, group.good, [name for name, _ in group.nodes]) for group in grid.groups] == [
        ("gets pods", True, ["b"]),
        ("as before", True, ["a"]),
        ("cordoned", False, ["c"]),
        ("gone", False, ["d"]),
    ]
    assert room_figures("nodes", [], []) == []


@pytest.mark.parametrize("kind", [name for name, one in CATALOGUE.items() if hasattr(one.type(), "rooms")])
def test_quiet_reports_leave_rooms_out(kind):
    """Of a kind that forgets to, `-q` would write most of a report on a large cluster."""
    made = CATALOGUE[kind].type()
    values = {name: [] for name in made.__struct_fields__} | {"rooms": [room("a")], "preemption": None}
    report = made(**{name: value for name, value in values.items() if name in made.__struct_fields__})
    assert report.brief().rooms == []
