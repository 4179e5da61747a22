"""The worked examples of the behaviour of dynamic resource allocation, as a table."""

from __future__ import annotations

import pytest
from dra_builders import (
    IN_1_36,
    allocate,
    allocated,
    claim,
    device,
    device_class,
    devices,
    every,
    exactly,
    first_available,
    judge,
    ledger,
    node,
    pod,
    reason,
    resource_slice,
)

from kschedctl.dra.allocator import Solution
from kschedctl.dra.assume import bind, post_filter
from kschedctl.dra.claims import DeviceClaimProblem
from kschedctl.dra.pod_claims import NodeFit, NodeMisfit, PodClaims, filter_node, pre_filter, score
from kschedctl.objects.resource import ResourceClaim, ResourceSlice

BIG_ENOUGH = 'device.capacity["drv"].mem.compareTo(quantity("60Gi")) >= 0'
NUMA = {"matchAttribute": "drv/numa"}
NIC = {"distinctAttribute": "drv/nic"}
NO_SCHEDULE = {"key": "k", "value": "v", "effect": "NoSchedule"}
IGNORED = {"key": "k", "effect": "None"}


def memory(**amounts: str) -> dict[str, dict[str, str]]:
    return {name: {"value": amount} for name, amount in amounts.items()}


def taking(name: str, amount: str) -> dict[str, object]:
    return device(name, consumesCounters=[{"counterSet": "set", "counters": memory(mem=amount)}])


def nics(*values: str) -> ResourceSlice:
    return resource_slice(
        "s", [device(f"d{i}", attributes={"nic": value}) for i, value in enumerate(values, start=1)]
    )


def partitions(total: str, *offered: dict[str, object]) -> tuple[ResourceSlice, ResourceSlice]:
    counters = resource_slice(
        "c", [], count=2, sharedCounters=[{"name": "set", "counters": memory(mem=total)}]
    )
    return counters, resource_slice("s", list(offered), count=2)


TWO_SIZES = resource_slice(
    "s", [device("big", capacity={"mem": "80Gi"}), device("small", capacity={"mem": "40Gi"})]
)
SHARED_BW = resource_slice("s", [device("nic", capacity={"bw": "10"}, allowMultipleAllocations=True)])
COMMITTED = allocated(
    "used",
    {"driver": "drv", "pool": "p1", "device": "nic", "shareID": "x", "consumedCapacity": {"bw": "6"}},
)


def bandwidth(amount: str | None) -> dict[str, object]:
    return exactly(**({} if amount is None else {"capacity": {"requests": {"bw": amount}}}))


POLICY = resource_slice(
    "s",
    [
        device(
            "nic",
            capacity={
                "bw": {"value": "10", "requestPolicy": {"default": "2", "validValues": ["2", "4", "8"]}}
            },
            allowMultipleAllocations=True,
        )
    ],
)


