"""Lines of fields in YAML and JSON, and how paths are written."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kschedctl.sources.json_lines import json_lines
from kschedctl.sources.lines import path_text
from kschedctl.sources.yaml_lines import yaml_lines


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("spec", "containers", 0, "image"), "spec.containers[0].image"),
        (("metadata", "labels", "example.com/team"), "metadata.labels[example.com/team]"),
        (("items", 3, "spec"), "items[3].spec"),
        (("requests", "ephemeral-storage"), "requests.ephemeral-storage"),
        (("8080",), "[8080]"),
    ],
)
def test_path_text(path, text):
    assert path_text(path) == text


YAML = b"""\
base: &base
  a: 1
  b: [x,
      y]
merged:
  <<: *base
  c: 3
list: &list
- one
-
  two: 2
again: *list
many:
  <<: [*base, {d: 4}]
"key": &k v
*k : 5
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("base",), 1),
        (("base", "a"), 2),
        (("base", "b", 1), 4),
        (("merged", "a"), 2),
        (("merged", "c"), 7),
        (("list", 0), 9),
        (("list", 1), 11),
        (("again",), 12),
        (("again", 1, "two"), 11),
        (("many", "b", 0), 3),
        (("many", "d"), 14),
        (("key",), 15),
        (("base", "nothing", "here"), 1),
    ],
)
def test_yaml_lines(path, line):
    assert yaml_lines(YAML).at(path) == line


def test_yaml_lines_of_a_later_document():
    assert yaml_lines(b"a: 1\n...\n---\nb: 1\nc: 2\n", first_line=11, number=1).at(("c",)) == 15


def test_json_lines_report_duplicates():
    duplicates: list[tuple[int, str]] = []
    lines = json_lines(b'{"a": 1,\n "b": [\n2,\n{"c\\"\\u0041": {}}],\n "a": [[]]}', 5, duplicates)
    assert lines.at(("b", 1, 'c"A')) == 8
    assert lines.at(("b", 0)) == 7
    assert duplicates == [(9, "a")]


SCALARS = (
    st.integers() | st.text(st.characters(codec="ascii", exclude_categories=["C"]), max_size=5) | st.none()
)
KEYS = st.text(st.sampled_from('ab"\\{}[],:'), min_size=1, max_size=3)
DATA = st.dictionaries(
    KEYS,
    st.recursive(
        SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)
    ),
    min_size=1,
    max_size=3,
)


def paths_of(data: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(p for key, value in entries for p in paths_of(value, (*path, key)))]


@given(DATA)
def test_indented_json_has_a_line_for_every_field(data):
    """With an indent every field starts a line of its own, in order."""
    lines = json_lines(json.dumps(data, indent=1).encode())
    found = [lines.at(path) for path in paths_of(data)]
    assert found == sorted(set(found))


@given(DATA)
def test_json_and_yaml_agree_on_json(data):
    text = json.dumps(data, indent=1).encode()
    json_found, yaml_found = json_lines(text), yaml_lines(text)
    assert [json_found.at(p) for p in paths_of(data)] == [yaml_found.at(p) for p in paths_of(data)]


@given(DATA)
def test_block_yaml_grows_downwards(data):
    lines = yaml_lines(yaml.safe_dump(data, default_flow_style=False, sort_keys=False).encode())
    found = [lines.at(path) for path in paths_of(data)]
    assert found == sorted(found)
