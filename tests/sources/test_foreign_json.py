"""JSON of somebody else: whatever it holds can be written again."""

import msgspec
import pytest

from kschedctl.sources.foreign_json import json_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param('{"a": ["\\ud83d\\ude00", 1]}', {"a": ["\U0001f600", 1]}, id="a pair"),
        pytest.param('{"\\uD800": {"b": ["x\\udfff"]}}', {"\ufffd": {"b": ["x\ufffd"]}}, id="halves"),
        pytest.param('"\\\\ud800"', "\\ud800", id="no escape"),
        pytest.param(b'["\xed\xa0\x80"]', ["\ufffd"], id="a half in bytes"),
        pytest.param('["\ud800"]', ["\ufffd"], id="a half as it is"),
        pytest.param(b'["\xed\x9f\xbf"]', ["\ud7ff"], id="the last character before them"),
    ],
)
def test_halves_of_pairs_are_no_characters(text, value):
    found = json_value(text)
    assert found == value
    msgspec.json.encode(found)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("[" * 100_000, "nested too deeply", id="without end"),
        pytest.param("{", "Expecting property name", id="cut off"),
        pytest.param(b"\xff", "can't decode", id="no text"),
    ],
)
def test_what_is_none_is_one_kind_of_error(text, problem):
    with pytest.raises(ValueError, match=problem):
        json_value(text)
