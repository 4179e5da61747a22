"""Lines are broken where words end, and long words where their parts end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kschedctl.writers.terminal.wrapping import wrapped


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        pytest.param("", 5, [""], id="nothing"),
        pytest.param("one two three", 7, ["one two", "three"], id="words"),
        pytest.param("  indented", 20, ["indented"], id="spaces before"),
        pytest.param(
            "taint node-role.kubernetes.io/control-plane:NoSchedule is there",
            26,
            ["taint", "node-role.kubernetes.io/", "control-plane:NoSchedule", "is there"],
            id="a long word",
        ),
        pytest.param("abcdefgh", 3, ["abc", "def", "gh"], id="a word without parts"),
    ],
)
def test_lines(text, width, lines):
    assert wrapped(text, width) == lines


@given(st.text("ab-. ", max_size=60), st.integers(1, 20))
def test_nothing_is_lost_and_nothing_is_too_long(text, width):
    lines = wrapped(text, width)
    assert max(map(len, lines)) <= width
    assert "".join("".join(lines).split()) == "".join(text.split())
