"""Consumption of capacity: policies, rounding and refusals."""

from __future__ import annotations

import pytest
from dra_builders import IN_1_36, device, resource_slice

from kschedctl.dra.capacity import consumption, nano_text, shortage
from kschedctl.dra.devices import DeviceEntry, SliceCompiler
from kschedctl.objects.quantity import parse

STEPS = {"default": "1Gi", "validRange": {"min": "1Gi", "step": "512Mi"}}
UP_TO_4 = {"default": "2", "validRange": {"min": "1", "max": "4"}}
HUGE_STEP = {"default": "1", "validRange": {"min": "1", "step": str(2**63 - 1)}}
VALUES = {"default": "2", "validValues": ["2", "4", "8"]}


def offering(value: str, policy: dict[str, object] | None) -> DeviceEntry:
    offer = {"value": value} if policy is None else {"value": value, "requestPolicy": policy}
    entry = SliceCompiler(IN_1_36).compile(resource_slice("s", [device("d", capacity={"c": offer})]))
    return entry.devices[0]


@pytest.mark.parametrize(
    ("value", "policy", "request_", "used", "consumed", "problem"),
    [
        ("10", None, None, "0", "10", ""),
        ("10", None, "3", "6", "3", ""),
        ("10", None, "3", "8", "3", "capacity c: 10 is short by 1"),
        ("10", {"default": "2"}, None, "0", "2", ""),
        ("10", {"default": "2"}, "7", "0", "7", ""),
        ("10Gi", STEPS, "1", "0", "1Gi", ""),
        ("10Gi", STEPS, "1300Mi", "0", "1536Mi", ""),
        ("10Gi", STEPS, "1300Mi", "9Gi", "1536Mi", "capacity c: 10Gi is short by 512Mi"),
        ("10", UP_TO_4, "4", "0", "4", ""),
        ("10", UP_TO_4, "5", "0", "5", "capacity c: 5 is no valid amount"),
        ("10", VALUES, "5", "0", "8", ""),
        ("10", VALUES, "9", "0", "9", "capacity c: 9 is no valid amount"),
        ("10", VALUES, None, "0", "2", ""),
        ("10", {"default": "3", "validValues": ["2"]}, None, "0", "3", ""),
        ("10", HUGE_STEP, "1", "0", "1", ""),
        ("10", HUGE_STEP, "2", "10", "-9223372036854775808", ""),
    ],
)
def test_consumption(
    value: str, policy: dict[str, object] | None, request_: str | None, used: str, consumed: str, problem: str
) -> None:
    requested = {} if request_ is None else {"c": parse(request_).nano}
    offered = offering(value, policy)
    assert shortage(offered, requested, {"c": parse(used).nano}) == problem
    assert consumption(offered, requested) == {"c": parse(consumed).nano}


def test_a_capacity_that_the_device_lacks() -> None:
    assert shortage(offering("1", None), {"x": 1}) == "no capacity x"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1536Mi", "1536Mi"), ("2Gi", "2Gi"), ("7", "7"), ("0", "0"), ("1500m", "1500000000n")],
)
def test_amounts_as_quantities(text: str, expected: str) -> None:
    assert nano_text(parse(text).nano) == expected
    assert parse(expected) == parse(text)
