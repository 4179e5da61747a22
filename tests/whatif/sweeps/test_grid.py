"""Sweep files: what varies along axes, and what is wrong with a file."""

import pytest
import yaml
from builders import made, node

from kschedctl.errors import InputErrors, KschedError
from kschedctl.whatif.sweeps.grid import AxisKind, combinations, in_order, load_sweep

ZONE = "topology.kubernetes.io/zone"
NODES = [made(one) for one in (node("n2", "b"), node("n1", "a"), node("n3", "a"))]
FINE = {
    "apiVersion": "kschedctl.dev/v1alpha1",
    "kind": "Sweep",
    "metadata": {"name": "zones"},
    "axes": [{"loseNodes": "*"}],
}


@pytest.fixture
def axes_of(tmp_path):
    """A function that reads axes of a sweep over three nodes."""

    def read(*axes, **parts):
        path = tmp_path / "sweep.yaml"
        path.write_text(yaml.safe_dump(FINE | {"axes": list(axes)} | parts, sort_keys=False))
        return load_sweep(str(path)).axes(NODES)

    return read


@pytest.fixture
def problems(axes_of):
    """A function that tells what is wrong with axes of a sweep."""

    def tell(*axes, **parts):
        try:
            axes_of(*axes, **parts)
        except InputErrors as errors:
            return [f"{one.place.field}: {one.message}" for one in errors.problems]
        except KschedError as error:
            return [f"{error.place.field}: {error.message}"]
        return []

    return tell


@pytest.mark.parametrize(
    ("axis", "name", "labels", "changes"),
    [
        pytest.param(
            {"loseNodes": "*"},
            "lost node",
            ["n1", "n2", "n3"],
            [("remove-node", "n1"), ("remove-node", "n2"), ("remove-node", "n3")],
            id="every node",
        ),
        pytest.param(
            {"loseNodes": f"{ZONE}=a"},
            "lost node",
            ["n1", "n3"],
            [("remove-node", "n1"), ("remove-node", "n3")],
            id="some nodes",
        ),
        pytest.param(
            {"loseDomains": ZONE, "baseline": True},
            "lost zone",
            ["none", "a", "b"],
            [("fail-domain", f"{ZONE}=a"), ("fail-domain", f"{ZONE}=b")],
            id="every zone, and none",
        ),
        pytest.param(
            {"addNodes": {"shape": "like=n1", "count": {"from": 0, "to": 4, "step": 2}}},
            "nodes like=n1",
            ["0", "2", "4"],
            [("add-node", "like=n1=2"), ("add-node", "like=n1=4")],
            id="nodes more",
        ),
        pytest.param(
            {"name": "web", "changes": [{"name": "ten", "changes": [{"scale": "deployment/web=10"}]}]},
            "web",
            ["ten"],
            [("scale", "deployment/web=10")],
            id="changes",
        ),
        pytest.param({"seeds": [3, 5]}, "seed", ["3", "5"], [], id="seeds"),
        pytest.param({"versions": ["1.36", "1.37"]}, "version", ["1.36", "1.37"], [], id="versions"),
    ],
)
def test_what_varies(axes_of, axis, name, labels, changes):
    (found,) = axes_of(axis)
    assert (found.name, [one.label for one in found.settings]) == (name, labels)
    assert [change for one in found.settings for change in one.changes] == changes


def test_who_decides(axes_of):
    weight, scheduler = axes_of(
        {"weight": {"plugin": "ImageLocality", "values": [1, 9]}},
        {"schedulers": [{"name": "as it is"}, {"name": "packed", "file": "packed.yaml"}]},
    )
    assert [one.weights for one in weight.settings] == [{"ImageLocality": 1}, {"ImageLocality": 9}]
    plain, packed = scheduler.settings
    assert plain.scheduler is None
    assert packed.scheduler.endswith("/packed.yaml")


