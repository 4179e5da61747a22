"""Catalogues: what is read, and how each mistake is told with its line."""

from pathlib import Path

import pytest
import yaml

from kschedctl.errors import InputError, InputErrors
from kschedctl.whatif.fleet.catalogue import load_catalogue

HEAD = "apiVersion: kschedctl.dev/v1alpha1\nkind: Catalogue\n"
NODE = {"status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}


def catalogue(path, *shapes):
    path.write_text(HEAD + yaml.safe_dump({"shapes": list(shapes)}))
    return str(path)


def test_what_a_catalogue_holds(tmp_path):
    (tmp_path / "node.yaml").write_text(
        yaml.safe_dump({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "x"}} | NODE)
    )
    found = load_catalogue(
        catalogue(
            tmp_path / "shapes.yaml",
            {"name": "a", "node": NODE, "pricePerHour": 0.2, "zones": ["z1", "z2"], "limit": 3},
            {"name": "b", "file": "node.yaml", "pricePerHour": 1},
            {"name": "c", "like": "n1", "pricePerHour": 0},
        )
    )

    one, two, three = found.shapes
    assert (one.price, one.zones, one.limit, one.template.name) == (0.2, ("z1", "z2"), 3, "a")
    assert (two.template.name, two.zones, two.limit) == ("x", (), None)
    assert (three.like, three.template, three.price) == ("n1", None, 0)
    assert found.priced
    added = one.bought("z2", 2)
    assert (added.name, dict(added.labels)) == ("a-z2", {"topology.kubernetes.io/zone": "z2"})


def test_without_prices_nodes_count(tmp_path):
    found = load_catalogue(catalogue(tmp_path / "shapes.yaml", {"name": "a", "node": NODE}))

    assert not found.priced
    assert found.shapes[0].price == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("kind: Pod\n", "is a Pod, and not a Catalogue", id="another kind"),
        pytest.param(HEAD + "shapes: []\n", "line 3: shapes: expected a list", id="no shapes"),
        pytest.param(
            HEAD + "shapes:\n- name: a\n  like: n1\n  prise: 3\n",
            "line 6: shapes[0].prise: unknown field",
            id="unknown",
        ),
        pytest.param(
            HEAD + "shapes:\n- name: a\n  like: n1\n  pricePerHour: cheap\n",
            'line 6: shapes[0].pricePerHour: expected a number such as 0.192, got the string "cheap"',
            id="no number",
        ),
        pytest.param(
            HEAD + "shapes:\n- name: a\n",
            "line 4: shapes[0]: expected one of like, file and node",
            id="no model",
        ),
        pytest.param(
            HEAD + "shapes:\n- {name: a, like: n1}\n- {name: a, like: n2}\n",
            "line 5: shapes[1].name: shape a is given twice",
            id="twice",
        ),
        pytest.param(
            HEAD + "shapes:\n- {name: a, like: n1, pricePerHour: 1}\n- {name: b, like: n2}\n",
            "line 5: shapes[1].pricePerHour: missing; other shapes have a price",
            id="one without a price",
        ),
        pytest.param(
            HEAD + "shapes:\n- name: a\n  node: {status: {allocatable: {cpu: four}}}\n",
            'line 5: shapes[0].node: "four" is no quantity',
            id="a node that is none",
        ),
        pytest.param(
            HEAD + "shapes:\n- name: a\n  node: {spec: {taint: []}}\n",
            'line 5: shapes[0].node: spec.taint: unknown field; did you mean "taints"?',
            id="a misspelt field of a node",
        ),
    ],
)
def test_mistakes(tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    Path("shapes.yaml").write_text(text)
    with pytest.raises((InputError, InputErrors)) as caught:
        load_catalogue("shapes.yaml")
    assert message in str(caught.value)
