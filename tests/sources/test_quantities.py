"""Bad quantities are found wherever a type holds one."""

import pytest

from kschedctl.objects.core import LimitRange, Namespace, RuntimeClass
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.objects.resource import ResourceSlice
from kschedctl.objects.storage import CsiStorageCapacity, PersistentVolumeClaim
from kschedctl.sources.lines import path_text
from kschedctl.sources.quantities import QuantityCheck, quantity_message
from kschedctl.sources.shape import decode

BAD = {"cpu": "500m", "memory": "lots"}


@pytest.mark.parametrize(
    ("type_", "data", "fields"),
    [
        pytest.param(
            Pod,
            {
                "spec": {
                    "containers": [{}, {"resources": {"requests": BAD, "limits": BAD}}],
                    "initContainers": [{"resources": {"limits": BAD}}],
                    "overhead": BAD,
                    "resources": {"requests": BAD},
                },
                "status": {"containerStatuses": [{"allocatedResources": BAD}], "resources": {"limits": BAD}},
            },
            [
                "spec.containers[1].resources.requests.memory",
                "spec.containers[1].resources.limits.memory",
                "spec.initContainers[0].resources.limits.memory",
                "spec.overhead.memory",
                "spec.resources.requests.memory",
                "status.containerStatuses[0].allocatedResources.memory",
                "status.resources.limits.memory",
            ],
            id="pod",
        ),
        pytest.param(Node, {"status": {"allocatable": BAD}}, ["status.allocatable.memory"], id="node"),
        pytest.param(
            LimitRange,
            {"spec": {"limits": [{"default": BAD}]}},
            ["spec.limits[0].default.memory"],
            id="limit range",
        ),
        pytest.param(
            RuntimeClass, {"overhead": {"podFixed": BAD}}, ["overhead.podFixed.memory"], id="runtime class"
        ),
        pytest.param(
            PersistentVolumeClaim,
            {"spec": {"resources": {"requests": {"storage": "1 Gi"}}}},
            ["spec.resources.requests.storage"],
            id="claim",
        ),
        pytest.param(CsiStorageCapacity, {"capacity": ""}, ["capacity"], id="empty text"),
        pytest.param(
            ResourceSlice,
            {"spec": {"devices": [{"capacity": {"memory": {"value": "lots"}}}]}},
            ["spec.devices[0].capacity.memory.value"],
            id="device",
        ),
        pytest.param(Namespace, {"metadata": {"name": "x"}}, [], id="kind without quantities"),
    ],
)
def test_bad_quantities(type_: type[TopLevel], data, fields):
    assert [path_text(path) for path, _ in QuantityCheck().bad(decode(data, type_))] == fields


def test_good_quantities_are_remembered_and_bad_ones_found_again():
    check = QuantityCheck()
    good = decode(
        {"status": {"allocatable": {"cpu": 4, "memory": "1Gi", "pods": "0", "x": 0, "y": 0.5}}}, Node
    )
    bad = decode({"status": {"allocatable": BAD}}, Node)
    for _ in range(2):
        assert list(check.bad(good)) == []
        assert list(check.bad(bad)) == [(("status", "allocatable", "memory"), "lots")]


@pytest.mark.parametrize(
    ("resource", "message"),
    [
        ("cpu", '"x" is no quantity; write 4, 4000m or 0.5'),
        ("memory", '"x" is no quantity; write 512Mi, 2Gi or 1G'),
        ("hugepages-2Mi", '"x" is no quantity; write 512Mi, 2Gi or 1G'),
        ("nvidia.com/gpu", '"x" is no quantity; write a whole number'),
    ],
)
def test_message_shows_what_fits_the_resource(resource, message):
    assert quantity_message(("spec", resource), "x") == message