@pytest.mark.parametrize(
    ("objects", "claims", "expected"),
    [
        pytest.param(
            [
                resource_slice("s-b", devices("x"), pool="p2"),
                resource_slice("s-a", devices("c", "b"), count=2),
                resource_slice("s-0", devices("z"), count=2),
            ],
            [claim("C", exactly("r", 2))],
            ["r=p1/z", "r=p1/c"],
            id="1-order",
        ),
        pytest.param(
            [TWO_SIZES],
            [claim("C", exactly("r0"), exactly("r1", 1, BIG_ENOUGH))],
            ["r0=p1/small", "r1=p1/big"],
            id="2-backtracking",
        ),
        pytest.param(
            [resource_slice("old", devices("a")), resource_slice("new", devices("b"), generation=2, count=2)],
            [claim("C", exactly())],
            "none",
            id="3-incomplete",
        ),
        pytest.param(
            [resource_slice("old", devices("a")), resource_slice("new", devices("b"), generation=2, count=2)],
            [claim("C", every())],
            "claim d/C, request r: asks for all devices, but resource pool drv/p1 is currently being updated",
            id="3-incomplete-all",
        ),
        pytest.param(
            [
                resource_slice("s1", devices("a"), count=2),
                resource_slice("s2", devices("b"), generation=2, count=2, on="n2"),
            ],
            [claim("C", exactly())],
            "none",
            id="4-stale-on-this-node",
        ),
        pytest.param(
            [resource_slice("s", devices("d1", "d2")), allocated("used", ("p1", "d1"))],
            [claim("C", every())],
            "none",
            id="5-all-with-one-in-use",
        ),
        pytest.param(
            [resource_slice("s", devices("d1", "d2")), allocated("used", ("p1", "d1"))],
            [claim("C", every(adminAccess=True))],
            ["r=p1/d1", "r=p1/d2"],
            id="5-all-with-admin-access",
        ),
        pytest.param([resource_slice("s", [])], [claim("C", every())], "none", id="5-all-of-nothing"),
        pytest.param(
            [resource_slice("s", devices(*(f"d{i}" for i in range(33))))],
            [claim("C", every())],
            "claim d/C: number of requested devices 33 exceeds the claim limit of 32",
            id="5-all-of-33",
        ),
        pytest.param(
            [
                resource_slice(
                    "s",
                    [
                        device("d1", attributes={"numa": 0}),
                        device("d2", attributes={"numa": 1}),
                        device("d3"),
                        device("d4", attributes={"numa": 1}),
                    ],
                )
            ],
            [claim("C", exactly("r", 2), constraints=[NUMA])],
            ["r=p1/d2", "r=p1/d4"],
            id="7-match-attribute",
        ),
        pytest.param(
            [nics("A", "A", "B")],
            [claim("C", exactly("r0"), exactly("r1"), constraints=[NIC])],
            ["r0=p1/d1", "r1=p1/d3"],
            id="8-distinct-attribute",
        ),
        pytest.param(
            [nics("A", "B", "A")],
            [claim("C", exactly("r", 3), constraints=[NIC])],
            ["r=p1/d1", "r=p1/d2", "r=p1/d3"],
            id="8-distinct-attribute-forgets",
        ),
        pytest.param(
            [
                *partitions("40Gi", taking("whole", "40Gi"), taking("h1", "20Gi"), taking("h2", "20Gi")),
                allocated("used", ("p1", "h1")),
            ],
            [claim("C", exactly())],
            ["r=p1/h2"],
            id="9-counters",
        ),
        pytest.param(
            [
                *partitions("30Gi", taking("whole", "40Gi"), taking("h2", "20Gi")),
                allocated("used", ("p1", "whole")),
            ],
            [claim("C", exactly())],
            "none",
            id="9-counters-overcommitted",
        ),
        pytest.param([SHARED_BW, COMMITTED], [claim("C", bandwidth("3"))], ["r=p1/nic"], id="10-shared"),
        pytest.param(
            [SHARED_BW, COMMITTED],
            [claim("C", bandwidth("3")), claim("E", bandwidth("3"))],
            "none",
            id="10-shared-twice",
        ),
        pytest.param([SHARED_BW, COMMITTED], [claim("C", bandwidth(None))], "none", id="10-shared-whole"),
        pytest.param([POLICY], [claim("C", bandwidth("5"))], ["r=p1/nic"], id="11-valid-value"),
        pytest.param([POLICY], [claim("C", bandwidth("9"))], "none", id="11-no-valid-value"),
        pytest.param(
            [resource_slice("s", [device("d1", taints=[NO_SCHEDULE]), device("d2", taints=[IGNORED])])],
            [claim("C", exactly())],
            ["r=p1/d2"],
            id="12-taint",
        ),
        pytest.param(
            [resource_slice("s", [device("d1", taints=[NO_SCHEDULE]), device("d2", taints=[IGNORED])])],
            [claim("C", exactly(tolerations=[{"operator": "Exists"}]))],
            ["r=p1/d1"],
            id="12-toleration",
        ),
        pytest.param(
            [resource_slice("s", devices("d1"))],
            [claim("C", exactly("r", 1, 'device.attributes["drv"].healthy'))],
            "claim d/C: selector #0: CEL runtime error: no such key: healthy",
            id="13-missing-attribute",
        ),
        pytest.param(
            [resource_slice("s", [device("d1"), device("d2", attributes={"healthy": True})])],
            [
                claim(
                    "C",
                    exactly(
                        "r",
                        1,
                        'has(device.attributes["drv"].healthy) && device.attributes["drv"].healthy',
                    ),
                )
            ],
            ["r=p1/d2"],
            id="13-guarded-attribute",
        ),
        pytest.param(
            [
                resource_slice("s", [device("d1"), device("d2", attributes={"healthy": True})]),
                allocated("used", ("p1", "d1")),
            ],
            [claim("C", exactly("r", 1, 'device.attributes["drv"].healthy'))],
            ["r=p1/d2"],
            id="13-in-use-is-not-evaluated",
        ),
        pytest.param(
            [resource_slice("a", devices("g0", "g0")), resource_slice("b", devices("g1"), pool="p2")],
            [claim("C", exactly())],
            ["r=p2/g1"],
            id="16-invalid-pool",
        ),
        pytest.param(
            [
                resource_slice("a", devices("g0", "g0")),
                resource_slice("b", devices("g1"), pool="p2"),
                allocated("used", ("p2", "g1")),
            ],
            [claim("C", exactly())],
            "invalid pools",
            id="16-invalid-pool-is-told",
        ),
        pytest.param(
            [
                resource_slice("a", [device("x", bindingConditions=["ready"])], pool="a"),
                resource_slice("b", devices("y"), pool="b"),
            ],
            [claim("C", exactly())],
            ["r=b/y"],
            id="17-binding-conditions-last",
        ),
    ],
)
def test_search(
    objects: list[ResourceSlice | ResourceClaim], claims: list[ResourceClaim], expected: str | list[str]
) -> None:
    assert allocate(ledger(*objects), *claims) == expected


