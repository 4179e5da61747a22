import pytest
from storage_builders import capacity, claim, cluster, csi_driver, node, pod, storage_class, volume

from kschedctl.volumes.cluster_storage import ClusterStorage
from kschedctl.volumes.pod_volumes import PodVolumes, sort_claims
from kschedctl.volumes.utilization import utilizations


def used(pod_claims, *objects):
    state = cluster(node("n1"), storage_class("fast"), storage_class("slow"), *objects)
    storage = ClusterStorage.of(state)
    volumes = sort_claims(pod("p", *pod_claims), storage.catalog)
    assert isinstance(volumes, PodVolumes)
    return utilizations(storage.binder.find(volumes), 0)


def published(size, **more):
    return [csi_driver(storageCapacity=True), capacity("fast", {}, capacity=size, **more)]


@pytest.mark.parametrize(
    ("claims", "objects", "expected"),
    [
        pytest.param(["a"], [claim("a"), volume("pv", size="20Gi")], (50,), id="an existing volume"),
        pytest.param(
            ["a", "b"],
            [claim("a"), claim("b", "slow"), volume("v", size="20Gi"), volume("w", "slow", size="40Gi")],
            (50, 25),
            id="each class by itself",
        ),
        pytest.param(
            ["a", "b"],
            [claim("a"), claim("b"), volume("v", size="20Gi"), volume("w", size="30Gi")],
            (40,),
            id="volumes of a class add up",
        ),
        pytest.param(["a"], [claim("a"), *published("100Gi")], (10,), id="published capacity"),
        pytest.param(
            ["a", "b"],
            [claim("a", size="50Gi"), claim("b", size="50Gi"), *published("100Gi")],
            (100,),
            id="claims add up, capacity does not",
        ),
        pytest.param(
            ["a", "b"],
            [claim("a", size="60Gi"), claim("b", size="60Gi"), *published("100Gi")],
            (100,),
            id="more than there is is full",
        ),
        pytest.param(
            ["a", "b"],
            [claim("a", "slow"), claim("b"), volume("v", "slow", size="20Gi"), *published("100Gi")],
            (50,),
            id="with an existing volume new ones do not count",
        ),
        pytest.param(["a"], [claim("a")], (), id="capacity unknown"),
        pytest.param([], [], (), id="no claims"),
    ],
)
def test_utilization(claims, objects, expected):
    assert used(claims, *objects) == expected
