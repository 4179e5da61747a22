"""JSON Patch: what suggestions write down, and what is then read."""

from __future__ import annotations

import pytest

from kschedctl.advice.json_patch import add, add_within, patched, pointer, put, remove


@pytest.mark.parametrize(
    ("data", "operation", "expected"),
    [
        pytest.param({"a": {}}, add(1, "a", "x.io/b"), {"a": {"x.io/b": 1}}, id="a key with a slash"),
        pytest.param({"a": {"~": 1}}, remove("a", "~"), {"a": {}}, id="a key with a tilde"),
        pytest.param({"a": [1, 3]}, add(2, "a", 1), {"a": [1, 2, 3]}, id="into a list"),
        pytest.param({"a": [1]}, add(2, "a", "-"), {"a": [1, 2]}, id="at the end of a list"),
        pytest.param({"a": [1, 2]}, remove("a", 0), {"a": [2]}, id="out of a list"),
        pytest.param({}, add_within({}, 1, "a", "b", "-"), {"a": {"b": [1]}}, id="with what is on the way"),
        pytest.param(
            {"a": {"b": [0]}},
            add_within({"a": {"b": [0]}}, 1, "a", "b", "-"),
            {"a": {"b": [0, 1]}},
            id="beside others",
        ),
        pytest.param({"a": [1]}, put(2, "a", 0), {"a": [2]}, id="replaced in a list"),
    ],
)
def test_operations(data, operation, expected):
    before = repr(data)
    assert patched(data, [operation]) == expected
    assert repr(data) == before


def test_a_path_that_leads_nowhere():
    with pytest.raises(LookupError):
        patched({}, [remove("a", "b")])


def test_pointers_are_escaped():
    assert pointer("spec", "nodeSelector", "a/b~c") == "/spec/nodeSelector/a~1b~0c"
