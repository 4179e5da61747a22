"""Where the allocators of the versions do not find the same devices (spec 05 §10, 06 §5)."""

from __future__ import annotations

from typing import Any

import pytest
from dra_builders import (
    IN_1_34,
    IN_1_36,
    allocate,
    allocated,
    claim,
    device,
    devices,
    every,
    exactly,
    features_of,
    first_available,
    ledger,
    node,
    resource_slice,
    taking,
)

from kschedctl.dra.features import Features
from kschedctl.errors import UnsupportedError
from kschedctl.framework.versions.v1_34 import VERSION as V1_34
from kschedctl.framework.versions.v1_35 import VERSION as V1_35
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.framework.versions.v1_37 import VERSION as V1_37
from kschedctl.objects.resource import ResourceClaim, ResourceSlice

IN_1_35, IN_1_37 = features_of(V1_35), features_of(V1_37)
PARTS = {"DRAPartitionableDevices": True, "DRADeviceTaints": True}
TAINTED = [{"key": "k", "effect": "NoSchedule"}]
LIMIT = "number of requested devices 33 exceeds the claim limit of 32"
OFF = "has capacity requests, but the DRAConsumableCapacity feature is disabled"
UNKNOWN = "claim d/C, constraint #0: empty constraint (unsupported constraint type?)"
MISSING = "CEL runtime error: no such key: m"
ADVICE = (
    "consider using CEL optional chaining (.? followed by orValue()) "
    "or guarding the check with has() for optional fields"
)
BROKEN = "asks for all devices, but resource pool drv/p9 is currently being updated"


def counters(total: str) -> list[dict[str, Any]]:
    return [{"name": "set", "counters": {"mem": {"value": total}}}]


def shared(name: str, **fields: Any) -> dict[str, Any]:
    return device(name, allowMultipleAllocations=True, **fields)


def valued(*values: int) -> list[dict[str, Any]]:
    return [device(f"d{i}", attributes={"n": value}) for i, value in enumerate(values)]


def slices_of(pool: str, offered: list[dict[str, Any]], driver: str = "drv") -> list[ResourceSlice]:
    """A pool whose counters stand in a slice of their own."""
    where = {"pool": pool, "driver": driver, "count": 2}
    return [
        resource_slice(f"{driver}-{pool}-c", [], sharedCounters=counters("10"), **where),
        resource_slice(f"{driver}-{pool}-s", offered, **where),
    ]


LEAKY = [taking("d1", "10", taints=TAINTED), taking("d2", "10")]
CAPACITY = {"capacity": {"requests": {"c": "1"}}}
DISTINCT = [{"distinctAttribute": "drv/n"}]
BINDING = {"bindingConditions": ["ready"]}
USED_UP = {"request": "r", "driver": "drv", "pool": "p1", "device": "a", "shareID": "x"}


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        pytest.param(features_of(V1_35, **PARTS), "none", id="1.35"),
        pytest.param(features_of(V1_36.at_patch(2)), "none", id="1.36.2"),
        pytest.param(IN_1_36, ["r=p1/d2"], id="1.36.3"),
        pytest.param(IN_1_37, ["r=p1/d2"], id="1.37"),
    ],
)
def test_counters_of_a_refused_device(features: Features, expected: str | list[str]) -> None:
    assert allocate(ledger(*slices_of("p1", LEAKY), features=features), claim("C", exactly())) == expected


def test_counters_stand_in_the_slice_of_the_devices_in_1_34() -> None:
    """What h1 of slice a takes is no matter of slice b, which has a set of the same name."""
    offered = [
        resource_slice(
            name, [taking(f"{name}1", "6"), taking(f"{name}2", "6")], sharedCounters=counters("10")
        )
        for name in ("a", "b")
    ]
    book = ledger(*[_of_two(s) for s in offered], features=features_of(V1_34, **PARTS))
    assert allocate(book, claim("C", exactly("r", 2))) == ["r=p1/a1", "r=p1/b1"]
    assert allocate(book, claim("C", exactly("r", 3))) == "none"


def _of_two(item: ResourceSlice) -> ResourceSlice:
    return resource_slice(
        item.name,
        [taking(d.name, "6") for d in item.spec.devices],
        count=2,
        sharedCounters=counters("10"),
    )


