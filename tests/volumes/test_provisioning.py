import pytest
from storage_builders import ZONE, capacity, catalog, claim, cluster, csi_driver, node, storage_class

from kschedctl.volumes.provisioning import NO_CAPACITY, Provisioning
from kschedctl.volumes.topology import NodeTopology


def offer(wanted, *objects, cls=None):
    nodes = cluster(node("n1", "a"), node("n2", "b")).nodes
    made = Provisioning(cls or storage_class("fast"), catalog(*objects), NodeTopology(nodes))
    return made.offer(wanted)


@pytest.mark.parametrize(
    ("published", "fits"),
    [
        pytest.param({"capacity": "4Gi"}, False, id="too little"),
        pytest.param({"capacity": "5Gi"}, True, id="just enough"),
        pytest.param({"capacity": "100Gi", "maximumVolumeSize": "1Gi"}, False, id="a maximum limits"),
        pytest.param({"capacity": "1Gi", "maximumVolumeSize": "10Gi"}, True, id="a maximum alone counts"),
        pytest.param({}, False, id="nothing published"),
        pytest.param({"capacity": "0"}, False, id="zero"),
    ],
)
def test_capacity(published, fits):
    room = offer(claim("c", size="5Gi"), csi_driver(storageCapacity=True), capacity("fast", {}, **published))
    assert room.has_room.tolist() == [fits, fits]


@pytest.mark.parametrize(
    ("wanted", "objects", "expected"),
    [
        pytest.param({}, [], [True, True], id="no CSIDriver: not checked"),
        pytest.param({}, [csi_driver()], [True, True], id="the driver publishes none"),
        pytest.param({}, [csi_driver(storageCapacity=True)], [False, False], id="no capacity object"),
        pytest.param(
            {"size": None}, [csi_driver(storageCapacity=True)], [True, True], id="no size asked for"
        ),
        pytest.param(
            {},
            [
                csi_driver(storageCapacity=True),
                capacity("fast", {"matchLabels": {ZONE: "a"}}, capacity="1Ti"),
            ],
            [True, False],
            id="of one zone",
        ),
        pytest.param(
            {},
            [csi_driver(storageCapacity=True), capacity("fast", None, capacity="1Ti")],
            [False, False],
            id="without topology: for no node",
        ),
        pytest.param(
            {},
            [csi_driver(storageCapacity=True), capacity("slow", {}, capacity="1Ti")],
            [False, False],
            id="of another class",
        ),
    ],
)
def test_where_capacity_is_published(wanted, objects, expected):
    assert offer(claim("c", **wanted), *objects).has_room.tolist() == expected


def test_the_first_capacity_by_name_that_covers_a_node_is_remembered():
    zone_a = {"matchLabels": {ZONE: "a"}}
    found = offer(
        claim("c"),
        csi_driver(storageCapacity=True),
        capacity("fast", {}, "z-all", capacity="1Ti"),
        capacity("fast", zone_a, "a-zone", capacity="1Ti"),
        capacity("fast", zone_a, "0-small", capacity="1Gi"),
    )
    assert found.capacities is not None
    assert [found.capacities[i].name for i in found.source] == ["a-zone", "z-all"]


def test_one_class_answers_for_claims_of_all_sizes():
    nodes = cluster(node("n1", "a"), node("n2", "b")).nodes
    objects = [
        csi_driver(storageCapacity=True),
        capacity("fast", {"matchLabels": {ZONE: "a"}}, "one", capacity="5Gi"),
        capacity("fast", {"matchLabels": {ZONE: "b"}}, "two", capacity="10Gi"),
    ]
    made = Provisioning(storage_class("fast"), catalog(*objects), NodeTopology(nodes))
    sizes = ["1Gi", "5Gi", "5368709120.5", "10Gi", "11Gi", None, "5Gi", "1"]
    assert [made.offer(claim("c", size=size)).has_room.tolist() for size in sizes] == [
        [True, True],
        [True, True],
        [False, True],
        [False, True],
        [False, False],
        [True, True],
        [True, True],
        [True, True],
    ]


@pytest.mark.parametrize("provisioner", ["", "kubernetes.io/no-provisioner"])
def test_a_class_without_provisioner(provisioner):
    assert not offer(claim("c"), cls=storage_class("local", provisioner)).provisions


def test_the_largest_volume_of_a_node():
    nodes = cluster(node("n1", "a"), node("n2", "b")).nodes
    zone_a = {"matchLabels": {ZONE: "a"}}
    objects = [
        csi_driver(storageCapacity=True),
        capacity("fast", zone_a, "one", capacity="100Gi", maximumVolumeSize="1Gi"),
        capacity("fast", zone_a, "two", capacity="20Gi"),
    ]
    made = Provisioning(storage_class("fast"), catalog(*objects), NodeTopology(nodes))
    assert made.largest.tolist() == [20 * 2**30, NO_CAPACITY]
