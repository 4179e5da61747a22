from typing import Any

import msgspec
import pytest

from kschedctl.objects.pod import PodSpec, PodStatus
from kschedctl.objects.pod_requests import (
    ResizeRules,
    fit_score_requests,
    host_ports,
    is_extended_resource,
    is_scalar_resource,
    pod_non_zero_requests,
    pod_requests,
    pod_requests_with_status,
    to_resource_units,
)
from kschedctl.objects.quantity import Quantity, parse

MIB = 2**20


def spec(*containers: dict[str, Any], **fields: Any) -> PodSpec:
    return msgspec.convert({"containers": containers, **fields}, PodSpec)


def container(name: str = "c", *, sidecar: bool = False, **requests: str) -> dict[str, Any]:
    made: dict[str, Any] = {"name": name, "resources": {"requests": requests}}
    return {**made, "restartPolicy": "Always"} if sidecar else made


def shown(requests: dict[str, Quantity]) -> dict[str, str]:
    return {name: str(quantity) for name, quantity in requests.items()}


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (spec(container(cpu="500m"), container(cpu="300m", memory="1Gi")), {"cpu": "800m", "memory": "1Gi"}),
        (spec(container(cpu="1"), initContainers=[container(cpu="3")]), {"cpu": "3"}),
        (spec(container(cpu="1"), initContainers=[container(cpu="3", sidecar=True)]), {"cpu": "4"}),
        (
            spec(
                container(cpu="500m"),
                container(cpu="300m"),
                initContainers=[
                    container(cpu="900m"),
                    container(cpu="200m", sidecar=True),
                    container(cpu="700m"),
                    container(cpu="100m", sidecar=True),
                ],
            ),
            {"cpu": "1100m"},
        ),
        (
            spec(container(cpu="1"), initContainers=[container(cpu="1", sidecar=True), container(cpu="5")]),
            {"cpu": "6"},
        ),
        (spec(container(), overhead={"cpu": "50m", "memory": "10Mi"}), {"cpu": "50m", "memory": "10Mi"}),
        (
            spec(container(cpu="1"), overhead={"cpu": "50m"}, resources={"requests": {"cpu": "600m"}}),
            {"cpu": "650m"},
        ),
        (spec(container(cpu="1"), resources={"limits": {"cpu": "600m"}}), {"cpu": "1"}),
        (
            spec(container(), resources={"requests": {"ephemeral-storage": "1", "hugepages-2Mi": "4Mi"}}),
            {"hugepages-2Mi": "4Mi"},
        ),
        (spec(container(cpu="100.5m"), container(cpu="100.5m")), {"cpu": "202m"}),
        (spec(), {}),
    ],
    ids=[
        "sum", "init-maximum", "sidecar-adds", "sidecars-between", "sidecar-before-init", "overhead",
        "pod-level-replaces", "pod-level-limits-alone", "pod-level-unsupported", "milli-per-entry", "nothing",
    ],
)  # fmt: skip
def test_requests_of_a_spec(case: PodSpec, expected: dict[str, str]) -> None:
    assert shown(pod_requests(case)) == expected


def status(**fields: Any) -> PodStatus:
    return msgspec.convert(fields, PodStatus)


def held(name: str, requests: str | None, allocated: str | None = None) -> dict[str, Any]:
    made: dict[str, Any] = {"name": name}
    if requests is not None:
        made["resources"] = {"requests": {"cpu": requests}}
    if allocated is not None:
        made["allocatedResources"] = {"cpu": allocated}
    return made


INFEASIBLE = {"type": "PodResizePending", "status": "False", "reason": "Infeasible"}
DEFERRED = {"type": "PodResizePending", "status": "True", "reason": "Deferred"}


@pytest.mark.parametrize(
    ("case", "cpu"),
    [
        (status(containerStatuses=[held("c", "1200m", "500m")]), "1200m"),
        (status(containerStatuses=[held("c", "500m", "950m")]), "950m"),
        (status(containerStatuses=[held("c", None, "950m")]), "900m"),
        (status(containerStatuses=[held("other", "2")]), "900m"),
        (status(containerStatuses=[held("c", "500m", "500m")], conditions=[INFEASIBLE]), "500m"),
        (status(containerStatuses=[held("c", "500m", "500m")], conditions=[DEFERRED, INFEASIBLE]), "900m"),
        (status(containerStatuses=[{"name": "c", "resources": {}}], conditions=[INFEASIBLE]), None),
    ],
    ids=["grown", "allocated", "no-resources", "other", "infeasible", "first-condition-counts", "vanishes"],
)
def test_a_resized_container_counts_with_what_it_holds(case: PodStatus, cpu: str | None) -> None:
    requests = pod_requests_with_status(spec(container(cpu="900m")), case, ResizeRules())
    assert shown(requests).get("cpu") == cpu


