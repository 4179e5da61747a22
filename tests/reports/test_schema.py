"""The schemas in the package are those of the types."""

import json
from pathlib import Path

import jsonschema

import kschedctl.reports
from kschedctl.reports.explanation import Explanation
from kschedctl.reports.schema import schema_of, shipped_schema

FOLDER = Path(kschedctl.reports.__file__).parent / "schemas"


def test_the_shipped_schema_is_up_to_date(golden):
    text = json.dumps(schema_of(Explanation), indent=2, ensure_ascii=False) + "\n"
    golden(FOLDER / "explanation.schema.json", text)


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(shipped_schema(Explanation))


def test_every_field_is_described_and_always_there():
    for name, definition in shipped_schema(Explanation)["$defs"].items():
        assert definition["required"] == list(definition["properties"]), name
        for field, schema in definition["properties"].items():
            assert "description" in schema or "$ref" in schema or "anyOf" in schema, f"{name}.{field}"