def test_2_the_allocation_is_for_its_node() -> None:
    book = ledger(TWO_SIZES)
    cycle = book.allocator.cycle([claim("C", exactly())])
    here = node("n1")
    solution = cycle.allocate(here)
    assert isinstance(solution, Solution)
    selector = cycle.results(solution, here)[0].node_selector
    assert selector is not None
    assert selector.node_selector_terms[0].match_fields[0].values == ("n1",)


def test_6_first_available_and_its_score() -> None:
    book = ledger(
        resource_slice("s1", [device("a", attributes={"model": "a100"})], pool="n1", on="n1"),
        resource_slice(
            "s2", [device(n, attributes={"model": "t4"}) for n in ("t1", "t2")], pool="n2", on="n2"
        ),
        resource_slice("s3", [device("t", attributes={"model": "t4"})], pool="n3", on="n3"),
        claim(
            "C",
            first_available(
                "r",
                exactly("a100", 1, 'device.attributes["drv"].model == "a100"'),
                exactly("t4", 2, 'device.attributes["drv"].model == "t4"'),
            ),
        ),
    )
    claims = pre_filter(pod("p", "C"), {}, book)
    assert isinstance(claims, PodClaims)
    answers = [filter_node(claims, node(name), {}, book) for name in ("n1", "n2", "n3")]
    assert [score(claims, a, IN_1_36.rules) for a in answers if isinstance(a, NodeFit)] == [8, 7]
    assert reason(answers[2]) == "cannot allocate all claims"


def test_11_without_a_request_the_default_is_consumed() -> None:
    cycle = ledger(POLICY).allocator.cycle([claim("C", bandwidth(None))])
    solution = cycle.allocate(node("n1"))
    assert isinstance(solution, Solution)
    result = cycle.results(solution, node("n1"))[0].devices.results[0]
    assert result.consumed_capacity == {"bw": "2"}
    assert result.share_id is not None


IN_ZONE_A = {
    "nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]
}


