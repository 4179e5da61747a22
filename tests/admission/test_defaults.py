from typing import Any

import msgspec
import pytest

from kschedctl.admission.defaults import default_namespace, default_node, default_pod_spec
from kschedctl.objects.containers import ResourceRequirements
from kschedctl.objects.core import Namespace
from kschedctl.objects.node import Node
from kschedctl.objects.pod import PodSpec

from .builders import admitted, container, pod


def test_limits_become_requests_where_none_are_written() -> None:
    limits = {"cpu": "2", "memory": "1Gi"}
    made = admitted(
        pod(
            containers=[container(resources={"limits": limits, "requests": {"cpu": "1"}})],
            initContainers=[container(name="i", resources={"limits": limits})],
        )
    ).spec
    assert made.containers[0].resources.requests == {"cpu": "1", "memory": "1Gi"}
    assert made.init_containers[0].resources.requests == limits


def test_names_and_policies() -> None:
    made = admitted(pod()).spec
    assert (made.scheduler_name, made.restart_policy) == ("default-scheduler", "Always")
    assert admitted(pod(schedulerName="other", restartPolicy="Never")).spec.scheduler_name == "other"


@pytest.mark.parametrize(("host_network", "host_port"), [(True, 80), (False, 0)])
def test_ports(host_network: bool, host_port: int) -> None:
    ports = [{"containerPort": 80}, {"containerPort": 53, "protocol": "UDP", "hostPort": 53}]
    made = admitted(pod(containers=[container(ports=ports)], hostNetwork=host_network)).spec
    assert [(p.protocol, p.host_port) for p in made.containers[0].ports] == [("TCP", host_port), ("UDP", 53)]


@pytest.mark.parametrize(
    ("written", "requests", "limits"),
    [
        ({"limits": {"cpu": "1", "memory": "1Gi"}}, {"cpu": "500m", "memory": "1Gi"}, {"cpu": "1", "memory": "1Gi"}),
        ({"limits": {"memory": "1Gi"}}, {"cpu": "500m", "memory": "1Gi"}, {"memory": "1Gi"}),
        ({"requests": {"memory": "1Gi"}}, {"memory": "1Gi"}, {}),
        ({}, {}, {}),
    ],
    ids=["limits", "one-limit", "requests-only", "empty"],
)  # fmt: skip
def test_pod_level_resources_are_completed(
    written: dict[str, Any], requests: dict[str, str], limits: dict[str, str]
) -> None:
    containers = [
        container(name=name, resources={"requests": {"cpu": cpu}})
        for name, cpu in (("a", "200m"), ("b", "300m"))
    ]
    made = admitted(pod(containers=containers, resources=written)).spec.resources
    assert made == ResourceRequirements(requests=requests, limits=limits)


@pytest.mark.parametrize(
    ("written", "limits", "made"),
    [
        pytest.param(
            {"requests": {"memory": "1Gi"}},
            ["2", "1"],
            ({"memory": "1Gi", "cpu": "300m"}, {"cpu": "3"}),
            id="requests alone are completed, and limited as the containers are together",
        ),
        pytest.param(
            {"requests": {"cpu": "5"}},
            ["2", "1"],
            ({"cpu": "5"}, {"cpu": "5"}),
            id="at least what is requested",
        ),
        pytest.param(
            {"requests": {"cpu": "1"}}, ["2", None], ({"cpu": "1"}, {}), id="not where one has no limit"
        ),
        pytest.param(
            {"requests": {"cpu": "1"}, "limits": {"cpu": "9"}},
            ["2", "1"],
            ({"cpu": "1"}, {"cpu": "9"}),
            id="a limit that is written stays",
        ),
        pytest.param({"requests": {"cpu": "1"}}, [], ({"cpu": "1"}, {}), id="of a pod without containers"),
    ],
)
def test_pod_level_limits_follow_the_containers_since_1_37(
    written: dict[str, Any], limits: list[str | None], made: tuple[dict[str, str], dict[str, str]]
) -> None:
    containers = [
        {
            "name": f"c{i}",
            "image": "app",
            "resources": {"requests": {"cpu": f"{i}00m"}} | ({"limits": {"cpu": limit}} if limit else {}),
        }
        for i, limit in enumerate(limits, start=1)
    ]
    spec = msgspec.convert({"containers": containers, "resources": written}, PodSpec)
    found = default_pod_spec(spec, pod_level_limits=True)
    assert found.resources == ResourceRequirements(requests=made[0], limits=made[1])
    assert default_pod_spec(found, pod_level_limits=True) == found


def test_pod_level_hugepages_follow_the_limits_of_the_containers() -> None:
    resources = {"limits": {"hugepages-2Mi": "4Mi", "cpu": "1"}}
    made = admitted(
        pod(containers=[container(resources=resources)], resources={"requests": {"cpu": "1"}})
    ).spec
    assert made.resources is not None
    assert made.resources.limits == {"hugepages-2Mi": "4Mi"}
    assert made.resources.requests == {"cpu": "1", "hugepages-2Mi": "4Mi"}


@pytest.mark.parametrize(
    ("status", "cpu"),
    [
        ({"capacity": {"cpu": "4"}}, {"cpu": "4"}),
        ({"capacity": {"cpu": "4"}, "allocatable": {"cpu": "3"}}, {"cpu": "3"}),
        ({}, {}),
    ],
)
def test_all_capacity_of_a_node_can_be_allocated_unless_it_says_otherwise(
    status: dict[str, Any], cpu: dict[str, str]
) -> None:
    node = msgspec.convert({"metadata": {"name": "n"}, "status": status}, Node)
    assert default_node(node).status.allocatable == cpu


def test_a_namespace_carries_its_name_as_a_label() -> None:
    namespace = msgspec.convert({"metadata": {"name": "prod", "labels": {"team": "a"}}}, Namespace)
    labelled = default_namespace(namespace)
    assert labelled.metadata.labels == {"team": "a", "kubernetes.io/metadata.name": "prod"}
    assert default_namespace(labelled) is labelled
