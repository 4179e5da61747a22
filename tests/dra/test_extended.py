"""Extended resources that devices provide: classes behind names, and the special claim."""

from __future__ import annotations

from typing import Any

import pytest
from dra_builders import (
    IN_1_36,
    device_class,
    devices,
    features_of,
    ledger,
    make,
    node,
    pod,
    reason,
    resource_slice,
)

from kschedctl.dra.assume import bind, post_filter
from kschedctl.dra.claims import DeviceClaimProblem, unresolvable
from kschedctl.dra.classes import ClassIndex, may_be_backed
from kschedctl.dra.extended import (
    ANNOTATION,
    extended_resources,
    find_special,
    served_by_devices,
    with_requests,
)
from kschedctl.dra.ledger import ClaimLedger
from kschedctl.dra.pod_claims import NodeFit, PodClaims, filter_node, pre_filter
from kschedctl.framework.versions.v1_34 import VERSION as V1_34
from kschedctl.objects.resource import ResourceClaim

GPU = "example.com/gpu"
CLASS = device_class("gpu", extendedResourceName=GPU)
RULES = IN_1_36.extended
CLASSES = ClassIndex([CLASS], RULES)
EXTENDED_1_34 = features_of(V1_34, DRAExtendedResource=True)


def container(quantity: str | None, **fields: Any) -> dict[str, Any]:
    requests = {"cpu": "1", "memory": "1Gi"} | ({GPU: quantity} if quantity else {})
    return {"name": "c", "resources": {"requests": requests}, **fields}


def special_requests(
    *containers: dict[str, Any], init: tuple[dict[str, Any], ...] = ()
) -> list[tuple[str, int]]:
    who = pod("p", containers=list(containers), spec={"initContainers": list(init)})
    special = with_requests(find_special(who, ()), who, (GPU,), CLASSES, RULES)
    requests = special.spec.devices.requests
    return [(r.name, r.exactly.count) for r in requests if r.exactly is not None]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (GPU, True),
        ("deviceclass.resource.kubernetes.io/gpu", True),
        ("cpu", False),
        ("kubernetes.io/x", False),
        ("a.kubernetes.io/x", False),
        ("requests.example.com/x", False),
        ("example.com/", False),
    ],
)
def test_names_that_devices_can_back(name: str, expected: bool) -> None:
    assert may_be_backed(name) is expected


def test_the_younger_class_backs_a_name_and_the_loser_loses_its_own() -> None:
    old = device_class("b-old")
    classes = ClassIndex(
        [
            _aged(old, "2025-01-01T00:00:00Z"),
            _aged(device_class("a-young", extendedResourceName=GPU), "2026-01-01T00:00:00Z"),
        ],
        RULES,
    )
    backing = classes.backing(GPU)
    assert backing is not None
    assert backing.name == "a-young"
    assert classes.backing("deviceclass.resource.kubernetes.io/b-old") is None
    assert classes.backing("deviceclass.resource.kubernetes.io/a-young") is backing


def _aged(item: Any, created: str) -> Any:
    return make(
        type(item), item.name, meta={"creationTimestamp": created}, spec={"extendedResourceName": GPU}
    )


@pytest.mark.parametrize(
    ("allocatable", "expected"),
    [
        ({}, frozenset({GPU})),
        ({GPU: 0}, frozenset({GPU})),
        ({GPU: 2}, frozenset()),
    ],
    ids=["absent", "zero", "device-plugin"],
)
def test_who_serves_a_resource(allocatable: dict[str, int], expected: frozenset[str]) -> None:
    assert (
        served_by_devices(extended_resources({GPU: 1, "cpu": 1}, RULES), allocatable, CLASSES, RULES)
        == expected
    )


def test_a_resource_that_nobody_serves() -> None:
    answer = served_by_devices({"example.com/fpga": 1}, {}, CLASSES, RULES)
    assert answer == unresolvable("cannot fit resource")


