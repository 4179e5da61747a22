import pytest
from storage_builders import REGION, ZONE, bare_node, catalog, claim, cluster, pod, storage_class, volume

from kschedctl.volumes.in_tree import BETA_REGION, BETA_ZONE
from kschedctl.volumes.zones import UnknownZones, ZoneProblem, violations, zone_constraints


def constraints(labels):
    return zone_constraints(pod("p", "c"), catalog(claim("c", volume="pv"), volume("pv", labels=labels)))


def passes(volume_labels, node_labels):
    nodes = cluster(bare_node("n", node_labels)).nodes
    found = constraints(volume_labels)
    assert not isinstance(found, UnknownZones)
    return not any(violations(constraint, nodes)[0] for constraint in found)


@pytest.mark.parametrize(
    ("labels", "node_labels", "expected"),
    [
        pytest.param({BETA_ZONE: "z1"}, {ZONE: "z1"}, True, id="a beta label is met by a GA one"),
        pytest.param({BETA_ZONE: "z1"}, {BETA_ZONE: "z1", ZONE: "z2"}, True, id="the same key first"),
        pytest.param({BETA_ZONE: "z1"}, {BETA_ZONE: "z2", ZONE: "z1"}, False, id="and only that"),
        pytest.param({ZONE: "z1"}, {BETA_ZONE: "z1"}, False, id="a GA label is not met by a beta one"),
        pytest.param({ZONE: "z3__z1"}, {ZONE: "z1"}, True, id="one of several zones"),
        pytest.param({ZONE: "z3__ z1"}, {ZONE: "z1"}, True, id="spaces are trimmed"),
        pytest.param({ZONE: "z1,z2"}, {ZONE: "z1"}, False, id="a comma does not separate"),
        pytest.param({ZONE: "z1", REGION: "r"}, {ZONE: "z1"}, False, id="the region is missing"),
        pytest.param({ZONE: "z1"}, {"disk": "ssd"}, True, id="a node without topology labels"),
        pytest.param({REGION: "r"}, {REGION: "r", ZONE: "any"}, True, id="region alone"),
        pytest.param({BETA_REGION: "r"}, {REGION: "r"}, True, id="beta region"),
    ],
)
def test_volume_labels_against_node_labels(labels, node_labels, expected):
    assert passes(labels, node_labels) is expected


@pytest.mark.parametrize("value", ["", "a____b", "a__"])
def test_an_empty_part_voids_the_label(value):
    assert constraints({ZONE: value}) == ()


@pytest.mark.parametrize(
    ("claim_name", "objects", "expected"),
    [
        pytest.param("", [], UnknownZones(ZoneProblem.CLAIM_UNNAMED), id="no claim name"),
        pytest.param("c", [], UnknownZones(ZoneProblem.CLAIM_MISSING, "c"), id="no claim"),
        pytest.param(
            "c", [claim("c", None)], UnknownZones(ZoneProblem.NEITHER_VOLUME_NOR_CLASS), id="neither"
        ),
        pytest.param(
            "c", [claim("c", "x")], UnknownZones(ZoneProblem.CLASS_MISSING, "x"), id="no such class"
        ),
        pytest.param(
            "c",
            [claim("c", "now"), storage_class("now", wait=False)],
            UnknownZones(ZoneProblem.VOLUME_UNNAMED),
            id="immediate class",
        ),
        pytest.param("c", [claim("c", "wait"), storage_class("wait")], (), id="waiting class"),
        pytest.param(
            "c", [claim("c", volume="pv")], UnknownZones(ZoneProblem.VOLUME_MISSING, "pv"), id="no volume"
        ),
    ],
)
def test_what_is_missing(claim_name, objects, expected):
    assert zone_constraints(pod("p", claim_name), catalog(*objects)) == expected


def test_generic_ephemeral_volumes_have_no_zone():
    assert zone_constraints(pod("p", {"name": "scratch", "ephemeral": {}}), catalog()) == ()
