"""Claims that the members of a group share (spec 07 §10)."""

from functools import partial

import pytest
from builders import Data, node, pod
from gang_builders import group, members
from gang_builders import play as play_in

from kschedctl.framework.versions import version_of

V1_36, V1_37 = version_of("1.36"), version_of("1.37")
SHARED = {"name": "shared", "resourceClaimName": "shared"}
ON = {"DRAWorkloadResourceClaims": True}

play = partial(play_in, gates=ON)


def claim(name: str, devices: int = 1, **status: object) -> Data:
    request = {"name": "r", "exactly": {"deviceClassName": "gpu", "count": devices}}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"devices": {"requests": [request]}},
        "status": status,
    }


def gpus(on: str, count: int) -> Data:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": f"gpus-{on}"},
        "spec": {
            "driver": "gpu.example.com",
            "nodeName": on,
            "pool": {"name": on, "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": f"d{i}"} for i in range(count)],
        },
    }


CLASS = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceClass",
    "metadata": {"name": "gpu"},
    "spec": {"selectors": [{"cel": {"expression": 'device.driver == "gpu.example.com"'}}]},
}
CLUSTER = [node("a"), node("b"), CLASS]


def claiming(count: int, *own: str) -> list[Data]:
    """Members that use the shared claim, and claims of their own after it."""
    pods = members("g", count, cpu="1", resourceClaims=[SHARED])
    for member, name in zip(pods, own, strict=False):
        member["spec"]["resourceClaims"] = [SHARED, {"name": "own", "resourceClaimName": name}]
    return pods


@pytest.mark.parametrize("version", [V1_36, V1_37], ids=str)
def test_one_device_serves_all_members(version):
    objects = [*CLUSTER, gpus("b", 1), claim("shared")]
    objects.append(group("g", 3, version=version.minor, resourceClaims=[SHARED]))
    [line] = play(objects, claiming(3), version=version)
    assert line.startswith("g: Scheduled; ")
    assert sorted(line.partition("; ")[2].split(", "))[-1].endswith(" b")


def test_members_stay_where_the_device_is_since_1_37():
    objects = [*CLUSTER, gpus("b", 1), claim("shared"), group("g", version="1.37", resourceClaims=[SHARED])]
    assert play(objects, claiming(3), version=V1_37) == ["g: Scheduled; g-0 b, g-1 b, g-2 b"]


def test_members_go_anywhere_in_1_36():
    objects = [*CLUSTER, gpus("b", 1), claim("shared"), group("g", resourceClaims=[SHARED])]
    assert play(objects, claiming(3), version=V1_36) == ["g: Scheduled; g-0 b, g-1 a, g-2 a"]


def test_what_stands_before_a_claim_in_flight_is_mixed_up():
    """Three devices serve any number of members, since each new claim gets those of the shared one."""
    objects = [*CLUSTER, gpus("b", 3), claim("shared"), *(claim(f"own{i}") for i in range(4))]
    objects.append(group("g", 4, version="1.37", resourceClaims=[SHARED]))
    pods = claiming(4, "own0", "own1", "own2", "own3")
    assert play(objects, pods, version=V1_37) == ["g: Scheduled; g-0 b, g-1 b, g-2 b, g-3 b"]


def test_a_group_that_cannot_reach_its_claim_gives_it_up():
    on_c = {
        "devices": {"results": [{"request": "r", "driver": "gpu.example.com", "pool": "c", "device": "d0"}]},
        "nodeSelector": {
            "nodeSelectorTerms": [
                {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["c"]}]}
            ]
        },
    }
    held = {"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": "g", "uid": "default/g"}
    objects = [*CLUSTER, gpus("b", 1), claim("shared", allocation=on_c, reservedFor=[held])]
    objects.append(group("g", 1, version="1.37", resourceClaims=[SHARED]))
    objects.append(pod("low", "a", priority=-1))  # else only preemption has a say
    [line] = play(objects, claiming(1), version=V1_37)
    assert "deallocation of PodGroup ResourceClaim completed" in line


def test_without_the_gate_the_claim_is_the_pods():
    objects = [*CLUSTER, gpus("b", 1), claim("shared"), group("g", version="1.37", resourceClaims=[SHARED])]
    lines = play(objects, claiming(2), version=V1_37, gates={})
    assert lines == ["g: Scheduled; g-0 b, g-1 b"]