@pytest.mark.parametrize(
    ("containers", "init", "expected"),
    [
        ([container("2"), container("1")], (), [("container-0-request-1", 2), ("container-1-request-1", 1)]),
        (
            [container("1"), container("1")],
            (container("3"),),
            [("container-0-request-1", 1), ("container-1-request-1", 1), ("container-2-request-1", 1)],
        ),
        (
            [container("1")],
            (container("2"), container("4"), container("4")),
            [("container-1-request-1", 3), ("container-3-request-1", 1)],
        ),
        (
            [container(None)],
            (container("2", restartPolicy="Always"), container("1")),
            [("container-0-request-1", 2), ("container-1-request-1", 1)],
        ),
        (
            [container("1") for _ in range(11)],
            (),
            [("container-0-request-1", 1), ("container-1-request-1", 1), ("container-10-request-1", 1)]
            + [(f"container-{i}-request-1", 1) for i in range(2, 10)],
        ),
    ],
    ids=["plain", "example", "largest-remainder", "sidecar-first", "byte-order"],
)
def test_requests_of_the_special_claim(
    containers: list[dict[str, Any]], init: tuple[dict[str, Any], ...], expected: list[tuple[str, int]]
) -> None:
    assert special_requests(*containers, init=init) == expected


def test_in_1_34_every_container_asks_for_its_own() -> None:
    who = pod("p", containers=[container("1")], spec={"initContainers": [container("2")]})
    book = ledger(resource_slice("s", devices("a", "b", "c", "d")), CLASS, features=EXTENDED_1_34)
    claims = pre_filter(who, {GPU: 2}, book)
    assert isinstance(claims, PodClaims)
    answer = filter_node(claims, node("n1"), {}, book)
    assert isinstance(answer, NodeFit)
    assert answer.special is not None
    counts = [(r.name, r.exactly and r.exactly.count) for r in answer.special.spec.devices.requests]
    assert counts == [("container-0-request-1", 2), ("container-1-request-1", 1)]


@pytest.mark.parametrize(
    ("allocatable", "expected"),
    [({}, frozenset({GPU})), ({GPU: 0}, frozenset())],
    ids=["absent", "an entry is an offer"],
)
def test_who_serves_a_resource_in_1_34(allocatable: dict[str, int], expected: frozenset[str]) -> None:
    assert served_by_devices({GPU: 1}, allocatable, CLASSES, EXTENDED_1_34.extended) == expected


def test_in_1_34_a_class_has_one_name() -> None:
    rules = EXTENDED_1_34.extended
    classes = ClassIndex([CLASS, device_class("plain")], rules)
    implicit = {f"deviceclass.resource.kubernetes.io/{name}": 1 for name in ("gpu", "plain")}
    assert [classes.backing(name) is not None for name in implicit] == [False, True]
    assert extended_resources(implicit, rules) == {}


def place(book: ClaimLedger, name: str) -> str:
    """Reserve a pod with one GPU; its fate in one word."""
    claims = pre_filter(pod(name, containers=[container("1")]), {GPU: 1, "cpu": 1}, book)
    assert isinstance(claims, PodClaims)
    answer = filter_node(claims, node("n1"), {}, book)
    if not isinstance(answer, NodeFit):
        return answer.problem.text
    done = bind(claims, answer, node("n1"), book)
    return done.text if isinstance(done, DeviceClaimProblem) else "placed"


def test_the_devices_of_special_claims_are_taken() -> None:
    book = ledger(resource_slice("s", devices("a", "b")), CLASS)
    assert [place(book, f"p{i}") for i in range(3)] == ["placed", "placed", "cannot allocate all claims"]
    assert sorted(name for _, name in book.claims) == ["p0-extended-resources", "p1-extended-resources"]


def test_a_special_claim_of_an_earlier_cycle_must_go() -> None:
    owner = [{"kind": "Pod", "name": "p", "uid": "p", "controller": True}]
    left = make(
        ResourceClaim,
        "old",
        "d",
        meta={"annotations": {ANNOTATION: "true"}, "ownerReferences": owner},
        spec={"devices": {"requests": [{"name": "x", "exactly": {"deviceClassName": "gpu"}}]}},
    )
    book = ledger(resource_slice("s", devices("a")), CLASS, left)
    who = pod("p", containers=[container("1")])
    claims = pre_filter(who, {GPU: 1}, book)
    assert isinstance(claims, PodClaims)
    assert reason(filter_node(claims, node("n1"), {}, book)) == "cannot schedule extended resource claim"
    change = post_filter(claims, (), who)
    assert (change.text, change.delete) == ("deletion of ResourceClaim completed", left)
