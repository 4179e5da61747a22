"""PreFilter and Filter of a pod: the texts, and which claims are unavailable."""

from __future__ import annotations

from typing import Any

import pytest
from dra_builders import (
    IN_1_36,
    allocated,
    claim,
    device,
    devices,
    exactly,
    features_of,
    first_available,
    judge,
    ledger,
    node,
    pod,
    reason,
    resource_slice,
)

from kschedctl.cluster.start_times import start_of
from kschedctl.dra.claims import DeviceClaimProblem, unresolvable
from kschedctl.dra.devices import DeviceId
from kschedctl.dra.explain import explain, holders
from kschedctl.dra.features import Features
from kschedctl.dra.pod_claims import NodeMisfit, PodClaims, filter_node, pre_filter, score
from kschedctl.framework.versions.v1_36 import VERSION as V1_36

BINDING = {
    "request": "r",
    "driver": "drv",
    "pool": "p1",
    "device": "d",
    "bindingConditions": ["ready"],
    "bindingFailureConditions": ["broken"],
}
BROKEN = {"type": "broken", "status": "True"}
STAMP = "2026-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("request_", "features", "expected"),
    [
        ({"name": "r"}, IN_1_36, unresolvable("resource claim d/C, request r: unknown request type")),
        (
            exactly("r", 1, deviceClassName=""),
            IN_1_36,
            DeviceClaimProblem("error", "request r: unsupported request type"),
        ),
        (
            first_available("r", exactly("s0"), exactly("s1", 1, deviceClassName="nope")),
            IN_1_36,
            unresolvable("request r/s1: device class nope does not exist"),
        ),
        (
            first_available("r", exactly("s0")),
            features_of(DRAPrioritizedList=False),
            unresolvable(
                "resource claim d/C, request r: has subrequests, "
                "but the DRAPrioritizedList feature is disabled"
            ),
        ),
    ],
    ids=["unknown", "no-class", "missing-class", "gate"],
)
def test_pre_filter_rejects(
    request_: dict[str, Any], features: Features, expected: DeviceClaimProblem
) -> None:
    assert pre_filter(pod("p", "C"), {}, ledger(claim("C", request_), features=features)) == expected


def test_a_pod_without_claims_is_skipped() -> None:
    assert pre_filter(pod("p"), {"cpu": 1}, ledger()) is None


def test_a_claim_without_requests_fits_everywhere() -> None:
    assert reason(judge(ledger(claim("C")), pod("p", "C"), node("n1"))) == "fits"


@pytest.mark.parametrize(
    ("selector", "fits"),
    [(None, True), ({"nodeSelectorTerms": []}, False)],
    ids=["absent", "no-terms"],
)
def test_reach_of_an_allocation(selector: dict[str, Any] | None, fits: bool) -> None:
    book = ledger(allocated("C", ("p1", "d"), node_selector=selector))
    assert (reason(judge(book, pod("p", "C"), node("n1"))) == "fits") is fits


@pytest.mark.parametrize(
    ("conditions", "fits", "fits_late"),
    [
        ({}, True, False),
        ({"ready": "False"}, True, False),
        ({"ready": "True"}, True, True),
        ({"broken": "True"}, False, False),
    ],
    ids=["nothing-said", "waiting", "ready", "failed"],
)
def test_binding_conditions(conditions: dict[str, str], fits: bool, fits_late: bool) -> None:
    said = [{"type": kind, "status": value} for kind, value in conditions.items()]
    status = {"devices": [{"driver": "drv", "pool": "p1", "device": "d", "conditions": said}]}
    held = allocated("C", BINDING)
    assert held.status.allocation is not None
    raw = {"devices": {"results": [BINDING]}, "allocationTimestamp": STAMP}
    book = ledger(claim("C", exactly(), status={"allocation": raw, **status}))
    claims = pre_filter(pod("p", "C"), {}, book)
    assert isinstance(claims, PodClaims)
    for minutes, expected in ((1, fits), (11, fits_late)):
        now = start_of(f"2026-01-01T00:{minutes:02}:00Z")
        answer = filter_node(claims, node("n1"), {}, book, now=now)
        assert (reason(answer) == "fits") is expected


def test_scores_count_alternatives_of_allocated_claims_too() -> None:
    wanted = first_available("r", exactly("s0"), exactly("s1"))
    held = {"request": "r/s1", "driver": "drv", "pool": "p9", "device": "x"}
    book = ledger(
        resource_slice("s", devices("d")),
        claim("A", wanted, status={"allocation": {"devices": {"results": [held]}}}),
        claim("B", wanted),
    )
    claims = pre_filter(pod("p", "A", "B"), {}, book)
    assert isinstance(claims, PodClaims)
    answer = filter_node(claims, node("n1"), {}, book)
    assert not isinstance(answer, NodeMisfit)
    assert score(claims, answer, IN_1_36.rules) == 7 + 8
    earlier = features_of(V1_36.at_patch(1)).rules
    text = "number of allocations 1 is smaller than number of claims"
    fault = earlier.results_are_paired_by_position
    assert fault is not None
    assert score(claims, answer, earlier) == DeviceClaimProblem("error", text, fault)


