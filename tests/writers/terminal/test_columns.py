"""Text beside text: what is padded, broken and coloured."""

import pytest

from kschedctl.writers.formats import Look
from kschedctl.writers.terminal.columns import Lane, in_columns
from kschedctl.writers.terminal.document import print_text


def drawn(*lanes, styles=(), **look):
    return print_text([in_columns(lanes, styles)], Look(**look)).splitlines()


@pytest.mark.parametrize(
    ("lanes", "lines"),
    [
        pytest.param(
            [Lane("name", 9, ["a", "long name"]), Lane("n", 3, ["1", "100"], right=True)],
            ["name         n", "a            1", "long name  100"],
            id="to the left and to the right",
        ),
        pytest.param(
            [Lane("why", 6, ["one two three"]), Lane("", 2, ["n1"])],
            ["why", "one    n1", "two", "three"],
            id="cells of several lines",
        ),
        pytest.param(
            [Lane("why", 8, ["a", "one two"], indents=[0, 2]), Lane("n", 1, ["1", "2"])],
            ["why    n", "a      1", "  one  2", "  two"],
            id="set in",
        ),
        pytest.param(
            [Lane("a", 9, ["x"], least=6), Lane("b", 1, ["y"])],
            ["a       b", "x       y"],
            id="wider than needed",
        ),
        pytest.param(
            [Lane("名前", 9, ["東京", "abcd"]), Lane("n", 1, ["1", "2"])],
            ["名前  n", "東京  1", "abcd  2"],
            id="letters of two columns",
        ),
        pytest.param([Lane("nothing", 9, [])], ["nothing"], id="no rows"),
    ],
)
def test_columns(lanes, lines):
    assert drawn(*lanes) == lines


def test_cells_and_rows_have_styles():
    lanes = [Lane("a", 2, ["x", "y"]), Lane("b", 2, ["1", "0"], styles=["red", ""])]
    assert drawn(*lanes, styles=["", "bold"], color=True) == [
        "\x1b[2ma  b\x1b[0m",
        "x  \x1b[31m1\x1b[0m",
        "\x1b[1my  0\x1b[0m",
    ]
