"""JSON and YAML of many reports are written one by one, and are what one document would be."""

import json

import msgspec
import pytest
import yaml

from kschedctl.reports.formats import Look
from kschedctl.reports.model import API_VERSION, ReportObject
from kschedctl.reports.render.structured import json_pieces, json_text, yaml_pieces, yaml_text

LOOK = Look()
TEXTS = ["", "two\nlines", '"quoted": {', "- not: a list", "é ✓", " led by a space\n\nand a gap"]


class Small(ReportObject, frozen=True):
    """A report."""

    text: str
    parts: list[str]


REPORTS = [Small(text=text, parts=[text, text]) for text in TEXTS]


def document(count):
    items = msgspec.to_builtins(REPORTS[:count])
    return items[0] if count == 1 else {"apiVersion": API_VERSION, "kind": "List", "items": items}


@pytest.mark.parametrize("count", [1, 2, len(REPORTS)])
def test_the_pieces_are_one_document(count):
    whole = document(count)
    written = "".join(json_pieces(REPORTS[:count], LOOK))
    assert written == json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
    assert json_text(REPORTS[:count], LOOK) + "\n" == written
    written = "".join(yaml_pieces(REPORTS[:count], LOOK))
    assert yaml.safe_load(written) == whole
    assert written == yaml.safe_dump(whole, sort_keys=False, allow_unicode=True, width=2**20)
    assert yaml_text(REPORTS[:count], LOOK) + "\n" == written


@pytest.mark.parametrize("write", [json_pieces, yaml_pieces])
def test_a_report_is_written_before_the_next_but_one_is_made(write):
    made = []

    def making():
        for report in REPORTS:
            made.append(report)
            yield report

    pieces = write(making(), LOOK)
    assert made == []
    next(pieces)
    assert len(made) == 2
