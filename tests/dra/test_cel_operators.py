"""Comparisons with versions, which kube-scheduler does not compare with other kinds (decided by its code)."""

from __future__ import annotations

import pytest

from kschedctl.dra.cel import DeviceSelectors
from kschedctl.dra.cel_operators import with_checked_operators
from kschedctl.dra.devices import DeviceFacts
from kschedctl.dra.problem import CelProblem
from kschedctl.objects.resource import DeviceAttribute

DOMAIN = 'device.attributes["drv"]'
DEVICE = DeviceFacts(
    "drv",
    {
        "v": DeviceAttribute(version_value="1.0.0"),
        "s": DeviceAttribute(string_value="a"),
        "n": DeviceAttribute(int_value=1),
    },
    {},
    allow_multiple_allocations=False,
)
ERROR = CelProblem("runtime", "no such overload")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        pytest.param("{d}.v == {d}.s", ERROR, id="version and text"),
        pytest.param("{d}.s == {d}.v", False, id="text and version"),
        pytest.param("{d}.v != {d}.s", True, id="unequal is never an error"),
        pytest.param('{d}.v == semver("1.0.0")', True, id="version and version"),
        pytest.param("{d}.v == 1 || {d}.n == 1", True, id="absorbed by or"),
        pytest.param("{d}.v == 1 && {d}.n == 2", False, id="absorbed by and"),
        pytest.param("[{d}.v] == [{d}.s]", True, id="in lists an error counts as equal"),
        pytest.param("[{d}.s] == [{d}.v]", False, id="in lists a no is a no"),
        pytest.param("[{d}.n, 1] == [1, {d}.n] && {d}.v != 1", True, id="lists of numbers"),
        pytest.param("{d}.v < {d}.v", ERROR, id="order"),
        pytest.param("{d}.n < 2 && {d}.v != 1", True, id="order of numbers"),
        pytest.param("size({d}.v) == 1", ERROR, id="size"),
        pytest.param("{d}.v.size() == 5", ERROR, id="size as member"),
        pytest.param("{d}.s.size() == 1 && {d}.v != 1", True, id="size of a text"),
        pytest.param("{d}.v.all(x, true)", ERROR, id="iteration"),
        pytest.param("{d}.v in [{d}.s]", False, id="in a list"),
        pytest.param("[1, 2].exists(x, x == {d}.n) && {d}.v != 1", True, id="within a macro"),
        pytest.param("({d}.n == 1 ? {d}.s : {d}.v) == 'a'", True, id="a choice is one operand"),
        pytest.param("{d}[?'w'].orValue(3) == 3 && {d}.v != 1 // c", True, id="optional entry and comment"),
    ],
)
def test_versions_are_compared_with_versions_alone(expression: str, expected: bool | CelProblem) -> None:
    assert DeviceSelectors().matches(expression.replace("{d}", DOMAIN), DEVICE) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        pytest.param("a == b", "k8s_equal([a , b])", id="equal"),
        pytest.param("a != b == c", "k8s_equal([k8s_unequal([a , b]) , c])", id="from left to right"),
        pytest.param("a + 1 < b && c", "k8s_ordered([a + 1 ]) < k8s_ordered([ b ])&& c", id="operands"),
        pytest.param("a in [b == c]", "a in [k8s_equal([b , c])]", id="in"),
        pytest.param("x.?size == {1: 2 == 3}", "k8s_equal([x.?size , {1:k8s_equal([ 2 , 3])}])", id="map"),
        pytest.param('s == "a==b"', 'k8s_equal([s , "a==b"])', id="text"),
    ],
)
def test_rewritten(expression: str, expected: str) -> None:
    assert "".join(with_checked_operators(expression).split()) == "".join(expected.split())
