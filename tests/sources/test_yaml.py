"""YAML documents as data."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kschedctl.sources import yaml as reader
from kschedctl.sources.yaml import read_yaml


def read_one(text: str) -> object:
    (document,) = read_yaml(text.encode())
    assert document.problems == []
    return document.data


def problems(text: str) -> list[tuple[int, str]]:
    return [(p.line, p.message) for document in read_yaml(text.encode()) for p in document.problems]


@pytest.mark.parametrize(
    ("text", "data"),
    [
        pytest.param("on: off", {"true": False}, id="booleans of YAML 1.1, as keys too"),
        pytest.param("y: n", {"true": False}, id="y and n"),
        pytest.param("8080: http", {"8080": "http"}, id="keys become strings"),
        pytest.param("a: '1e3'", {"a": "1e3"}, id="quotes make strings"),
        pytest.param("a: !!str 12", {"a": "12"}, id="tags"),
        pytest.param("a: !made-up 12", {"a": "12"}, id="unknown tag gives the value"),
        pytest.param("a: !made-up {b: 1}", {"a": {"b": 1}}, id="unknown tag of a mapping"),
        pytest.param("\ufeffa: 1", {"a": 1}, id="byte order mark"),
        pytest.param("a: &x 1\nb: *x", {"a": 1, "b": 1}, id="alias of a scalar"),
        pytest.param("a: &x [1]\nb: *x", {"a": [1], "b": [1]}, id="alias of a list"),
        pytest.param("&k a: 1\nb: *k", {"a": 1, "b": "a"}, id="alias of a key"),
        pytest.param("a: &k b\n*k : 1", {"a": "b", "b": 1}, id="alias as a key"),
        pytest.param(
            "a: &x {b: 1, c: 2}\nd: {<<: *x, b: 3}",
            {"a": {"b": 1, "c": 2}, "d": {"b": 3, "c": 2}},
            id="merge",
        ),
        pytest.param("<<: {a: 1}\n'<<': 2", {"a": 1, "<<": 2}, id="quoted merge key is a key"),
        pytest.param("<<: [{a: 1}, {a: 2, b: 2}]", {"a": 1, "b": 2}, id="merge of a list: the first wins"),
        pytest.param(
            "a: 1\n<<: {a: 2}", {"a": 2}, id="merge overrides what stands before it, as in go-yaml v2"
        ),
        pytest.param("a:\nb: ~", {"a": None, "b": None}, id="nulls"),
        pytest.param("a: |\n  x\n  y\n", {"a": "x\ny\n"}, id="block text"),
        pytest.param("{a: {}, b: []}", {"a": {}, "b": []}, id="flow style"),
        pytest.param("%YAML 1.1\n---\na: 1", {"a": 1}, id="directive"),
    ],
)
def test_data(text, data):
    assert read_one(text) == data


def test_every_document_of_a_text_with_its_line():
    text = "# only a comment\n---\na: 1\n--- # second\n\nb: 2\n---\n---\nc: 3\n...\n---\nd: 4\n"
    documents = list(read_yaml(text.encode()))
    assert [(d.data, d.line) for d in documents] == [
        ({"a": 1}, 3),
        ({"b": 2}, 6),
        ({"c": 3}, 9),
        ({"d": 4}, 12),
    ]


def test_dashes_inside_a_document_do_not_end_it():
    assert read_one("a: |\n  ---\n  x\n") == {"a": "---\nx\n"}


def test_broken_document_does_not_hide_the_others():
    documents = list(read_yaml(b"a: [\n---\nb: 2\n---\nc: 'x\n"))
    assert [bool(d.problems) for d in documents] == [True, False, True]
    assert documents[1].data == {"b": 2}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "a: 1\nb: 2\na: 3\nb: 4\n",
            [
                (3, 'the key "a" is given twice in one mapping'),
                (4, 'the key "b" is given twice in one mapping'),
            ],
            id="every duplicate key",
        ),
        pytest.param(
            "1: a\n'1': b\n", [(2, 'the key "1" is given twice in one mapping')], id="equal as JSON keys"
        ),
        pytest.param(
            "<<: {a: 1}\na: 2\na: 3\n",
            [(3, 'the key "a" is given twice in one mapping')],
            id="a merged key may be overridden once",
        ),
        pytest.param(
            "a: *b\n", [(1, "*b refers to an anchor that is not defined before it")], id="unknown alias"
        ),
        pytest.param("a: &a\n- *a\n", [(2, "the anchor &a contains itself")], id="endless alias"),
        pytest.param(
            "a:\n  <<: 5\n", [(2, "a merge key << takes a mapping or a list of mappings")], id="bad merge"
        ),
        pytest.param("? [1]\n: 2\n", [(1, "a mapping or a list cannot be a key")], id="complex key"),
        pytest.param("~: 2\n", [(1, "a key cannot be null")], id="null key"),
        pytest.param("a: !!int x\n", [(1, '"x" is no int')], id="tag that does not fit"),
        pytest.param(
            "a: .inf\n",
            [(1, ".inf is no number in Kubernetes; put quotes around it to make it a string")],
            id="infinity",
        ),
        pytest.param(
            "---\na: 1\n---\n\n\tb: 1\n", [(5, "a tab indents this line; YAML allows spaces only")], id="tab"
        ),
        pytest.param(
            "a: 'b\n\n",
            [
                (
                    3,
                    "not YAML: while scanning a quoted scalar: found unexpected end of stream"
                    " (it starts on line 1)",
                )
            ],
            id="open quote",
        ),
        pytest.param("[" * 10_000, [(1, "nested more than 256 levels deep")], id="10,000 brackets"),
        pytest.param("- " * 10_000, [(1, "nested more than 256 levels deep")], id="10,000 dashes"),
    ],
)
def test_problem(text, expected):
    assert problems(text) == expected


def test_alias_bomb_is_refused_without_building_it():
    levels = "".join(f"l{i + 1}: &l{i + 1} [{', '.join([f'*l{i}'] * 9)}]\n" for i in range(9))
    assert problems("l0: &l0 x\n" + levels) == [
        (8, "its aliases stand for more than 1000000 values: an alias bomb")
    ]


def test_not_utf8():
    (document,) = read_yaml(b"a: b\nc: \xff\n")
    assert [(p.line, p.message) for p in document.problems] == [
        (2, "not UTF-8 text: the byte 0xff has no meaning in it")
    ]


KEYS = st.text(
    st.characters(codec="ascii", categories=["L", "Nd"], include_characters="./-"), min_size=1, max_size=12
)
NUMBER_LIKE = st.from_regex(r"[-+]?[0-9._eE:xob]{1,8}", fullmatch=True)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=20),
    NUMBER_LIKE,
    st.sampled_from(["on", "y", "No", "~", "0777", "1e3", "2026-03-01", "=", "<<", "33e5421234", "1:30"]),
)
JSON_DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=25,
)


class QuotingDumper(yaml.SafeDumper):
    """Quotes every string, as a careful author does with strings that look like something else."""


QuotingDumper.add_representer(
    str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')
)


@given(st.dictionaries(KEYS, JSON_DATA, min_size=1, max_size=5))
def test_round_trip_through_pyyaml(data):
    assert read_one(yaml.dump(data, Dumper=QuotingDumper, allow_unicode=True)) == data


@given(st.dictionaries(KEYS, JSON_DATA, min_size=1, max_size=5))
def test_json_is_yaml(data):
    assert read_one(json.dumps(data, ensure_ascii=False)) == data


def test_pure_parser_reads_the_same(monkeypatch):
    text = "a: &x {b: on, 08: '1'}\nc: {<<: *x}\nd: !t [1e3]\n"
    with_libyaml = read_one(text)
    monkeypatch.setattr(reader.yaml, "__with_libyaml__", False)
    assert read_one(text) == with_libyaml
