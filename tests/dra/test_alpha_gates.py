"""What the alpha gates of 1.37 bring, and what becomes of their fields while they are off (spec 06 §5.4, §5.5)."""

from __future__ import annotations

from typing import Any

import pytest
from dra_builders import (
    IN_1_36,
    allocate,
    allocated,
    claim,
    device,
    exactly,
    features_of,
    judge,
    ledger,
    node,
    pod,
    reason,
    resource_slice,
)
from msgspec.structs import replace

from kschedctl.dra.features import Features
from kschedctl.framework.versions.v1_37 import VERSION as V1_37
from kschedctl.objects.node import Node
from kschedctl.objects.resource import ResourceSlice

OFF = features_of(V1_37)
DERIVED = features_of(V1_37, DRADerivedAttributes=True)
GROUPS = features_of(V1_37, DRADeviceCompatibilityGroups=True)
OPTIONAL = features_of(V1_37, DRAOptionalNodeOperations=True)
EXPERIMENTAL = features_of(V1_37, DRAListTypeAttributes=True)
SKIPPED = ["NodePrepareResources"]
NAME = "example.com/half"
N = 'device.attributes["drv"].n'
LISTED = "a primitive scalar (string, integer, boolean, semver) or a list of these scalars"


def derives(expression: str, count: int = 2, *constraint: str) -> Any:
    request = exactly("r", count, derivedAttributes=[{"name": NAME, "expression": expression}])
    return claim("C", request, constraints=[{kind: NAME} for kind in constraint])


def numbered(*values: int) -> ResourceSlice:
    return resource_slice("s", [device(f"d{i}", attributes={"n": value}) for i, value in enumerate(values)])


@pytest.mark.parametrize(
    ("expression", "constraint", "expected"),
    [
        pytest.param(f"{N} % 2", "matchAttribute", ["r=p1/d0", "r=p1/d2"], id="the same"),
        pytest.param(f"{N} % 2", "distinctAttribute", ["r=p1/d0", "r=p1/d1"], id="distinct"),
        pytest.param(f"{N} > 2", "matchAttribute", ["r=p1/d0", "r=p1/d1"], id="bool"),
        pytest.param(f"[{N}]", "matchAttribute", "none", id="lists are not compared"),
        pytest.param('semver("1.0.0")', "matchAttribute", ["r=p1/d0", "r=p1/d1"], id="version"),
        pytest.param(
            "1.5",
            "matchAttribute",
            f"compile derived attribute {NAME} failed: must evaluate to {LISTED}, not double",
            id="type",
        ),
        pytest.param(
            "dyn(1.5)",
            "matchAttribute",
            f"evaluate derived attribute {NAME} on device drv/p1/d0 failed: unsupported CEL return type: float64",
            id="type at run time",
        ),
        pytest.param(
            f"{N}ope",
            "distinctAttribute",
            f"evaluate derived attribute {NAME} on device drv/p1/d0 failed: no such key: nope",
            id="no such key",
        ),
        pytest.param(
            '[1, "a"]',
            "distinctAttribute",
            f"evaluate derived attribute {NAME} on device drv/p1/d0 failed: "
            "expected list element at index 1 to be int64, got string",
            id="mixed list",
        ),
    ],
)
def test_derived_attributes_are_compared(expression: str, constraint: str, expected: str | list[str]) -> None:
    book = ledger(numbered(1, 2, 3), features=DERIVED)
    assert allocate(book, derives(expression, 2, constraint)) == expected


def test_what_no_constraint_asks_for_is_not_derived() -> None:
    assert allocate(ledger(numbered(1), features=DERIVED), derives("broken(", 1)) == ["r=p1/d0"]


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        pytest.param(
            OFF,
            "claim d/C, request r: cannot handle request with derived attributes, the feature is disabled",
            id="off",
        ),
        pytest.param(IN_1_36, ["r=p1/d0"], id="not known"),
    ],
)
def test_derived_attributes_while_off(features: Features, expected: str | list[str]) -> None:
    assert allocate(ledger(numbered(1), features=features), derives(N, 1)) == expected