def test_the_last_axis_is_the_fastest(axes_of):
    axes = axes_of({"seeds": [1, 2]}, {"versions": ["1.36", "1.37"]})
    labels = [tuple(one.label for one in settings) for settings in combinations(axes)]
    assert labels == [("1", "1.36"), ("1", "1.37"), ("2", "1.36"), ("2", "1.37")]


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        pytest.param(("n1", "b"), [("remove-node", "n1"), ("fail-domain", f"{ZONE}=b")], id="both"),
        pytest.param(("n1", "a"), [("fail-domain", f"{ZONE}=a")], id="a node of the zone"),
        pytest.param(("n2", "b"), [("remove-node", "n2")], id="the only node of the zone"),
        pytest.param(("n2", "none"), [("remove-node", "n2")], id="no zone"),
    ],
)
def test_what_is_lost_is_not_lost_again(axes_of, labels, told):
    axes = axes_of({"loseNodes": "*"}, {"loseDomains": ZONE, "baseline": True})
    settings = [
        next(one for one in axis.settings if one.label == label)
        for axis, label in zip(axes, labels, strict=True)
    ]
    assert [change for one in in_order(axes, settings) for change in one.changes] == told


def test_scenarios_are_values(axes_of, tmp_path):
    scenario = {
        "apiVersion": "kschedctl.dev/v1alpha1",
        "kind": "Scenario",
        "metadata": {"name": "drained"},
        "changes": [{"drain": "n1"}],
        "expectations": {"schedulable": "all"},
    }
    (tmp_path / "one.yaml").write_text(yaml.safe_dump(scenario))
    (axis,) = axes_of({"scenarios": ["one.yaml"]})
    assert [(one.label, one.scenario.changes) for one in axis.settings] == [("drained", (("drain", "n1"),))]
    assert axis.kind is AxisKind.SCENARIOS


KINDS = (
    "loseNodes, loseDomains, addNodes, weight, schedulers, versions, seeds, releases, changes or scenarios"
)


@pytest.mark.parametrize(
    ("axes", "parts", "told"),
    [
        pytest.param(
            [{"loseNode": "*"}],
            {},
            'axes[0].loseNode: unknown field; did you mean "loseNodes"?',
            id="a misspelt kind",
        ),
        pytest.param(
            [{"name": "x"}],
            {},
            f"axes[0]: expected one of {KINDS}, which says what varies",
            id="nothing varies",
        ),
        pytest.param(
            [{"seeds": [1], "versions": ["1.37"]}],
            {},
            f"axes[0]: expected one of {KINDS}, which says what varies, got versions and seeds; "
            'start each with "- "',
            id="two in one",
        ),
        pytest.param(
            [{"loseNodes": "n9"}], {}, "axes[0].loseNodes: there is no node 'n9'", id="no such node"
        ),
        pytest.param(
            [{"loseDomains": "rack"}],
            {},
            "axes[0].loseDomains: no node has the label rack",
            id="no such label",
        ),
        pytest.param([{"seeds": [1, 1]}], {}, "axes[0].seeds: 1 is given twice", id="a value twice"),
        pytest.param(
            [{"seeds": {"from": 3, "to": 1}}],
            {},
            "axes[0].seeds: a range from 3 to 1 has no number",
            id="an empty range",
        ),
        pytest.param(
            [{"seeds": [1]}, {"seeds": [2]}], {}, "axes[1]: two axes are called 'seed'", id="a name twice"
        ),
        pytest.param(
            [{"seeds": {"from": 0, "to": 999}}, {"name": "other", "seeds": {"from": 0, "to": 999}}],
            {},
            "axes: 1,000,000 scenarios are too many; at most 100,000 are run",
            id="too many",
        ),
        pytest.param(
            [{"seeds": ["1"]}],
            {},
            'axes[0].seeds[0]: expected a whole number from 0 to 100000, got the string "1"; '
            "write it without quotes",
            id="a number in quotes",
        ),
        pytest.param(
            [{"seeds": [1]}], {"kind": "Scenario"}, "None: is a Scenario, and not a Sweep", id="kind"
        ),
    ],
)
def test_what_is_wrong_with_a_file(problems, axes, parts, told):
    assert problems(*axes, **parts) == [told]
