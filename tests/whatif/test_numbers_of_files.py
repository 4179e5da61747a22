"""Numbers of the files that are written for this program: each has an end, and none counts as infinite or as none."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from kschedctl.errors import InputError, InputErrors
from kschedctl.sources.schema_words import violations
from kschedctl.whatif.fleet.catalogue import load_catalogue
from kschedctl.whatif.queue.arrivals import load_arrivals

SCHEMAS = sorted(
    path
    for room in ("scenarios", "fleet", "sweeps")
    for path in Path(str(files(f"kschedctl.whatif.{room}"))).glob("*.schema.json")
)
HUGE = "1" + "0" * 400
HEAD = '"apiVersion": "kschedctl.dev/v1alpha1"'


def numbers(schema, path=""):
    if isinstance(schema, dict):
        if schema.get("type") in ("integer", "number"):
            yield path, schema
        for name, part in schema.items():
            yield from numbers(part, f"{path}/{name}")
    elif isinstance(schema, list):
        for i, part in enumerate(schema):
            yield from numbers(part, f"{path}/{i}")


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_every_number_of_a_schema_has_an_end(path):
    found = dict(numbers(json.loads(path.read_text())))
    assert found
    assert [at for at, schema in found.items() if "minimum" not in schema or "maximum" not in schema] == []


@pytest.mark.parametrize(
    ("kind", "value", "fits"),
    [
        ("integer", 1, True),
        ("integer", 1.0, False),
        ("integer", True, False),
        ("number", 1, True),
        ("number", 0.5, True),
        ("number", True, False),
        ("number", float("nan"), False),
        ("number", float("inf"), False),
        ("number", int(HUGE), False),
    ],
)
def test_what_is_a_number(kind, value, fits):
    assert (not list(violations({"type": kind, "minimum": 0, "maximum": 10}, value))) is fits


@pytest.mark.parametrize("price", [HUGE, "1e308", "-1"], ids=lambda price: price[:9])
def test_prices(tmp_path, price):
    path = tmp_path / "shapes.json"
    shape = f'{{"name": "a", "like": "n", "pricePerHour": {price}}}'
    path.write_text(f'{{{HEAD}, "kind": "Catalogue", "shapes": [{shape}]}}')
    with pytest.raises(InputError, match=r"expected a number such as 0\.192, got the number") as caught:
        load_catalogue(str(path))
    assert caught.value.place.field == "shapes[0].pricePerHour"


@pytest.mark.parametrize("value", [HUGE, "1e308", "1e999", "-1", "9223372036854775808"])
@pytest.mark.parametrize("field", ["at", "duration", "end", "grace"])
def test_arrivals(tmp_path, field, value):
    pod = json.dumps(
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": []}}
    )
    what = '"delete": {"kind": "Pod", "name": "p"}' if field == "grace" else f'"create": {pod}'
    at = "" if field == "at" else '"at": 0, '
    path = tmp_path / "arrivals.json"
    path.write_text(f'{{{HEAD}, "kind": "Arrivals", "arrivals": [{{{at}"{field}": {value}, {what}}}]}}')
    with pytest.raises((InputError, InputErrors), match=field) as caught:
        load_arrivals(str(path))
    assert len(str(caught.value)) < 300
