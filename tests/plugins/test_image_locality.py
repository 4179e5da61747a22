"""ImageLocality (spec 02 D.10)."""

import pytest
from builders import column, decide, made, node, pod, session

from kschedctl.framework.versions.v1_34 import VERSION as V1_34
from kschedctl.framework.versions.v1_36 import VERSION as V1_36

MIB = 1024 * 1024


def holding(name, *images):
    """A node with images as `(name, MiB)`."""
    return node(name, images=[{"names": [image], "sizeBytes": int(size * MIB)} for image, size in images])


def scores(nodes, *images, version=V1_36, **spec):
    containers = [{"name": f"c{i}", "image": image} for i, image in enumerate(images)]
    decision = decide(session(nodes, version=version), pod("p", containers=containers, **spec))
    return column(decision, "ImageLocality")


@pytest.mark.parametrize(
    ("size", "holders", "of", "score"),
    [
        pytest.param(250, 1, 2, 10, id="on one of two"),
        pytest.param(30, 1, 3, 0, id="below the threshold"),
        pytest.param(3000, 2, 2, 100, id="clamped"),
    ],
)
def test_one_image(size, holders, of, score):
    nodes = [holding(f"n{i}", ("img:1", size)) if i < holders else node(f"n{i}") for i in range(of)]
    assert scores(nodes, "img:1") == {f"n{i}": score if i < holders else 0 for i in range(of)}


def test_two_images():
    both, first = (("a:1", 600), ("b:1", 40)), (("a:1", 600),)
    nodes = [holding("n0", *both), holding("n1", *first), node("n2")]
    assert scores(nodes, "a:1", "b:1")["n0"] == 19


@pytest.mark.parametrize(
    ("asked", "listed"),
    [
        pytest.param("img", "img:latest", id="no tag"),
        pytest.param("reg:5000/a/b", "reg:5000/a/b:latest", id="a port is no tag"),
        pytest.param("img@sha256:abc", "img@sha256:abc", id="digest"),
    ],
)
def test_names(asked, listed):
    assert scores([holding("n0", (listed, 3000))], asked) == {"n0": 100}


def test_names_on_nodes_are_not_completed():
    assert scores([holding("n0", ("img", 3000))], "img") == {"n0": 0}


@pytest.mark.parametrize(
    ("sizes", "score"),
    [
        pytest.param([2**63 - 1], 0, id="a float above int64 becomes the smallest int64"),
        pytest.param([2**62, 2**62], 0, id="a sum that wraps"),
        pytest.param([2**62], 100, id="large"),
        pytest.param([-1], 0, id="negative"),
    ],
)
def test_absurd_sizes(sizes, score):
    images = [{"names": [f"img:{i}"], "sizeBytes": size} for i, size in enumerate(sizes)]
    asked = [f"img:{i}" for i in range(len(sizes))]
    assert scores([node("n0", images=images)], *asked) == {"n0": score}


def test_the_first_report_of_a_size_counts_for_all():
    nodes = [holding("n0", ("img:1", 30)), holding("n1", ("img:1", 900))]
    found = scores(nodes, "img:1")
    assert found == {"n0": 100 * (30 - 23) // (1000 - 23), "n1": 100 * (30 - 23) // (1000 - 23)}


@pytest.mark.parametrize(
    ("after", "size"),
    [
        pytest.param([("n1", 900)], 30, id="it is gone"),
        pytest.param([("n0", 500), ("n1", 900)], 30, id="it reports another size"),
        pytest.param([("n2", 500)], 500, id="so is every other"),
        pytest.param([("n2", 500), ("n1", 900)], 30, id="another one comes first"),
    ],
)
def test_the_first_report_outlives_its_node(after, size):
    asked = session([holding("n0", ("img:1", 30)), holding("n1", ("img:1", 900))])
    asked.cluster.set_nodes([made(holding(name, ("img:1", size))) for name, size in after])
    assert {spread.size // MIB for spread in asked.cluster.nodes.images.values()} == {size}


@pytest.mark.parametrize(("version", "score"), [(V1_36, 100), (V1_34, 0)])
def test_image_volumes_count_from_1_36(version, score):
    volume = {"name": "v", "image": {"reference": "data:1"}}
    assert scores([holding("n0", ("data:1", 3000))], "app:1", version=version, volumes=[volume]) == {
        "n0": score
    }
