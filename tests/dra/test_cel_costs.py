"""What calls cost by the table of the API server, and where an expression is given up."""

import pytest

from kschedctl.dra.cel import DeviceSelectors
from kschedctl.dra.cel_budget import COST_LIMIT, EXCEEDED
from kschedctl.dra.cel_costs import cost_of
from kschedctl.dra.devices import DeviceFacts
from kschedctl.dra.problem import CelProblem

GPU = DeviceFacts("gpu.example.com", {}, {}, allow_multiple_allocations=False)
QUANTITY = {0: "1"}


@pytest.mark.parametrize(
    ("function", "arguments", "cost"),
    [
        pytest.param("quantity", ("1" * 21,), 3, id="a text is walked for a tenth"),
        pytest.param("isSemver", ("", True), 0, id="nothing to walk"),
        pytest.param("compareTo", (QUANTITY, QUANTITY), 1, id="all else is one"),
        pytest.param("sum", ([1, 2, 3],), 3, id="each number is one"),
        pytest.param("min", (["a" * 25, "b"],), 2, id="each text is walked"),
        pytest.param("find", ("a" * 19, "b" * 5), 2 * 2, id="a search is text times expression"),
        pytest.param("findAll", ("", "b" * 5, 1), 1 * 2, id="an empty text is searched, too"),
        pytest.param("lists.range", (5,), 16, id="a list of numbers"),
        pytest.param("lists.range", (-5,), 11, id="no number"),
        pytest.param("slice", ([1, 2, 3], 1, 3), 13, id="a part of a list"),
        pytest.param("flatten", ([1, 2, 3], 2), 17, id="deeper lists cost more"),
        pytest.param("distinct", ([1] * 10,), 211, id="numbers with one another"),
        pytest.param("sort", (["a"] * 10,), 221, id="texts with one another"),
        pytest.param("sets.contains", ([1, 2], [1, 2, 3]), 7, id="one set with another"),
        pytest.param("sets.equivalent", ([1, 2], [1, 2, 3]), 13, id="both ways"),
        pytest.param("k8s_equal", (["a" * 25, "b" * 11],), 2, id="the shorter text is walked"),
        pytest.param("k8s_equal", ([b"1.0.0", b"1.0.1"],), 1, id="versions are one thing"),
    ],
)
def test_costs(function, arguments, cost):
    assert cost_of(function, arguments) == cost


@pytest.mark.parametrize(
    ("expression", "count"),
    [
        pytest.param("lists.range({}).size() >= 0", COST_LIMIT - 11, id="a list of numbers"),
        pytest.param("lists.range({}).map(x, 1).distinct().size() >= 0", 706, id="a list with itself"),
    ],
)
def test_the_limit_is_that_of_the_scheduler(expression, count):
    selectors = DeviceSelectors()
    assert selectors.matches(expression.format(count), GPU) is True
    assert selectors.matches(expression.format(count + 1), GPU) == CelProblem("runtime", EXCEEDED)
