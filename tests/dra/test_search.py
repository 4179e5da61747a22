"""The search, quirk by quirk: what comes first, what is given back, what is not."""

from __future__ import annotations

import random
from typing import Any

import pytest
from dra_builders import (
    IN_1_34,
    IN_1_36,
    IN_1_36_2,
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
    taking,
)

from kschedctl.dra import allocator, search
from kschedctl.dra.cel import DeviceSelectors
from kschedctl.dra.features import Features
from kschedctl.objects.resource import ResourceClaim, ResourceSlice

CASES = 500
IS = [f'device.attributes["drv"].m == {value}' for value in (0, 1)]
NO_SCHEDULE = [{"key": "k", "effect": "NoSchedule"}]


TAKES_4 = [{"counterSet": "set", "counters": {"mem": {"value": "4"}}}]


def pool(total: str, *offered: dict[str, Any], name: str = "p1", driver: str = "drv") -> list[ResourceSlice]:
    sets = [{"name": "set", "counters": {"mem": {"value": total}}}]
    return [
        resource_slice(f"{driver}-{name}-c", [], pool=name, driver=driver, count=2, sharedCounters=sets),
        resource_slice(f"{driver}-{name}-s", list(offered), pool=name, driver=driver, count=2),
    ]


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


KINDS = (
    {"attributes": {"m": 0, "n": 0}},
    {"attributes": {"m": 0, "n": 1}},
    {"attributes": {"m": 1, "n": 0}, "taints": NO_SCHEDULE},
    {"attributes": {"m": 1}, "consumesCounters": TAKES_4},
    {"attributes": {"m": 0, "n": 1}, "consumesCounters": TAKES_4, "taints": NO_SCHEDULE},
    {"attributes": {"m": 1, "n": 1}, "capacity": {"c": {"value": "3", "requestPolicy": {"default": "1"}}}},
    {"attributes": {"m": 1}, "capacity": {"c": "3"}, "allowMultipleAllocations": True},
)
"""Kinds of devices: plain ones, and those with which a search leaves something behind or shares something."""


def random_ask(rng: random.Random, name: str, *, alternative: bool = False) -> dict[str, Any]:
    picks = rng.choice([(), (), *((pick,) for pick in IS)])
    fields: dict[str, Any] = {"tolerations": [{"operator": "Exists"}]} if rng.random() < 0.3 else {}
    if not alternative and rng.random() < 0.2:
        fields["adminAccess"] = True
    if rng.random() < 0.2:
        return every(name, *picks, **fields)
    return exactly(name, rng.choice([1, 1, 2, 3]), *picks, **fields)


def random_request(rng: random.Random, name: str) -> dict[str, Any]:
    if rng.random() < 0.6:
        return random_ask(rng, name)
    return first_available(name, *(random_ask(rng, f"s{i}", alternative=True) for i in range(2)))


def random_claim(rng: random.Random, name: str) -> ResourceClaim:
    requests = [random_request(rng, f"r{i}") for i in range(rng.randint(1, 3))]
    kinds = rng.choice([(), ("matchAttribute",), ("distinctAttribute",)])
    names = [request["name"] for request in requests]
    subset = rng.sample(names, rng.randint(0, len(names)))
    return claim(name, *requests, constraints=[{kind: "drv/n", "requests": subset} for kind in kinds])


def random_offer(rng: random.Random) -> list[ResourceSlice | ResourceClaim]:
    """Devices of few kinds. Some are in use, and of some that are not shared, or no longer so, a share is."""
    kinds = rng.sample(KINDS, rng.choice([1, 2, 2, 3]))
    names = [f"d{i}" for i in range(rng.randint(2, 5))]
    offered = [device(name, **rng.choice(kinds)) for name in names]
    result = {"request": "r", "driver": "drv", "pool": "p1"}
    share = {"shareID": "x", "consumedCapacity": {"c": "1"}}
    held = [allocated(f"h-{name}", ("p1", name)) for name in rng.sample(names, rng.choice([0, 1]))]
    held += [
        allocated(f"s-{name}", {**result, "device": name, **share})
        for name in rng.sample(names, rng.choice([0, 0, 1]))
    ]
    return [*pool(rng.choice(["4", "8", "40"]), *offered), *held]


@pytest.mark.parametrize("features", [IN_1_36, IN_1_36_2, IN_1_34], ids=["1.36", "1.36.2", "1.34"])
def test_leaving_out_equal_devices_changes_no_answer(
    monkeypatch: pytest.MonkeyPatch, features: Features
) -> None:
    selectors = DeviceSelectors()  # the only ones, for speed
    monkeypatch.setattr(allocator, "DeviceSelectors", lambda **_: selectors)
    for seed in range(CASES):
        rng = random.Random(seed)
        if features.allocator.alternatives_are_mixed_up:
            offer = [resource_slice("s", [device(f"d{i}", **rng.choice(KINDS[:3])) for i in range(4)])]
        else:
            offer = random_offer(rng)
        claims = [random_claim(rng, name) for name in rng.choice(["A", "A", "AB"])]
        with monkeypatch.context() as patch:
            patch.setattr(search, "order_is_indifferent", lambda *_: False)
            expected = allocate(ledger(*offer, features=features), *claims)
        assert allocate(ledger(*offer, features=features), *claims) == expected, seed