@pytest.mark.parametrize(
    ("features", "slices", "claims", "expected"),
    [
        pytest.param(
            IN_1_34,
            [resource_slice("s", devices("a"), count=2)],
            [claim("C", exactly())],
            ["r=p1/a"],
            id="an incomplete pool is used in 1.34",
        ),
        pytest.param(
            IN_1_35,
            [resource_slice("s", devices("a"), count=2)],
            [claim("C", exactly())],
            "none",
            id="an incomplete pool is not used in 1.35",
        ),
        pytest.param(
            IN_1_34,
            [resource_slice("s", devices("a", "a"))],
            [claim("C", exactly())],
            "pool p1 is invalid: duplicate device name a",
            id="an invalid pool ends it in 1.34",
        ),
        pytest.param(
            IN_1_35,
            [resource_slice("s", devices("a", "a"))],
            [claim("C", exactly())],
            "invalid pools",
            id="an invalid pool is passed over in 1.35",
        ),
        pytest.param(
            features_of(V1_34, DRADeviceTaints=True),
            [resource_slice("s", [device("a", taints=[{"key": "k", "effect": "None"}])])],
            [claim("C", exactly())],
            "none",
            id="a taint without effect blocks in 1.34",
        ),
        pytest.param(
            IN_1_36,
            [resource_slice("s", [device("a", taints=[{"key": "k", "effect": "None"}])])],
            [claim("C", exactly())],
            ["r=p1/a"],
            id="a taint without effect does not block in 1.36",
        ),
        pytest.param(
            IN_1_34,
            [resource_slice("s", valued(1, 1))],
            [claim("C", exactly("r", 2), constraints=DISTINCT)],
            ["r=p1/d0", "r=p1/d1"],
            id="distinct values are not compared in 1.34",
        ),
        pytest.param(
            features_of(V1_34, DRAResourceClaimDeviceStatus=False),
            [resource_slice("s", valued(1, 2))],
            [claim("C", exactly("r", 2), constraints=DISTINCT)],
            UNKNOWN,
            id="distinct values are unknown to the plainer allocator of 1.34",
        ),
        pytest.param(
            IN_1_35,
            [resource_slice("s", valued(1, 2))],
            [claim("C", exactly("r", 2), constraints=DISTINCT)],
            UNKNOWN,
            id="distinct values are unknown in 1.35",
        ),
        pytest.param(
            features_of(V1_35, DRAConsumableCapacity=True),
            [resource_slice("s", valued(1, 2, 1))],
            [claim("C", exactly("r", 3), constraints=DISTINCT)],
            ["r=p1/d0", "r=p1/d1", "r=p1/d2"],
            id="the last value of a request is remembered in 1.35",
        ),
        pytest.param(
            IN_1_37,
            [resource_slice("s", valued(1, 2, 1))],
            [claim("C", exactly("r", 3), constraints=DISTINCT)],
            "none",
            id="every value is remembered in 1.37",
        ),
        pytest.param(
            IN_1_34,
            [resource_slice("s", devices("a"))],
            [claim("C", first_available("r", exactly("s0", **CAPACITY)))],
            f"claim d/C, request r: {OFF}",
            id="capacity is refused by request in 1.34",
        ),
        pytest.param(
            IN_1_35,
            [resource_slice("s", devices("a"))],
            [claim("C", first_available("r", exactly("s0", **CAPACITY)))],
            ["r/s0=p1/a"],
            id="capacity is ignored in 1.35",
        ),
        pytest.param(
            features_of(V1_35, DRADeviceBindingConditions=True),
            [resource_slice("s", devices("a"))],
            [claim("C", first_available("r", exactly("s0", **CAPACITY)))],
            f"claim d/C, subrequest s0: {OFF}",
            id="capacity is refused by alternative in 1.35 with binding conditions",
        ),
        pytest.param(
            features_of(DRAConsumableCapacity=False, DRADeviceBindingConditions=False),
            [resource_slice("s", devices("a"))],
            [claim("C", exactly(**CAPACITY))],
            ["r=p1/a"],
            id="capacity is ignored by the stable allocator of 1.36",
        ),
        pytest.param(
            IN_1_35,
            [resource_slice("s", [shared("a")])],
            [claim("C", exactly("r", 1, "device.allowMultipleAllocations"))],
            "none",
            id="selectors of 1.35 do not see that a device is shared",
        ),
        pytest.param(
            IN_1_34,
            [resource_slice("s", [shared("a")])],
            [claim("C", exactly("r", 1, "device.allowMultipleAllocations"))],
            ["r=p1/a"],
            id="selectors of 1.34 see it",
        ),
        pytest.param(
            features_of(V1_34, DRAConsumableCapacity=True),
            [resource_slice("s", [shared("a"), shared("b")])],
            [claim("C", exactly("r", 2))],
            ["r=p1/a", "r=p1/a"],
            id="a request takes one shared device twice in 1.34",
        ),
        pytest.param(
            IN_1_36,
            [resource_slice("s", [shared("a")])],
            [claim("C", exactly("r", 2))],
            "none",
            id="a request takes a shared device once in 1.36",
        ),
        pytest.param(
            features_of(V1_35, DRADeviceBindingConditions=True),
            [
                resource_slice("a", [device("a", **BINDING)], count=2),
                resource_slice("b", devices("b"), count=2),
            ],
            [claim("C", exactly())],
            ["r=p1/b"],
            id="a slice with binding conditions comes last in 1.35",
        ),
        pytest.param(
            IN_1_36,
            [
                resource_slice("a", [device("a", **BINDING)], count=2),
                resource_slice("b", devices("b"), count=2),
            ],
            [claim("C", exactly())],
            ["r=p1/a"],
            id="slices of a pool go by name in 1.36",
        ),
        pytest.param(
            IN_1_36,
            [*slices_of("p", [taking("a", "6")], "x"), *slices_of("p", [taking("b", "6")], "y")],
            [claim("C", exactly("r", 2))],
            "none",
            id="pools of one name share counters in 1.36",
        ),
        pytest.param(
            IN_1_37,
            [*slices_of("p", [taking("a", "6")], "x"), *slices_of("p", [taking("b", "6")], "y")],
            [claim("C", exactly("r", 2))],
            ["r=p/a", "r=p/b"],
            id="pools of one name have counters of their own in 1.37",
        ),
        pytest.param(
            IN_1_36,
            [
                resource_slice("s", devices("a")),
                resource_slice("c", [], pool="p9", on="n2", count=3, sharedCounters=counters("1")),
            ],
            [claim("C", every())],
            f"claim d/C, request r: {BROKEN}",
            id="counters of another node are met in 1.36",
        ),
        pytest.param(
            IN_1_37,
            [
                resource_slice("s", devices("a")),
                resource_slice("c", [], pool="p9", on="n2", count=3, sharedCounters=counters("1")),
            ],
            [claim("C", every())],
            ["r=p1/a"],
            id="counters of another node are not seen in 1.37",
        ),
        pytest.param(
            IN_1_36,
            [resource_slice("s", devices("a"))],
            [claim("C", exactly("q", 2), exactly("r", 31))],
            f"claim d/C: {LIMIT}",
            id="too many devices in 1.36",
        ),
        pytest.param(
            IN_1_37,
            [resource_slice("s", devices("a"))],
            [claim("C", exactly("q", 2), exactly("r", 31))],
            "claim d/C, request r: adding 31 devices exceeds the claim limit of 32, with 2 already accounted for",
            id="too many devices in 1.37",
        ),
        pytest.param(
            IN_1_36,
            [resource_slice("s", devices("a"))],
            [claim("C", exactly("r", 1, 'device.attributes["drv"].m == 1'))],
            f"claim d/C: selector #0: {MISSING}",
            id="a selector without answer in 1.36",
        ),
        pytest.param(
            IN_1_37,
            [resource_slice("s", devices("a"))],
            [claim("C", exactly("r", 1, 'device.attributes["drv"].m == 1'))],
            f"claim d/C: selector #0 on device drv/p1/a: {MISSING}. {ADVICE}",
            id="a selector without answer in 1.37",
        ),
        pytest.param(
            IN_1_37,
            [
                resource_slice(
                    "s",
                    [
                        shared(
                            "a",
                            capacity={
                                "c": {
                                    "value": "10",
                                    "requestPolicy": {
                                        "default": "1",
                                        "validRange": {"min": "2", "step": "2"},
                                    },
                                }
                            },
                        )
                    ],
                )
            ],
            [claim("C", exactly(capacity={"requests": {"c": "9223372036854775807"}}))],
            'claim d/C, request r: checking capacity for device drv/p1/a: capacity "c": capacity request cannot be '
            "represented in the device's range arithmetic: rounding request 9223372036854775807 up to the next step "
            "passes MaxInt64",
            id="an amount that passes 64 bits in 1.37",
        ),
    ],
)
def test_what_is_found(
    features: Features,
    slices: list[ResourceSlice],
    claims: list[ResourceClaim],
    expected: str | list[str],
) -> None:
    assert allocate(ledger(*slices, features=features), *claims) == expected


