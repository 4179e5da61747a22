"""Devices that are, or take, resources of their node: what a pod counts for depends on the devices that it gets."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from builders import profile
from dra_builders import allocated, claim, device, device_class, exactly, node, resource_slice

from kschedctl.cluster.pods import PodRecord
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import Version, feature_gates
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.framework.versions.v1_37 import VERSION as V1_37
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.plugins.registry import IN_TREE
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import place
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.session import Session

ROOM = {"cpu": "4", "memory": "8Gi", "pods": "10"}
FITS = "fits"


def session(*objects: TopLevel, version: Version = V1_36, on: bool = True) -> Session:
    gates = feature_gates(version, {"DRANodeAllocatableResources": on})
    return Session(
        [node("n1", allocatable=ROOM), device_class(), *objects],
        load_configuration(profile(), version, gates, IN_TREE),
        SchedulingOptions(),
    )


def pod(name: str, *claims: str, cpu: str = "1", used: bool = True, **spec: Any) -> Pod:
    """A pod whose one container uses its claims."""
    entries = [{"name": c, "resourceClaimName": c} for c in claims]
    container: dict[str, Any] = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    if used:
        container["resources"]["claims"] = [{"name": entry["name"]} for entry in entries]
    full = {"containers": [container], "resourceClaims": entries, **spec}
    return msgspec.convert({"metadata": {"name": name, "namespace": "d", "uid": name}, "spec": full}, Pod)


def decide(questions: Session, who: Pod) -> Decision:
    record = questions.enter(who)
    assert isinstance(record, PodRecord), record
    return questions.scheduler.decide(record, questions.cluster)


def told(decision: Decision) -> str:
    """The reason for the only node, `fits` where there is none."""
    if decision.outcome is Outcome.SCHEDULED:
        return FITS
    return decision.event.removeprefix("0/1 nodes are available: 1 ").partition(". ")[0]


def old(cpu: str, **mapping: Any) -> dict[str, Any]:
    """A device of 1.36 that is some cpu."""
    return {"nodeAllocatableResourceMappings": {"cpu": {"allocationMultiplier": cpu, **mapping}}}


def new(mapping: dict[str, str] | None = None, **overhead: str) -> dict[str, Any]:
    """A device of 1.37 that is some cpu, or takes some."""
    parts = {"mapping": mapping, "overhead": overhead or None}
    return {
        "nodeAllocatableResources": {"cpu": {name: part for name, part in parts.items() if part is not None}}
    }


def offered(count: int = 2, **fields: Any) -> TopLevel:
    return resource_slice("s", [device(f"d{i}", **fields) for i in range(count)])


SHARED = {"allowMultipleAllocations": True, "capacity": {"cores": "8"}}
PER_CORE = {"capacityKey": "cores"}
THREE = {"capacity": {"requests": {"cores": "3"}}}


@pytest.mark.parametrize(
    ("version", "fields", "request_fields", "expected"),
    [
        pytest.param(V1_36, old("3"), {}, FITS, id="1.36: just enough"),
        pytest.param(V1_36, old("3001m"), {}, "Insufficient cpu", id="1.36: too much"),
        pytest.param(
            V1_36, {**SHARED, **old("2", **PER_CORE)}, THREE, "Insufficient cpu", id="1.36: 2 a core"
        ),
        pytest.param(V1_36, {**SHARED, **old("500m", **PER_CORE)}, THREE, FITS, id="1.36: half a core"),
        pytest.param(
            V1_36, {**SHARED, **old("9", capacityKey="x")}, THREE, FITS, id="1.36: another capacity"
        ),
        pytest.param(V1_37, new({"deviceMultiplier": "3"}), {}, FITS, id="1.37: just enough"),
        pytest.param(V1_37, new({"deviceMultiplier": "3001m"}), {}, "Insufficient cpu", id="1.37: too much"),
        pytest.param(
            V1_37,
            {**SHARED, **new({"capacityMultiplier": "2", **PER_CORE})},
            THREE,
            "Insufficient cpu",
            id="1.37: 2 a core",
        ),
        pytest.param(V1_37, new(perPod="2", perContainer="2"), {}, "Insufficient cpu", id="1.37: overhead"),
        pytest.param(V1_37, new(perPod="1", perContainer="2"), {}, FITS, id="1.37: overhead fits"),
    ],
)
def test_devices_count(
    version: Version, fields: dict[str, Any], request_fields: dict[str, Any], expected: str
) -> None:
    questions = session(offered(**fields), claim("a", exactly("r", 1, **request_fields)), version=version)
    assert told(decide(questions, pod("p", "a"))) == expected


@pytest.mark.parametrize(
    ("version", "fields"),
    [
        pytest.param(V1_36, old("2"), id="1.36"),
        pytest.param(V1_37, new({"deviceMultiplier": "2"}), id="1.37"),
    ],
)
def test_later_pods_find_less_room(version: Version, fields: dict[str, Any]) -> None:
    questions = session(offered(**fields), claim("a", exactly()), version=version)
    start = questions.cluster.mark()
    first = decide(questions, pod("p", "a"))
    assert place(first) is None
    assert told(decide(questions, pod("q", cpu="1"))) == FITS
    assert told(decide(questions, pod("r", cpu="1001m"))) == "Insufficient cpu"
    questions.cluster.undo_to(start)
    assert told(decide(questions, pod("s", cpu="4"))) == FITS


def test_nothing_counts_while_the_gate_is_off() -> None:
    questions = session(offered(**old("99")), claim("a", exactly()), on=False)
    assert place(decide(questions, pod("p", "a"))) is None
    assert told(decide(questions, pod("q", cpu="3"))) == FITS


@pytest.mark.parametrize(
    ("version", "fields", "expected"),
    [
        pytest.param(
            V1_36,
            old("1"),
            "claim a: node-allocatable resource claim not referenced by any container within the pod",
            id="1.36",
        ),
        pytest.param(V1_37, new({"deviceMultiplier": "1"}), FITS, id="1.37"),
    ],
)
def test_a_claim_that_no_container_uses(version: Version, fields: dict[str, Any], expected: str) -> None:
    questions = session(offered(**fields), claim("a", exactly()), version=version)
    assert told(decide(questions, pod("p", "a", used=False))) == expected


@pytest.mark.parametrize(
    ("version", "fields", "expected"),
    [
        pytest.param(
            V1_36, old("1"), "node allocatable resource claim a is already used by another pod", id="1.36"
        ),
        pytest.param(
            V1_37,
            new({"deviceMultiplier": "1"}),
            "node allocatable resource claim a has a mapped device and cannot be shared across pods",
            id="1.37",
        ),
        pytest.param(V1_37, new(perPod="1"), FITS, id="1.37: overhead alone is counted for each"),
    ],
)
def test_a_claim_of_another_pod(version: Version, fields: dict[str, Any], expected: str) -> None:
    questions = session(offered(**fields), claim("a", exactly()), version=version)
    assert place(decide(questions, pod("p", "a", cpu="1"))) is None
    assert told(decide(questions, pod("q", "a", cpu="1"))) == expected


@pytest.mark.parametrize(
    ("version", "fields", "level", "expected"),
    [
        pytest.param(V1_36, old("1"), {"requests": {"cpu": "2"}}, FITS, id="1.36: covered"),
        pytest.param(
            V1_36,
            old("1500m"),
            {"requests": {"cpu": "2"}},
            "pod level request for cpu is insufficient to cover "
            "the aggregated container and node-allocatable DRA requests",
            id="1.36: not covered",
        ),
        pytest.param(
            V1_37,
            new({"deviceMultiplier": "1500m"}),
            {"requests": {"cpu": "2"}},
            "pod level request for cpu is insufficient to cover "
            "the aggregated container and node-allocatable DRA requests",
            id="1.37: not covered",
        ),
    ],
)
def test_figures_of_the_pod_must_cover_the_devices(
    version: Version, fields: dict[str, Any], level: dict[str, Any], expected: str
) -> None:
    questions = session(offered(**fields), claim("a", exactly()), version=version)
    assert told(decide(questions, pod("p", "a", resources=level))) == expected


def test_a_device_whose_share_is_not_known_is_an_error() -> None:
    """The mapping is of a capacity, and nothing is consumed of a device that is held alone."""
    fields = {"capacity": {"cores": "8"}, **old("1", **PER_CORE)}
    decision = decide(session(offered(**fields), claim("a", exactly())), pod("p", "a"))
    assert decision.outcome is Outcome.ERROR
    assert "device d0: ConsumedCapacity is nil, but Capacity key 'cores' is set" in decision.message


def test_devices_that_a_claim_had_before_count_from_1_37_on() -> None:
    held = allocated("a", ("p1", "d0"))
    assert told(decide(session(offered(**old("4")), held), pod("p", "a"))) == FITS
    later = session(offered(**new({"deviceMultiplier": "4"})), held, version=V1_37)
    assert told(decide(later, pod("p", "a"))) == "Insufficient cpu"


@pytest.mark.parametrize(
    ("fields", "used", "expected"),
    [
        pytest.param(
            old("9"),
            True,
            "claim a takes cpu 9 of the node beside what the containers request",
            id="too much",
        ),
        pytest.param(
            old("1"), False, "are resources of their node, which a single pod can use", id="no container"
        ),
    ],
)
def test_people_are_told_what_the_devices_take(fields: dict[str, Any], used: bool, expected: str) -> None:
    decision = decide(session(offered(**fields), claim("a", exactly())), pod("p", "a", used=used))
    assert [(found.subject, found.text) for found in decision.details_of(0)] == [("devices", expected)]
