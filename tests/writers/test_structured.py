"""JSON and YAML of many reports are written one by one, and are what one document would be."""

import json

import msgspec
import pytest
import yaml
from msgspec.structs import replace

from kschedctl.reports.model import API_VERSION, ReportObject
from kschedctl.writers.formats import Look
from kschedctl.writers.structured import json_pieces, yaml_pieces

LOOK = Look()
TEXTS = ["", "two\nlines", '"quoted": {', "- not: a list", "é ✓", " led by a space\n\nand a gap"]


class Small(ReportObject, frozen=True):
    """A report."""

    text: str
    parts: list[str]

    def brief(self):
        return replace(self, parts=[])


REPORTS = [Small(text=text, parts=[text, text]) for text in TEXTS]


def document(count):
    items = msgspec.to_builtins(REPORTS[:count])
    return items[0] if count == 1 else {"apiVersion": API_VERSION, "kind": "List", "items": items}


@pytest.mark.parametrize("count", [1, 2, len(REPORTS)])
def test_the_pieces_are_one_document(count):
    whole = document(count)
    written = "".join(json_pieces(REPORTS[:count], LOOK))
    assert written == json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
    written = "".join(yaml_pieces(REPORTS[:count], LOOK))
    assert yaml.safe_load(written) == whole
    assert written == yaml.safe_dump(whole, sort_keys=False, allow_unicode=True, width=2**20)


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


@pytest.mark.parametrize(("write", "read"), [(json_pieces, json.loads), (yaml_pieces, yaml.safe_load)])
def test_a_quiet_report_is_brief(write, read):
    assert read("".join(write(REPORTS[:1], Look(quiet=True)))) == {"text": "", "parts": []}