@pytest.mark.parametrize(
    ("reserved_for", "text"),
    [
        ((), "deallocation of ResourceClaim completed"),
        (("p2",), "deallocation of ResourceClaim completed"),
        (("p1",), "still not schedulable"),
    ],
)
def test_14_network_device(reserved_for: tuple[str, ...], text: str) -> None:
    network = resource_slice("s", devices("d"), on=None, nodeSelector=IN_ZONE_A)
    book = ledger(network, claim("C", exactly()))
    first = pre_filter(pod("p1", "C"), {}, book)
    assert isinstance(first, PodClaims)
    here = node("n1", {"zone": "a"})
    fit = filter_node(first, here, {}, book)
    assert isinstance(fit, NodeFit)
    assert not isinstance(bind(first, fit, here, book), DeviceClaimProblem)
    assert reason(judge(book, pod("p2", "C"), node("n3", {"zone": "a"}))) == "fits"

    elsewhere = ledger(
        network, allocated("C", ("p1", "d"), node_selector=IN_ZONE_A, reserved_for=reserved_for)
    )
    second = pre_filter(pod("p2", "C"), {}, elsewhere)
    assert isinstance(second, PodClaims)
    answer = filter_node(second, node("n2", {"zone": "b"}), {}, elsewhere)
    assert reason(answer) == "resourceclaim not available on the node"
    assert isinstance(answer, NodeMisfit)
    assert post_filter(second, answer.unavailable, pod("p2", "C")).text == text


def test_15_a_failed_allocation_hides_the_claim_that_is_elsewhere() -> None:
    book = ledger(allocated("X", ("p2", "x"), on="n2"), claim("Y", exactly()))
    answer = judge(book, pod("p", "X", "Y"), node("n1"))
    assert reason(answer) == "cannot allocate all claims"
    assert isinstance(answer, NodeMisfit)
    assert answer.unavailable == ()


def test_18_pods_in_sequence() -> None:
    book = ledger(resource_slice("s", devices("d1", "d2")), *(claim(f"c{i}", exactly()) for i in range(3)))
    here = node("n1")
    undo = []
    for i in range(2):
        claims = pre_filter(pod(f"p{i}", f"c{i}"), {}, book)
        assert isinstance(claims, PodClaims)
        fit = filter_node(claims, here, {}, book)
        assert isinstance(fit, NodeFit)
        done = bind(claims, fit, here, book)
        assert not isinstance(done, DeviceClaimProblem)
        undo.append(done)
    assert reason(judge(book, pod("p2", "c2"), here)) == "cannot allocate all claims"
    undo.pop()()
    assert allocate(book, claim("c2", exactly())) == ["r=p1/d2"]


def test_19_missing_class() -> None:
    book = ledger(claim("C", exactly(deviceClassName="nope")))
    problem = pre_filter(pod("p", "C"), {}, book)
    assert problem == DeviceClaimProblem("unresolvable", "request r: device class nope does not exist")


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (
            every(),
            "claim d/C, request r: asks for all devices, but resource pool drv/pB is currently being updated",
        ),
        (exactly(), ["r=p1/d"]),
    ],
    ids=["all", "exact"],
)
def test_20_broken_partitions_of_another_node(request_: dict[str, object], expected: str | list[str]) -> None:
    counters = [{"name": "set", "counters": memory(mem="1")}]
    book = ledger(
        resource_slice("s", devices("d")),
        resource_slice("b1", [], pool="pB", count=3, on="n2", sharedCounters=counters),
        resource_slice("b2", devices("x"), pool="pB", count=3, on="n2"),
    )
    assert allocate(book, claim("C", request_)) == expected


def test_class_selectors_come_before_those_of_the_request() -> None:
    book = ledger(resource_slice("s", devices("d")), device_class("picky", 'device.driver == "other"'))
    fails = exactly("r", 1, 'device.attributes["drv"].missing', deviceClassName="picky")
    assert allocate(book, claim("C", fails)) == "none"