def test_explanation_names_selector_value_taint_and_counter() -> None:
    uses = [{"counterSet": "set", "counters": {"mem": {"value": "3Gi"}}}]
    sets = [{"name": "set", "counters": {"mem": {"value": "1Gi"}}}]
    good = {"model": "a"}
    book = ledger(
        resource_slice("c", [], count=2, sharedCounters=sets),
        resource_slice(
            "s",
            [
                device("wrong", attributes={"model": "b"}),
                device("held", attributes=good),
                device("tainted", attributes=good, taints=[{"key": "k", "effect": "NoSchedule"}]),
                device("hungry", attributes=good, consumesCounters=uses),
            ],
            count=2,
        ),
        allocated("used", ("p1", "held")),
        claim("C", exactly("r", 1, 'device.attributes["drv"].model == "a"')),
    )
    claims = pre_filter(pod("p", "C"), {}, book)
    assert isinstance(claims, PodClaims)
    answer = filter_node(claims, node("n1"), {}, book)
    assert isinstance(answer, NodeMisfit)
    (found,) = explain(claims, node("n1"), answer, holders(book.claims.values()))
    assert found.text.split("; ") == [
        "claim d/C, request r: wants 1 device of class any",
        'p1/wrong: selector #0 of claim d/C is false for model=b (device.attributes["drv"].model == "a")',
        "p1/held: in use by claim d/used",
        "p1/tainted: untolerated taint k:NoSchedule",
        "p1/hungry: counter mem of set is short by 2Gi",
    ]
    assert found.subject.split("; ")[2:] == [
        "1 device: in use by another claim",
        "1 device: untolerated taint k:NoSchedule",
        "1 device: counter mem of set is short by 2Gi",
    ]


def test_explanation_of_devices_that_do_not_go_together() -> None:
    offered = [device(name, attributes={"numa": numa}) for numa, name in enumerate(("a", "b"))]
    together = [{"matchAttribute": "drv/numa"}]
    book = ledger(resource_slice("s", offered), claim("C", exactly("r", 2), constraints=together))
    claims = pre_filter(pod("p", "C"), {}, book)
    assert isinstance(claims, PodClaims)
    answer = filter_node(claims, node("n1"), {}, book)
    assert isinstance(answer, NodeMisfit)
    (found,) = explain(claims, node("n1"), answer, {})
    assert found.text == (
        "claim d/C, request r: wants 2 devices of class any; could take p1/a, p1/b; "
        "but not with each other: p1/b: drv/numa is 1, the devices before have 0"
    )


def test_who_holds_a_device_is_not_told_of_admins() -> None:
    seen = {"request": "r", "driver": "drv", "pool": "p1", "device": "d", "adminAccess": True}
    claims = [allocated("x", ("p1", "d")), allocated("y", ("p1", "d")), allocated("admin", seen)]
    assert holders(claims) == {DeviceId("drv", "p1", "d"): ["d/x", "d/y"]}


def test_explanation_of_a_claim_that_is_elsewhere() -> None:
    book = ledger(allocated("C", ("p1", "d"), on="n2", reserved_for=("q",)))
    claims = pre_filter(pod("p", "C"), {}, book)
    assert isinstance(claims, PodClaims)
    answer = filter_node(claims, node("n1"), {}, book)
    assert isinstance(answer, NodeMisfit)
    (found,) = explain(claims, node("n1"), answer, {})
    assert found.text == "claim d/C has p1/d; usable from nodes with metadata.name In [n2]; reserved for q"


@pytest.mark.parametrize("on", [None, "n1"], ids=["from-everywhere", "from-the-node"])
def test_explanation_of_devices_that_are_not_ready(on: str | None) -> None:
    failed = {"driver": "drv", "pool": "p1", "device": "d", "conditions": [BROKEN]}
    held = allocated("C", BINDING, on=on, reserved_for=("q",), status={"devices": [failed]})
    book = ledger(held)
    claims = pre_filter(pod("p", "C"), {}, book)
    assert isinstance(claims, PodClaims)
    answer = filter_node(claims, node("n1"), {}, book)
    assert isinstance(answer, NodeMisfit)
    (found,) = explain(claims, node("n1"), answer, {})
    assert found.text == "claim d/C has p1/d; they are not ready; reserved for q"