@pytest.mark.parametrize(("sidecar", "cpu"), [(True, "3"), (False, "1")])
def test_of_init_containers_only_sidecars_are_resized(sidecar: bool, cpu: str) -> None:
    case = spec(initContainers=[container("i", sidecar=sidecar, cpu="1")])
    running = status(initContainerStatuses=[held("i", "3")])
    assert shown(pod_requests_with_status(case, running, ResizeRules())) == {"cpu": cpu}


@pytest.mark.parametrize(
    ("gate", "conditions", "cpu"), [(True, [], "4"), (False, [], "2"), (True, [INFEASIBLE], "3")]
)
def test_a_resized_pod_counts_with_what_it_holds(gate: bool, conditions: list[Any], cpu: str) -> None:
    case = spec(container(cpu="1"), resources={"requests": {"cpu": "2"}})
    allocated = "3" if conditions else "4"
    running = status(
        resources={"requests": {"cpu": "3"}}, allocatedResources={"cpu": allocated}, conditions=conditions
    )
    assert shown(pod_requests_with_status(case, running, ResizeRules(pod_level=gate))) == {"cpu": cpu}


def test_an_infeasible_pod_level_key_that_is_not_held_becomes_zero() -> None:
    case = spec(container(cpu="1"), resources={"requests": {"cpu": "2"}})
    running = status(resources={}, conditions=[INFEASIBLE])
    assert shown(pod_requests_with_status(case, running, ResizeRules())) == {"cpu": "0"}


@pytest.mark.parametrize(
    ("case", "milli_cpu", "mib"),
    [
        (spec(container()), 100, 200),
        (spec(container(), container()), 200, 400),
        (spec(container(cpu="0", memory="0")), 0, 0),
        (spec(container(cpu="50m"), initContainers=[container()]), 100, 200),
        (spec(overhead={"cpu": "20m"}), 20, 0),
        (spec(container(), container(), resources={"requests": {"cpu": "1"}}), 1000, 400),
        (spec(container(), overhead={"memory": "10Mi"}, resources={"requests": {"cpu": "1"}}), 1000, 10),
    ],
    ids=[
        "empty",
        "two-empty",
        "explicit-zero",
        "init",
        "overhead-only",
        "pod-level-cpu",
        "pod-level-overhead",
    ],
)
def test_every_pod_weighs_something(case: PodSpec, milli_cpu: int, mib: int) -> None:
    assert pod_non_zero_requests(case, PodStatus(), ResizeRules()) == (milli_cpu, mib * MIB)


def test_scoring_fills_in_defaults_and_sees_no_pod_level() -> None:
    case = spec(
        container(cpu="1"),
        container(memory="0"),
        overhead={"cpu": "1m"},
        resources={"requests": {"cpu": "9"}},
    )
    assert shown(fit_score_requests(case)) == {"cpu": "1101m", "memory": "200Mi"}


@pytest.mark.parametrize(
    ("name", "scalar", "extended"),
    [
        ("nvidia.com/gpu", True, True),
        ("hugepages-2Mi", True, False),
        ("attachable-volumes-aws-ebs", True, False),
        ("deviceclass.resource.kubernetes.io/gpu", True, False),
        ("requests.nvidia.com/gpu", False, False),
        ("cpu", False, False),
        ("foo", False, False),
        ("a/b/c", False, False),
        ("bad_prefix/gpu", False, False),
    ],
)
def test_resource_names(name: str, scalar: bool, extended: bool) -> None:
    assert (is_scalar_resource(name), is_extended_resource(name)) == (scalar, extended)


def test_cpu_counts_in_millis_and_the_rest_in_units() -> None:
    assert to_resource_units("cpu", parse("1500m")) == 1500
    assert to_resource_units("memory", parse("1500m")) == 2


def test_host_ports_of_sidecars_come_first_and_plain_init_containers_have_none() -> None:
    def with_ports(name: str, *ports: dict[str, Any], **fields: Any) -> dict[str, Any]:
        return {"name": name, "ports": list(ports), **fields}

    case = spec(
        with_ports("c", {"hostPort": 80}, {"containerPort": 81}, {"hostPort": 53, "protocol": "UDP"}),
        initContainers=[
            with_ports("plain", {"hostPort": 1}),
            with_ports("side", {"hostPort": 9, "hostIP": "127.0.0.1"}, restartPolicy="Always"),
        ],
    )
    assert host_ports(case) == (("127.0.0.1", "TCP", 9), ("0.0.0.0", "TCP", 80), ("0.0.0.0", "UDP", 53))