LISTED = [device("d0", attributes={"n": {"ints": [1, 2]}}), *valued(1, 3, 2)[1:]]
"""d0 has 1 and 2, d1 has 3, d2 has 2."""
LISTS = {"DRAListTypeAttributes": True}


@pytest.mark.parametrize(
    ("features", "constraint", "expected"),
    [
        pytest.param(features_of(**LISTS), "match", "none", id="1.36: a list matches nothing"),
        pytest.param(
            features_of(V1_37, **LISTS), "match", ["r=p1/d0", "r=p1/d2"], id="1.37: a value in common"
        ),
        pytest.param(features_of(**LISTS), "distinct", ["r=p1/d0", "r=p1/d1"], id="1.36: a list differs"),
        pytest.param(
            features_of(V1_37, **LISTS), "distinct", ["r=p1/d0", "r=p1/d1"], id="1.37: no value in common"
        ),
    ],
)
def test_constraints_on_lists(features: Features, constraint: str, expected: str | list[str]) -> None:
    book = ledger(resource_slice("s", LISTED), features=features)
    asked = claim("C", exactly("r", 2), constraints=[{f"{constraint}Attribute": "drv/n"}])
    assert allocate(book, asked) == expected


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        pytest.param(IN_1_36, ["r=p1/b"], id="1.36 leaves it out"),
        pytest.param(IN_1_37, "none", id="1.37 wants it too"),
    ],
)
def test_all_and_a_device_that_others_have_used_up(features: Features, expected: str | list[str]) -> None:
    whole = {"c": {"value": "4"}}
    book = ledger(
        resource_slice("s", [shared("a", capacity=whole), shared("b", capacity=whole)]),
        allocated("old", {**USED_UP, "consumedCapacity": {"c": "4"}}),
        features=features,
    )
    assert allocate(book, claim("C", every()), on=node("n1")) == expected


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        pytest.param(features_of(V1_36.at_patch(1)), ["r=p1/b"], id="1.36.1 does not count it"),
        pytest.param(IN_1_36, "none", id="1.36 counts it"),
    ],
)
def test_counters_of_a_device_that_others_share(features: Features, expected: str | list[str]) -> None:
    held = allocated("old", USED_UP)
    offered = slices_of("p1", [taking("a", "6", allowMultipleAllocations=True), taking("b", "6")])
    pick = claim("C", exactly("r", 1, "!device.allowMultipleAllocations"))
    assert allocate(ledger(*offered, held, features=features), pick) == expected


