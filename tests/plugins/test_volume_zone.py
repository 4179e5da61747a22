"""VolumeZone through the whole profile (spec 04 §4)."""

import pytest
from storage_builders import (
    ZONE,
    claim,
    cluster,
    codes,
    decide,
    node,
    pod,
    reasons,
    scheduler,
    told,
    volume,
)

from kschedctl.plugins.volume_binding import UNREACHABLE
from kschedctl.plugins.volume_zone import REASON


def state(**more):
    return cluster(
        node("n1", "a"),
        node("n2", "b"),
        node("bare"),
        claim("c", volume="pv"),
        volume("pv", labels={ZONE: "b"}, **more),
    )


def test_only_nodes_with_another_zone_are_refused():
    decision = decide(state(), pod("p", "c"))
    assert reasons(decision) == {"n1": (REASON,)}
    assert codes(decision) == {"UnschedulableAndUnresolvable"}
    assert told(decision, "n1") == ["claim c is bound to pv, which is labelled to be in zone b"]


def test_node_affinity_of_the_volume_speaks_first():
    decision = decide(state(zone="b"), pod("p", "c"))
    assert reasons(decision) == {"n1": (UNREACHABLE,), "bare": (UNREACHABLE,)}


WITHOUT_BINDING = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [
        {"plugins": {"multiPoint": {"disabled": [{"name": "VolumeBinding"}, {"name": "VolumeRestrictions"}]}}}
    ],
}


@pytest.mark.parametrize(
    ("claims", "config", "text"),
    [
        pytest.param(
            [claim("c", volume="pv")], None, 'persistentvolume "pv" not found', id="the volume is missing"
        ),
        pytest.param([], WITHOUT_BINDING, 'persistentvolumeclaim "c" not found', id="the claim is missing"),
        pytest.param(
            [claim("c", "x")], WITHOUT_BINDING, 'storageclass.storage.k8s.io "x" not found', id="the class"
        ),
        pytest.param(
            [claim("c", None)],
            WITHOUT_BINDING,
            "PersistentVolumeClaim had no pv name and storageClass name",
            id="neither volume nor class",
        ),
    ],
)
def test_what_is_missing(claims, config, text):
    decision = decide(cluster(node("n1"), *claims), pod("p", "c"), scheduler(config))
    assert decision.pre_filter is not None
    assert (decision.pre_filter.plugin, decision.pre_filter.message) == ("VolumeZone", text)
