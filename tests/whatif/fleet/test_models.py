"""Of which shape a node is."""

import pytest

from kschedctl.whatif.fleet.catalogue import Shape
from kschedctl.whatif.fleet.models import ShapesOfNodes
from kschedctl.whatif.world.world import World
from whatif.builders import node, objects

TYPE = "node.kubernetes.io/instance-type"


def shape(name, cpu="4", *, zones=(), **more):
    (template,) = objects([node("x", cpu=cpu, **more)])
    return Shape(name, template=template, zones=zones)


KNOWN = (
    shape("small", "4", zones=("a",)),
    shape("small-b", "4", zones=("b",)),
    shape("typed", "9", labels={TYPE: "m5.large"}),
    shape("gpu", "4", more={"nvidia.com/gpu": "1"}),
    Shape("old", like="there"),
)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(node("n", "a"), "small", id="by its resources"),
        pytest.param(node("n", "b"), "small-b", id="by its zone"),
        pytest.param(node("n", "c"), None, id="in a zone where nothing is sold"),
        pytest.param(node("n", "c", cpu="3.9", labels={TYPE: "m5.large"}), "typed", id="by its type"),
        pytest.param(node("n", "a", cpu="7", labels={TYPE: "small"}), "small", id="by the name of the shape"),
        pytest.param(node("n", "a", pods="30"), "small", id="whatever number of pods it takes"),
        pytest.param(node("n", "c", more={"nvidia.com/gpu": "1"}), "gpu", id="by other resources"),
        pytest.param(node("n", "c", cpu="12"), "old", id="like a node that is there"),
        pytest.param(node("n", "a", cpu="5"), None, id="like nothing"),
    ],
)
def test_the_shape_of_a_node(data, expected):
    (asked,) = objects([data])
    found = ShapesOfNodes(KNOWN, World(objects([node("there", cpu="12")]))).of(asked)

    assert (found.name if found else None) == expected
