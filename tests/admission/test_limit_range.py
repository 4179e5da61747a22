from typing import Any

import pytest
from builders import admission_context

from kschedctl.admission.chain import Admission
from kschedctl.admission.invalid import Invalid

from .builders import admitted, container, existing, limit_range, pod


def item(kind: str = "Container", **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


@pytest.mark.parametrize(
    ("limits", "written", "requests", "resulting_limits"),
    [
        ([item(default={"cpu": "2"}, defaultRequest={"cpu": "1"})], {}, {"cpu": "1"}, {"cpu": "2"}),
        ([item(default={"cpu": "2"})], {}, {"cpu": "2"}, {"cpu": "2"}),
        ([item(max={"cpu": "3"})], {}, {"cpu": "3"}, {"cpu": "3"}),
        ([item(min={"cpu": "1"})], {}, {"cpu": "1"}, {}),
        ([item(max={"cpu": "3"}, min={"cpu": "1"}, default={"cpu": "2"})], {}, {"cpu": "2"}, {"cpu": "2"}),
        ([item(defaultRequest={"cpu": "1"})], {"limits": {"cpu": "2"}}, {"cpu": "2"}, {"cpu": "2"}),
        ([item(default={"cpu": "9"})], {"requests": {"cpu": "1"}}, {"cpu": "1"}, {"cpu": "9"}),
        ([item("Pod", default={"cpu": "3"})], {}, {}, {}),
        ([item(defaultRequest={"cpu": "1"}), item(defaultRequest={"cpu": "2"})], {}, {"cpu": "1"}, {}),
    ],
    ids=[
        "both",
        "limit",
        "max",
        "min",
        "default-before-min",
        "own-limit",
        "own-request",
        "pod",
        "first-wins",
    ],
)
def test_defaults_of_a_namespace(
    limits: list[dict[str, Any]],
    written: dict[str, Any],
    requests: dict[str, str],
    resulting_limits: dict[str, str],
) -> None:
    context = admission_context(limit_ranges=[limit_range("a", *limits)])
    candidate = pod(
        containers=[container(resources=written)], initContainers=[container(name="i", resources=written)]
    )
    made = admitted(candidate, context).spec
    for each in (*made.containers, *made.init_containers):
        assert (each.resources.requests, each.resources.limits) == (requests, resulting_limits)


def test_ranges_apply_by_name_and_to_their_namespace_only() -> None:
    context = admission_context(
        limit_ranges=[
            limit_range("b", item(defaultRequest={"cpu": "2", "memory": "1Gi"})),
            limit_range("a", item(defaultRequest={"cpu": "1"})),
            limit_range("a", item(defaultRequest={"cpu": "7"}), namespace="prod"),
        ]
    )
    requests = [
        admitted(pod(namespace=namespace), context).spec.containers[0].resources.requests
        for namespace in ("default", "prod", "dev")
    ]
    assert requests == [{"cpu": "1", "memory": "1Gi"}, {"cpu": "7"}, {}]


def test_an_existing_pod_was_defaulted_when_it_was_made() -> None:
    context = admission_context(limit_ranges=[limit_range("a", item(defaultRequest={"cpu": "1"}))])
    assert existing(pod(), context).spec.containers[0].resources.requests == {}


@pytest.mark.parametrize(
    ("limit", "written", "text"),
    [
        pytest.param(
            item(max={"cpu": "1"}),
            {"limits": {"cpu": "2"}},
            "forbidden: maximum cpu usage per Container is 1, but limit is 2",
            id="a limit above the maximum",
        ),
        pytest.param(
            item(min={"cpu": "1"}),
            {"requests": {"cpu": "500m"}},
            "forbidden: minimum cpu usage per Container is 1, but request is 500m",
            id="a request below the minimum",
        ),
        pytest.param(
            item("Pod", max={"memory": "1Gi"}),
            {"limits": {"memory": "600Mi"}},
            "forbidden: maximum memory usage per Pod is 1Gi, but limit is 1200Mi",
            id="the containers together",
        ),
        pytest.param(
            item("Pod", max={"cpu": "1"}),
            {},
            "forbidden: maximum cpu usage per Pod is 1.  No limit is specified",
            id="no limit",
        ),
        pytest.param(
            item("Pod", min={"cpu": "1"}),
            {},
            "forbidden: minimum cpu usage per Pod is 1.  No request is specified",
            id="no request",
        ),
    ],
)
def test_minima_and_maxima_refuse(limit: dict[str, Any], written: dict[str, Any], text: str) -> None:
    context = admission_context(limit_ranges=[limit_range("a", limit)])
    candidate = pod(containers=[container(name=name, resources=written) for name in ("a", "b")])
    refused = Admission(context).admit_candidate(candidate)
    assert isinstance(refused, Invalid)
    assert str(refused) == text
