"""The search, quirk by quirk: what comes first, what is given back, what is not."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import pytest
from dra_builders import (
    allocate,
    allocated,
    claim,
    device,
    device_class,
    devices,
    every,
    exactly,
    first_available,
    ledger,
    node,
    resource_slice,
)
from hypothesis import HealthCheck, given, settings

from kschedctl.dra.attempt import Attempt
from kschedctl.dra.features import V1_34, Features
from kschedctl.objects.resource import ResourceSlice

IS = [f'device.attributes["drv"].m == {value}' for value in (0, 1)]
NO_SCHEDULE = [{"key": "k", "effect": "NoSchedule"}]


def taking(name: str, amount: str, **fields: Any) -> dict[str, Any]:
    uses = [{"counterSet": "set", "counters": {"mem": {"value": amount}}}]
    return device(name, consumesCounters=uses, **fields)


def pool(total: str, *offered: dict[str, Any], name: str = "p1", driver: str = "drv") -> list[ResourceSlice]:
    sets = [{"name": "set", "counters": {"mem": {"value": total}}}]
    return [
        resource_slice(f"{driver}-{name}-c", [], pool=name, driver=driver, count=2, sharedCounters=sets),
        resource_slice(f"{driver}-{name}-s", list(offered), pool=name, driver=driver, count=2),
    ]


def test_counters_of_a_tainted_device_are_not_given_back() -> None:
    book = ledger(*pool("10", taking("d1", "10", taints=NO_SCHEDULE), taking("d2", "10")))
    assert allocate(book, claim("C", exactly())) == "none"


def test_counters_are_given_back_when_the_search_goes_back() -> None:
    offered = pool("10", taking("d1", "10"), taking("d2", "4", attributes={"ok": True}))
    pick = 'has(device.attributes["drv"].ok)'
    assert allocate(ledger(*offered), claim("C", exactly("r", 1, pick))) == ["r=p1/d2"]
    two = claim("C", exactly("a"), exactly("b", 1, pick))
    assert allocate(ledger(*offered), two) == "none"


def test_counters_of_pools_with_one_name_are_confused() -> None:
    first = pool("10", taking("a", "10"), driver="drv-a")
    second = pool("20", taking("b", "5"), driver="drv-b")
    both = claim("C", exactly("r", 2))
    assert allocate(ledger(*first, *second), both) == "none"
    renamed = pool("20", taking("b", "5"), driver="drv-b", name="p2")
    assert allocate(ledger(*first, *renamed), both) == ["r=p1/a", "r=p2/b"]


def test_a_later_request_moves_an_earlier_alternative() -> None:
    book = ledger(resource_slice("s", [device("a", attributes={"fast": True}), device("b")]))
    fast = 'has(device.attributes["drv"].fast)'
    wanted = claim(
        "C", first_available("r", exactly("best", 1, fast), exactly("any", 1)), exactly("q", 1, fast)
    )
    assert allocate(book, wanted) == ["r/any=p1/b", "q=p1/a"]


def test_one_request_needs_different_devices_two_requests_share_one() -> None:
    shared = resource_slice("s", [device("d", capacity={"c": "10"}, allowMultipleAllocations=True)])
    one = {"requests": {"c": "1"}}
    assert allocate(ledger(shared), claim("C", exactly("r", 2, capacity=one))) == "none"
    two = claim("C", exactly("a", capacity=one), exactly("b", capacity=one))
    assert allocate(ledger(shared), two) == ["a=p1/d", "b=p1/d"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (False, True, ["r=p1/d", "r=p1/d"]),
        (True, False, "none"),
    ],
    ids=["admin-last", "admin-first"],
)
def test_admin_access_within_a_pod(first: bool, second: bool, expected: str | list[str]) -> None:
    book = ledger(resource_slice("s", devices("d")))
    claims = [
        claim(name, exactly(**({"adminAccess": True} if admin else {})))
        for name, admin in (("A", first), ("B", second))
    ]
    assert allocate(book, *claims) == expected


def test_admin_results_hold_nothing() -> None:
    held = {"driver": "drv", "pool": "p1", "device": "d", "adminAccess": True}
    book = ledger(resource_slice("s", devices("d")), allocated("used", held))
    assert allocate(book, claim("C", exactly())) == ["r=p1/d"]


def test_all_devices_must_meet_the_constraints() -> None:
    book = ledger(resource_slice("s", [device("a", attributes={"x": 1}), device("b", attributes={"x": 2})]))
    wanted = claim("C", every(), constraints=[{"matchAttribute": "drv/x"}])
    text = "cannot add device drv/p1/b because a claim constraint would not be satisfied"
    assert allocate(book, wanted) == f"claim d/C, request r: {text}"


def test_a_constraint_names_its_requests() -> None:
    book = ledger(resource_slice("s", [device("a", attributes={"x": 1}), device("b", attributes={"x": 2})]))
    same = [{"matchAttribute": "drv/x", "requests": ["r1"]}]
    assert allocate(book, claim("C", exactly("r1"), exactly("r2"), constraints=same)) == [
        "r1=p1/a",
        "r2=p1/b",
    ]


def test_the_limit_prunes_an_alternative() -> None:
    book = ledger(resource_slice("s", devices(*(f"d{i:02}" for i in range(40)))))
    wanted = claim("C", exactly("a", 20), first_available("b", exactly("many", 20), exactly("few", 2)))
    taken = allocate(book, wanted)
    assert [t.split("=")[0] for t in taken] == ["a"] * 20 + ["b/few"] * 2


MODELS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=5)
COUNTS = st.lists(st.tuples(st.integers(1, 3), st.sampled_from(["true", *IS])), min_size=1, max_size=3)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(models=MODELS, counts=COUNTS, match=st.booleans())
def test_leaving_out_equal_devices_changes_no_answer(
    monkeypatch: pytest.MonkeyPatch, models: list[tuple[int, int]], counts: list[tuple[int, str]], match: bool
) -> None:
    offered = [device(f"d{i}", attributes={"m": m, "n": n}) for i, (m, n) in enumerate(models)]
    requests = [exactly(f"r{i}", count, pick) for i, (count, pick) in enumerate(counts)]
    wanted = claim("C", *requests, constraints=[{"matchAttribute": "drv/n"}] if match else [])
    book = ledger(resource_slice("s", offered))
    with monkeypatch.context() as patch:
        patch.setattr(Attempt, "repeatable", lambda attempt, position: False)
        expected = allocate(ledger(resource_slice("s", offered)), wanted)
    assert allocate(book, wanted) == expected


@pytest.mark.parametrize(
    ("total", "expected"),
    [
        pytest.param("25", "none", id="no room for a third try"),
        pytest.param("30", ["r0=p0/d3", "r1=p1/x"], id="room for a third try"),
    ],
)
def test_each_equal_device_leaves_its_leak_behind(total: str, expected: str | list[str]) -> None:
    """Below d1 and again below d2, which is equal, x takes counters and then breaks the constraint."""
    first = [device(f"d{i}", attributes={"a": a, "m": 0}) for i, a in ((1, 1), (2, 1), (3, 2))]
    offered = [
        resource_slice("s0", first, pool="p0"),
        *pool(total, taking("x", "10", attributes={"a": 2, "m": 1})),
    ]
    same = [{"matchAttribute": "drv/a"}]
    asked = claim("c", exactly("r0", 1, IS[0]), exactly("r1", 1, IS[1]), constraints=same)
    assert allocate(ledger(*offered), asked) == expected


def test_equal_devices_do_not_multiply_the_search() -> None:
    book = ledger(
        resource_slice("s", devices(*(f"d{i:02}" for i in range(30)))), device_class("none", "false")
    )
    wanted = claim("C", exactly("a", 15), exactly("b", 1, deviceClassName="none"))
    assert allocate(book, wanted) == "none"


def test_devices_of_a_slice_for_several_nodes() -> None:
    here = node("n1", {"zone": "a"})
    term = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b"]}]}
    mixed = resource_slice(
        "s",
        [
            device("other", nodeName="n2"),
            device("zone", nodeSelector={"nodeSelectorTerms": [term]}),
            device("nowhere"),
            device("everywhere", allNodes=True),
        ],
        on=None,
        perDeviceNodeSelection=True,
    )
    assert allocate(ledger(mixed), claim("C", exactly()), on=here) == ["r=p1/everywhere"]


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        (Features(), ["r/s1=p1/one"]),
        (V1_34, "none"),
    ],
    ids=["1.36", "1.34"],
)
def test_all_in_a_later_alternative(features: Features, expected: str | list[str]) -> None:
    """1.34 goes on with the first alternative after the first device of a later one that wants all."""
    book = ledger(resource_slice("s", [device("one", attributes={"m": 1})]), features=features)
    same = 'device.attributes["drv"].m == 1'
    wanted = first_available("r", exactly("s0", 2, same), every("s1", same))
    assert allocate(book, claim("C", wanted)) == expected


def test_1_34_uses_incomplete_pools_and_stops_at_invalid_ones() -> None:
    incomplete = resource_slice("s", devices("a"), count=2)
    assert allocate(ledger(incomplete, features=V1_34), claim("C", exactly())) == ["r=p1/a"]
    invalid = resource_slice("s", devices("a", "a"))
    text = "pool drv/p1 is invalid: duplicate device name a"
    assert allocate(ledger(invalid, features=V1_34), claim("C", exactly())) == text


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (
            exactly("r", 1, deviceClassName=""),
            "request r: missing device class name (unsupported request type?)",
        ),
        (exactly("r", 1, allocationMode="Some"), "request r: unsupported count mode Some"),
        (
            {"name": "r", "exactly": {"deviceClassName": "any", "selectors": [{}]}},
            "request r, selector #0: CEL expression empty (unsupported selector type?)",
        ),
        (
            first_available("r", exactly("s0"), exactly("s1", 1, allocationMode="Some")),
            "request s1: unsupported count mode Some",
        ),
        (exactly("r", 33), None),
    ],
    ids=["class", "mode", "selector", "alternative", "count"],
)
def test_requests_are_checked_first(request_: dict[str, Any], text: str | None) -> None:
    expected = f"claim d/C, {text}"
    if text is None:
        expected = "claim d/C: number of requested devices 33 exceeds the claim limit of 32"
    assert allocate(ledger(resource_slice("s", devices("d"))), claim("C", request_)) == expected