def test_an_admin_takes_the_equal_device_that_nobody_else_could_have() -> None:
    """Both are open to the admin, d1 to nobody else: the way back takes it, and leaves d0 to the next request."""
    book = ledger(resource_slice("s", devices("d0", "d1")), allocated("held", ("p1", "d1")))
    both = claim("C", exactly("r0", adminAccess=True), exactly("r1"))
    assert allocate(book, both) == ["r0=p1/d1", "r1=p1/d0"]


def test_which_equal_device_is_free_decides_between_failure_and_error() -> None:
    """With d0 taken, its turn among all devices fails at once; with d1 taken, d0 is there to break the constraint."""
    book = ledger(resource_slice("s", devices("d0", "d1")))
    later = first_available("r1", exactly("s0", 1, "false"), every("s1"))
    asked = claim("C", exactly("r0"), later, constraints=[{"matchAttribute": "drv/n", "requests": ["r1"]}])
    text = "cannot add device drv/p1/d0 because a claim constraint would not be satisfied"
    assert allocate(book, asked) == f"claim d/C, request s1: {text}"


def test_each_equal_device_leaves_the_leaks_of_its_own_branch_behind() -> None:
    """Below each of three equal devices x takes 10 four times and then meets its taint: no room is left for it."""
    offered = [device(f"d{i}") for i in range(3)]
    asked = claim("c", exactly("r0", tolerations=[{"operator": "Exists"}]), exactly("r1", 3))
    found = {
        total: allocate(
            ledger(*pool(total, *offered, taking("x", "10", taints=NO_SCHEDULE)), features=IN_1_36_2), asked
        )
        for total in ("60", "130")
    }
    assert found == {"60": "none", "130": ["r0=p1/x", "r1=p1/d0", "r1=p1/d1", "r1=p1/d2"]}


def test_a_forgotten_value_depends_on_which_equal_device_is_gone() -> None:
    """Of 1, 0, 1 all are taken, of 0, 1, 1 not: a request remembers one value only."""
    offered = [device(f"d{i}", attributes={"n": n}) for i, n in enumerate((1, 0, 1, 1))]
    three = claim("B", exactly("r", 3), constraints=[{"distinctAttribute": "drv/n"}])
    found = allocate(ledger(resource_slice("s", offered)), claim("A", exactly()), three)
    assert found == ["r=p1/d2", "r=p1/d0", "r=p1/d1", "r=p1/d3"]


def test_1_34_goes_on_with_the_first_alternative_if_the_right_equal_device_is_free() -> None:
    book = ledger(resource_slice("s", devices("d0", "d1")), features=IN_1_34)
    later = first_available("r1", exactly("s0", 1, "false"), every("s1"))
    assert allocate(book, claim("C", exactly("r0"), later)) == ["r0=p1/d1", "r1/s1=p1/d0"]


def test_equal_devices_of_two_pools_take_from_counters_of_their_own() -> None:
    """Taken from p1, a small one leaves too little for the large one there; p2 has an equal one."""
    small, large = (
        taking(name, amount, attributes={"m": m}) for name, amount, m in (("s", "3", 0), ("l", "8", 1))
    )
    offered = [*pool("10", small, large), *pool("10", small, name="p2")]
    both = claim("C", exactly("r0", 1, IS[0]), exactly("r1", 1, IS[1]))
    assert allocate(ledger(*offered), both) == ["r0=p2/s", "r1=p1/l"]


def test_an_equal_device_with_a_share_left_over_leaves_the_other_to_the_next() -> None:
    """d1 has room for what the first request takes by default, d0 alone for what the second asks for."""
    policy = {"c": {"value": "3", "requestPolicy": {"default": "1"}}}
    left = {"request": "r", "driver": "drv", "pool": "p1", "device": "d1"}
    book = ledger(
        resource_slice("s", [device(name, capacity=policy) for name in ("d0", "d1")]),
        allocated("old", {**left, "shareID": "x", "consumedCapacity": {"c": "2"}}),
    )
    asked = claim("C", exactly("r0"), exactly("r1", capacity={"requests": {"c": "3"}}))
    assert allocate(book, asked) == ["r0=p1/d1", "r1=p1/d0"]


def test_a_note_of_consuming_nothing_is_taken_back_once() -> None:
    """Two requests share a device of which they consume nothing; the way back undoes both."""
    nothing = {"c": {"value": "4", "requestPolicy": {"default": "0"}}}
    shared = device("d", capacity=nothing, allowMultipleAllocations=True)
    book = ledger(resource_slice("s", [shared]), device_class("none", "false"))
    asked = claim("C", exactly("r0"), exactly("r1"), exactly("r2", deviceClassName="none"))
    assert allocate(book, asked) == "none"


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
    assert allocate(ledger(*offered, features=IN_1_36_2), asked) == expected


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
        (IN_1_36, ["r/s1=p1/one"]),
        (IN_1_34, "none"),
    ],
    ids=["1.36", "1.34"],
)
def test_all_in_a_later_alternative(features: Features, expected: str | list[str]) -> None:
    """1.34 goes on with the first alternative after the first device of a later one that wants all."""
    book = ledger(resource_slice("s", [device("one", attributes={"m": 1})]), features=features)
    same = 'device.attributes["drv"].m == 1'
    wanted = first_available("r", exactly("s0", 2, same), every("s1", same))
    assert allocate(book, claim("C", wanted)) == expected


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