def partitions(*groups: str) -> list[ResourceSlice]:
    """Partitions d0, d1, ... of one device that belong to these groups, given as letters."""
    sets = [{"name": "set", "counters": {"mem": {"value": "100"}}}]
    parts = [
        device(
            f"d{i}",
            consumesCounters=[
                {
                    "counterSet": "set",
                    "counters": {"mem": {"value": "1"}},
                    "compatibilityGroups": list(letters),
                }
            ],
        )
        for i, letters in enumerate(groups)
    ]
    return [resource_slice("c", [], sharedCounters=sets, count=2), resource_slice("s", parts, count=2)]


@pytest.mark.parametrize(
    ("groups", "count", "held", "expected"),
    [
        pytest.param(["a", "b", "ab"], 2, (), ["r=p1/d0", "r=p1/d2"], id="in common"),
        pytest.param(["ab", "bc", "ac"], 3, (), "none", id="pairwise only"),
        pytest.param(["", "a", ""], 2, (), ["r=p1/d0", "r=p1/d2"], id="without groups among themselves"),
        pytest.param(["a", "b", "b"], 2, (), ["r=p1/d1", "r=p1/d2"], id="given back"),
        pytest.param(["a", "b", "a"], 1, ("d0",), ["r=p1/d2"], id="beside allocated ones"),
        pytest.param(["", "b"], 1, ("d0",), "none", id="beside allocated ones without groups"),
        pytest.param(["a", "b", "a", "b"], 1, ("d0", "d1"), "none", id="beside what has nothing in common"),
    ],
)
def test_compatibility_groups(
    groups: list[str], count: int, held: tuple[str, ...], expected: str | list[str]
) -> None:
    holders = [allocated(f"H{name}", ("p1", name)) for name in held]
    book = ledger(*partitions(*groups), *holders, features=GROUPS)
    assert allocate(book, claim("C", exactly("r", count))) == expected


@pytest.mark.parametrize(
    ("features", "expected"),
    [pytest.param(OFF, "none", id="off"), pytest.param(IN_1_36, ["r=p1/d0"], id="not known")],
)
def test_slices_with_groups_while_off(features: Features, expected: str | list[str]) -> None:
    """They do not count: the pool is not whole, which keeps its other devices from being allocated, too."""
    book = ledger(*partitions("", "a"), features=features)
    assert allocate(book, claim("C", exactly())) == expected


@pytest.mark.parametrize(
    ("features", "declared", "expected"),
    [
        pytest.param(OPTIONAL, True, ["r=p1/d"], id="declared"),
        pytest.param(OPTIONAL, False, "none", id="not declared"),
        pytest.param(EXPERIMENTAL, True, "none", id="off"),
        pytest.param(OFF, False, ["r=p1/d"], id="not looked at"),
    ],
)
def test_devices_whose_driver_need_not_act(
    features: Features, declared: bool, expected: str | list[str]
) -> None:
    offered = resource_slice("s", [device("d")], skipNodeOperations=SKIPPED)
    book = ledger(offered, features=features)
    assert allocate(book, claim("C", exactly()), on=_node(declared)) == expected


@pytest.mark.parametrize(
    ("features", "declared", "expected"),
    [
        pytest.param(OFF, False, "resourceclaim not available on the node", id="not declared"),
        pytest.param(OFF, True, "fits", id="declared"),
        pytest.param(IN_1_36, False, "fits", id="not known"),
    ],
)
def test_allocated_devices_whose_driver_need_not_act(
    features: Features, declared: bool, expected: str
) -> None:
    result = {"request": "r", "driver": "drv", "pool": "p1", "device": "d", "skipNodeOperations": SKIPPED}
    book = ledger(allocated("C", result), features=features)
    assert reason(judge(book, pod("p", "C"), _node(declared))) == expected


def test_the_result_says_what_is_skipped() -> None:
    offered = resource_slice("s", [device("d")], skipNodeOperations=SKIPPED)
    book = ledger(offered, features=OPTIONAL)
    cycle = book.allocator.cycle([claim("C", exactly())])
    where = _node(True)
    (result,) = cycle.results(cycle.allocate(where), where)  # type: ignore[arg-type]
    assert result.devices.results[0].skip_node_operations == tuple(SKIPPED)


def _node(declared: bool) -> Node:
    plain = node("n1")
    features = ("DRAOptionalNodeOperations",) if declared else ()
    return replace(plain, status=replace(plain.status, declared_features=features))
