"""The ledger: what is held, what undo restores, and what equal nodes share."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from dra_builders import (
    IN_1_34,
    IN_1_36,
    allocate,
    allocated,
    claim,
    device,
    devices,
    exactly,
    features_of,
    ledger,
    node,
    pod,
    resource_slice,
    shown,
)
from hypothesis import given

from kschedctl.dra.ledger import ClaimLedger
from kschedctl.errors import InputError
from kschedctl.objects.resource import ResourceClaim, ResourceSlice

NODES = ("n1", "n2", "n3")
MODELS = st.sampled_from(["a", "b"])
PICK = 'device.attributes["drv"].model == "a"'


@st.composite
def slices(draw: st.DrawFn) -> list[ResourceSlice]:
    """One pool per node, perhaps with counters, and perhaps one for all; serial numbers tell devices apart."""
    found = []
    uses = [{"counterSet": "set", "counters": {"mem": {"value": "2"}}}]
    counted = draw(st.booleans())
    count = 2 if counted else 1
    for name in NODES:
        models = draw(st.lists(MODELS, max_size=3))
        offered = [
            device(
                f"{name}-d{i}",
                attributes={"model": model, "serial": f"{name}{i}"},
                consumesCounters=uses if counted and model == "a" else [],
            )
            for i, model in enumerate(models)
        ]
        found.append(resource_slice(f"s-{name}", offered, pool=name, on=name, count=count))
        if counted:
            sets = [{"name": "set", "counters": {"mem": {"value": str(draw(st.integers(1, 4)))}}}]
            found.append(resource_slice(f"c-{name}", [], pool=name, on=name, count=2, sharedCounters=sets))
    if draw(st.booleans()):
        shared = device("g", attributes={"model": "a"}, capacity={"c": "2"}, allowMultipleAllocations=True)
        found.append(
            resource_slice("net", [shared], pool=draw(st.sampled_from(["a", "z"])), on=None, allNodes=True)
        )
    return found


@st.composite
def holders(draw: st.DrawFn) -> list[ResourceClaim]:
    """Claims that hold devices, existing ones or not."""
    held = draw(st.lists(st.tuples(st.sampled_from(NODES), st.integers(0, 2)), max_size=4))
    return [allocated(f"used{i}", (n, f"{n}-d{k}")) for i, (n, k) in enumerate(held)]


@given(slices(), holders(), st.integers(1, 2))
def test_equal_nodes_get_what_each_would_get_by_itself(
    offered: list[ResourceSlice], used: list[ResourceClaim], count: int
) -> None:
    wanted = claim("C", exactly("r", count, PICK), exactly("q"))
    together = ledger(*offered, *used)
    for name in NODES:
        alone = allocate(ledger(*offered, *used), wanted, on=name)
        assert shown(together.allocator, node(name), wanted) == alone


@given(slices(), st.lists(st.sampled_from(["take", "undo"]), max_size=12))
def test_undo_restores_every_answer(offered: list[ResourceSlice], steps: list[str]) -> None:
    book = ledger(*offered)
    undo = []
    answers = [answers_of(book)]
    for number, step in enumerate(steps):
        if step == "take":
            name = NODES[number % len(NODES)]
            held = allocated(f"c{number}", (name, f"{name}-d{number % 3}"))
            undo.append(book.add(held))
            answers.append(answers_of(book))
        elif undo:
            undo.pop()()
            answers.pop()
        assert answers_of(book) == answers[-1]


def answers_of(book: ClaimLedger) -> list[str | list[str]]:
    return [shown(book.allocator, node(name), claim("C", exactly("r", 2))) for name in NODES]


def test_of_two_holders_of_one_device_the_first_to_let_go_frees_it() -> None:
    book = ledger(
        resource_slice("s", devices("d")), allocated("x", ("p1", "d")), one := allocated("y", ("p1", "d"))
    )
    wanted = claim("C", exactly())
    assert allocate(book, wanted) == "none"
    undo = book.deallocate(one)
    assert allocate(book, wanted) == ["r=p1/d"]
    undo()
    assert allocate(book, wanted) == "none"


def test_shared_consumption_adds_up_and_goes_away() -> None:
    offered = resource_slice("s", [device("d", capacity={"c": "10"}, allowMultipleAllocations=True)])
    share = {"driver": "drv", "pool": "p1", "device": "d", "shareID": "x", "consumedCapacity": {"c": "4"}}
    book = ledger(offered, allocated("x", share), second := allocated("y", share))
    wanted = claim("C", exactly(capacity={"requests": {"c": "3"}}))
    assert allocate(book, wanted) == "none"
    book.delete(second)
    assert allocate(book, wanted) == ["r=p1/d"]


def test_without_consumable_capacity_shares_are_exclusive() -> None:
    share = {"driver": "drv", "pool": "p1", "device": "d", "shareID": "x"}
    objects = [resource_slice("s", devices("d")), allocated("x", share)]
    assert allocate(ledger(*objects), claim("C", exactly())) == ["r=p1/d"]
    off = features_of(DRAConsumableCapacity=False)
    assert allocate(ledger(*objects, features=off), claim("C", exactly())) == "none"


def test_the_last_consumer_frees_the_devices() -> None:
    book = ledger(resource_slice("s", devices("d")), allocated("x", ("p1", "d"), reserved_for=("a", "b")))
    book.release(pod("a"))
    assert allocate(book, claim("C", exactly())) == "none"
    undo = book.release(pod("b"))
    assert allocate(book, claim("C", exactly())) == ["r=p1/d"]
    undo()
    assert allocate(book, claim("C", exactly())) == "none"


def test_a_pod_is_reserved_once() -> None:
    book = ledger(held := allocated("x", ("p1", "d")))
    who = pod("a")
    book.reserve(held, who)
    book.reserve(held, who)
    current = book.find("d", "x")
    assert current is not None
    assert [consumer.name for consumer in current.status.reserved_for] == ["a"]


@pytest.mark.parametrize(
    "bad",
    [
        resource_slice("s", [device("d", capacity={"c": "many"})]),
        allocated(
            "x", {"driver": "drv", "pool": "p", "device": "d", "shareID": "1", "consumedCapacity": {"c": "?"}}
        ),
    ],
    ids=["slice", "claim"],
)
def test_amounts_that_are_no_quantities(bad: ResourceSlice | ResourceClaim) -> None:
    with pytest.raises(InputError, match="quantities must match"):
        ledger(bad)


def test_a_request_that_is_no_quantity() -> None:
    with pytest.raises(InputError, match="ResourceClaim d/C: quantities must match"):
        allocate(ledger(), claim("C", exactly(capacity={"requests": {"c": "many"}})))


def test_slices_count_in_the_order_of_their_names_whatever_file_they_come_from() -> None:
    """1.34 and the oldest allocator of 1.36 keep the order in which the API server lists slices."""
    slices = [resource_slice(name, devices(name), count=2) for name in ("a", "b")]
    for features in (
        IN_1_36,
        IN_1_34,
        features_of(DRAConsumableCapacity=False, DRADeviceBindingConditions=False),
    ):
        for listed in (slices, slices[::-1]):
            assert allocate(ledger(*listed, features=features), claim("C", exactly())) == ["r=p1/a"]


def test_the_claims_of_a_pod_follow_every_change_and_its_undoing() -> None:
    """Those that it uses and those made for it."""
    owner = {"kind": "Pod", "name": "p", "uid": "p", "controller": True}
    made, used = claim("made", exactly(), meta={"ownerReferences": [owner]}), allocated("used", ("p1", "a"))
    book = ledger(made, used, allocated("other", ("p1", "b"), reserved_for=("q",)))

    def names() -> list[str]:
        return [found.name for found in book.claims_of(pod("p"))]

    assert names() == ["made"]
    undo = [book.reserve(used, pod("p"))]
    assert names() == ["made", "used"]
    undo.append(book.release(pod("p")))
    assert names() == ["made"]
    undo.append(book.delete(made))
    assert names() == []
    seen = []
    for step in reversed(undo):
        step()
        seen.append(names())
    assert seen == [["made"], ["made", "used"], ["made"]]