SHARING_1_34 = features_of(V1_34, DRAConsumableCapacity=True)
SHARING_1_35 = features_of(V1_35, DRAConsumableCapacity=True)


@pytest.mark.parametrize(
    ("features", "sizes", "found"),
    [
        pytest.param(SHARING_1_34, ("40", "80"), "none", id="1.34-first-too-small"),
        pytest.param(SHARING_1_34, ("80", "40"), ["r=p1/d0"], id="1.34-first-fits"),
        pytest.param(SHARING_1_35, ("40", "80"), ["r=p1/d1"], id="1.35-first-too-small"),
    ],
)
def test_1_34_takes_the_capacity_of_the_nth_device_for_the_nth_one(
    features: Features, sizes: tuple[str, ...], found: str | list[str]
) -> None:
    offered = [shared(f"d{i}", capacity={"c": size}) for i, size in enumerate(sizes)]
    wanted = claim("C", exactly(capacity={"requests": {"c": "75"}}))
    assert allocate(ledger(resource_slice("s", offered), features=features), wanted) == found


def test_what_1_34_would_die_of_is_not_answered() -> None:
    one = resource_slice("s", [shared("d", capacity={"c": "80"})])
    wanted = claim("C", exactly("r", 2, capacity={"requests": {"c": "5"}}))
    with pytest.raises(UnsupportedError, match="device 2 of"):
        allocate(ledger(one, features=SHARING_1_34), wanted)
