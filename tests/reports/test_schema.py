"""The schemas in the package are those of the types."""

import json
from pathlib import Path

import jsonschema
import pytest

import kschedctl.reports
from kschedctl.reports.schema import schema_of, shipped_schema
from kschedctl.writers.catalogue import CATALOGUE

FOLDER = Path(kschedctl.reports.__file__).parent / "schemas"
REPORTS = tuple(kind.type() for kind in CATALOGUE.values())


@pytest.mark.parametrize("report", REPORTS)
def test_the_shipped_schema_is_up_to_date(golden, report):
    text = json.dumps(schema_of(report), indent=2, ensure_ascii=False) + "\n"
    golden(FOLDER / f"{report.__name__.lower()}.schema.json", text)


def test_every_shipped_schema_is_that_of_a_report():
    shipped = {file.name for file in FOLDER.iterdir()}
    assert shipped == {f"{report.__name__.lower()}.schema.json" for report in REPORTS}


@pytest.mark.parametrize("report", REPORTS)
def test_the_schema_is_one(report):
    jsonschema.Draft202012Validator.check_schema(shipped_schema(report))


@pytest.mark.parametrize("report", REPORTS)
def test_every_field_is_described_and_always_there(report):
    for name, definition in shipped_schema(report)["$defs"].items():
        assert definition["required"] == list(definition["properties"]), name
        for field, schema in definition["properties"].items():
            assert "description" in schema or "$ref" in schema or "anyOf" in schema, f"{name}.{field}"
