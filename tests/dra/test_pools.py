"""Pools as nodes see them: completeness, validity, relevance and order."""

from __future__ import annotations

from typing import Any

import pytest
from dra_builders import IN_1_36, device, devices, features_of, make, node, resource_slice

from kschedctl.dra.devices import SliceCompiler
from kschedctl.dra.errors import AllocationError
from kschedctl.dra.features import Features
from kschedctl.dra.pools import PoolView, SliceIndex
from kschedctl.framework.versions.v1_37 import VERSION as V1_37
from kschedctl.objects.resource import DeviceTaintRule, ResourceSlice

SETS = [{"name": "set", "counters": {"mem": {"value": "1"}}}]


def pools(*slices: ResourceSlice, on: str = "n1", features: Features = IN_1_36) -> tuple[PoolView, ...]:
    compiler = SliceCompiler(features)
    return SliceIndex(features, [compiler.compile(s) for s in slices]).pools(node(on, {"zone": "a"}))


def consuming(counter_set: str, counter: str) -> dict[str, Any]:
    return device("d", consumesCounters=[{"counterSet": counter_set, "counters": {counter: {"value": "1"}}}])


@pytest.mark.parametrize(
    ("slices", "incomplete", "invalid"),
    [
        ([resource_slice("s", devices("a"))], "", ""),
        ([resource_slice("s", devices("a"), count=2)], "1 of 2 slices of generation 1", ""),
        (
            [resource_slice("s", devices("a")), resource_slice("t", devices("b"))],
            "2 of 1 slices of generation 1",
            "",
        ),
        (
            [resource_slice("s", devices("a"), count=2), resource_slice("t", devices("b"), count=2, on="n2")],
            "",
            "",
        ),
        ([resource_slice("s", devices("a", "a"))], "", "duplicate device name a"),
        (
            [
                resource_slice("c", [], count=2, sharedCounters=[*SETS, *SETS]),
                resource_slice("s", devices("a"), count=2),
            ],
            "",
            "duplicate counter set name set",
        ),
        ([resource_slice("s", [consuming("other", "mem")])], "", "counter set other not found"),
        (
            [
                resource_slice("c", [], count=2, sharedCounters=SETS),
                resource_slice("s", [consuming("set", "cpu")], count=2),
            ],
            "",
            "counter cpu not found in counter set set",
        ),
        (
            [
                resource_slice("c", [], count=3, sharedCounters=SETS),
                resource_slice("s", devices("a"), count=3),
                resource_slice("t", [consuming("other", "mem")], count=3, on="n2"),
            ],
            "",
            "counter set other not found",
        ),
    ],
    ids=[
        "whole",
        "missing",
        "surplus",
        "completed-elsewhere",
        "device-twice",
        "set-twice",
        "no-set",
        "no-counter",
        "no-set-elsewhere",
    ],
)
def test_status(slices: list[ResourceSlice], incomplete: str, invalid: str) -> None:
    (view,) = pools(*slices)
    assert (view.incomplete, view.invalid) == (incomplete, invalid)


def test_a_newer_generation_elsewhere_makes_a_pool_obsolete() -> None:
    stale = resource_slice("s", devices("a"), count=2)
    newer = resource_slice("t", devices("b"), generation=2, count=2, on="n2")
    assert pools(stale, newer) == ()


def test_a_whole_pool_does_not_look_elsewhere() -> None:
    newer = resource_slice("t", devices("b"), generation=2, on="n2")
    (view,) = pools(resource_slice("s", devices("a")), newer)
    assert view.usable


@pytest.mark.parametrize(
    ("spec", "seen"),
    [
        ({"on": "n1"}, True),
        ({"on": "n2"}, False),
        ({"on": None, "allNodes": True}, True),
        ({"on": None}, False),
        ({"on": None, "nodeSelector": {"nodeSelectorTerms": [{}]}}, False),
        ({"on": None, "perDeviceNodeSelection": True}, False),
    ],
    ids=["own", "other", "all", "nothing-set", "empty-term", "per-device"],
)
def test_relevance(spec: dict[str, Any], seen: bool) -> None:
    assert bool(pools(resource_slice("s", devices("a"), **spec))) is seen


def test_a_bad_selector_is_an_error() -> None:
    bad = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "Near"}]}]}
    with pytest.raises(
        AllocationError, match="failed to perform node selection for slice s: failed to parse"
    ):
        pools(resource_slice("s", devices("a"), on=None, nodeSelector=bad))


def test_order_is_driver_then_pool_and_binding_conditions_last() -> None:
    binding = [device("d", bindingConditions=["ready"])]
    views = pools(
        resource_slice("1", binding, pool="a", driver="a"),
        resource_slice("2", devices("d"), pool="b", driver="b"),
        resource_slice("3", devices("d"), pool="c", driver="a"),
    )
    assert [str(view.id) for view in views] == ["a/c", "b/b", "a/a"]


def test_slices_that_are_switched_off_are_not_there() -> None:
    off = features_of(DRAPartitionableDevices=False)
    per_device = resource_slice("s", [device("a", allNodes=True)], on=None, perDeviceNodeSelection=True)
    counters = resource_slice("c", [], sharedCounters=SETS)
    assert pools(per_device, counters, features=off) == ()
    assert len(pools(per_device)) == 1


@pytest.mark.parametrize(
    ("selector", "hit"),
    [
        (None, True),
        ({"driver": "drv"}, True),
        ({"driver": "drv", "pool": "p1", "device": "a"}, True),
        ({"pool": "p2"}, False),
    ],
    ids=["all", "driver", "device", "other-pool"],
)
def test_taint_rules_add_taints(selector: dict[str, str] | None, hit: bool) -> None:
    spec: dict[str, Any] = {"taint": {"key": "k", "effect": "NoExecute"}}
    rule = make(
        DeviceTaintRule, "rule", spec=spec if selector is None else {**spec, "deviceSelector": selector}
    )
    on = SliceCompiler(features_of(DRADeviceTaintRules=True), (rule,)).compile(
        resource_slice("s", devices("a"))
    )
    assert bool(on.devices[0].taints) is hit
    off = SliceCompiler(IN_1_36, (rule,)).compile(resource_slice("s", devices("a")))
    assert off.devices[0].taints == ()
    in_1_37 = SliceCompiler(features_of(V1_37), (rule,)).compile(resource_slice("s", devices("a")))
    assert bool(in_1_37.devices[0].taints) is (hit and selector is not None)
