"""Claims that get their volume when the pod is placed: the finer rules of VolumeBinding (spec 04 §3.3 to §3.8)."""

import pytest
from storage_builders import (
    HOST,
    ZONE,
    bare_node,
    capacity,
    claim,
    cluster,
    csi_driver,
    decide,
    local_class,
    node,
    place_pod,
    pod,
    reasons,
    scheduler,
    storage_class,
    volume,
)

from kschedctl.plugins.volume_binding import NO_ROOM, UNBINDABLE, UNREACHABLE, VOLUME_MISSING

NODES = (node("n1", "a"), node("n2", "b"))
FAST, LOCAL = storage_class("fast"), local_class()
PUBLISHING = csi_driver(storageCapacity=True)
OWNED = {"ownerReferences": [{"controller": True, "uid": "u"}]}
SCRATCH = {"name": "scratch", "ephemeral": {}}
CLASS = "volume.beta.kubernetes.io/storage-class"


def on(name):
    """Metadata of a claim whose node was chosen."""
    return {"annotations": {"volume.kubernetes.io/selected-node": name}}


def refusals(*objects, volumes=("c",)):
    return reasons(decide(cluster(*NODES, *objects), pod("p", *volumes, uid="u")))


def within(zone):
    return storage_class(
        "fast", allowedTopologies=[{"matchLabelExpressions": [{"key": ZONE, "values": [zone]}]}]
    )


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        pytest.param(
            [LOCAL, claim("c", "local", meta=on("n1")), volume("pv", "local")],
            {"n1": (UNBINDABLE,), "n2": (UNBINDABLE,)},
            id="an existing volume is not looked for",
        ),
        pytest.param(
            [FAST, PUBLISHING, claim("c", meta=on("n1"))],
            {"n1": (NO_ROOM,), "n2": (UNBINDABLE,)},
            id="capacity is looked at there, and only there",
        ),
        pytest.param(
            [within("b"), claim("c", meta=on("n1"))],
            {"n1": (UNBINDABLE,), "n2": (UNBINDABLE,)},
            id="topologies of the class hold there",
        ),
        pytest.param(
            [FAST, claim("c", meta=on("gone"))],
            {"n1": (UNBINDABLE,), "n2": (UNBINDABLE,)},
            id="a node that is gone",
        ),
    ],
)
def test_a_claim_whose_node_was_chosen(objects, expected):
    assert refusals(*objects) == expected


def test_a_chosen_node_comes_before_what_other_claims_lack():
    """Elsewhere the search ends at once; on the node the chosen claim is provisioned before the smaller one."""
    objects = (
        FAST,
        LOCAL,
        PUBLISHING,
        claim("big", "fast", "2Gi", meta=on("n1")),
        claim("small", "local", "1Gi"),
    )
    assert refusals(*objects, volumes=["small", "big"]) == {"n1": (NO_ROOM,), "n2": (UNBINDABLE,)}


@pytest.mark.parametrize(
    ("reference", "of_class", "expected"),
    [
        pytest.param({"uid": "default/c"}, "local", {"n2": (UNBINDABLE,)}, id="taken on its node"),
        pytest.param({"uid": "old"}, "local", {"n1": (UNBINDABLE,), "n2": (UNBINDABLE,)}, id="other uid"),
        pytest.param(
            {}, "slow", {"n1": (UNBINDABLE,), "n2": (UNBINDABLE,)}, id="of another class: never seen"
        ),
    ],
)
def test_a_volume_reserved_for_the_claim(reference, of_class, expected):
    reserved = volume("pv", of_class, on="n1", claimRef={"namespace": "default", "name": "c"} | reference)
    assert refusals(LOCAL, claim("c", "local"), reserved) == expected


def test_a_reserved_volume_that_is_out_of_reach_leaves_the_claim_to_the_provisioner():
    reserved = volume("pv", on="n1", claimRef={"namespace": "default", "name": "c"})
    objects = (FAST, claim("c"), reserved, volume("free", on="n2"))
    assert refusals(*objects) == {}
    assert refusals(*objects, PUBLISHING) == {"n2": (NO_ROOM,)}


@pytest.mark.parametrize(
    ("claim_class", "volume_class"),
    [
        pytest.param("local", "slow", id="of the volume"),
        pytest.param("slow", "local", id="of both, the fields being other ones"),
    ],
)
def test_the_annotation_is_the_class(claim_class, volume_class):
    annotated = {"annotations": {CLASS: "local"}}
    wanted = claim("c", claim_class, meta=annotated)
    assert refusals(LOCAL, wanted, volume("pv", volume_class, meta=annotated)) == {}


@pytest.mark.parametrize(
    ("objects", "volumes", "expected"),
    [
        pytest.param(
            [claim("c", volume="pv"), volume("pv", zone="x"), FAST, PUBLISHING, claim("d")],
            ["c", "d"],
            (UNREACHABLE, NO_ROOM),
            id="out of reach and no room",
        ),
        pytest.param(
            [claim("p-scratch", volume="gone", meta=OWNED), LOCAL, claim("d", "local")],
            [SCRATCH, "d"],
            (UNBINDABLE, VOLUME_MISSING),
            id="no volume for one, the other's is missing",
        ),
        pytest.param(
            [claim("p-scratch", volume="gone", meta=OWNED), FAST, PUBLISHING, claim("d")],
            [SCRATCH, "d"],
            (NO_ROOM, VOLUME_MISSING),
            id="no room, and the other's volume is missing",
        ),
    ],
)
def test_two_reasons_in_their_order(objects, volumes, expected):
    assert refusals(*objects, volumes=volumes) == {"n1": expected, "n2": expected}


def test_a_node_without_labels_reaches_only_what_is_everywhere():
    bound = (claim("c", volume="pv"), volume("pv", on="n1"), claim("d", volume="all"), volume("all"))
    state = cluster(bare_node("n1", {}), bare_node("other", {HOST: "n1"}), *bound)
    assert reasons(decide(state, pod("p", "c"))) == {"n1": (UNREACHABLE,)}
    assert reasons(decide(state, pod("p", "d"))) == {}


def test_a_bound_claim_does_not_save_an_unbound_one():
    objects = (claim("c", volume="pv"), volume("pv"), claim("d", volume="pv", bound=False))
    decision = decide(cluster(*NODES, *objects), pod("p", "c", "d"))
    assert decision.pre_filter is not None
    assert decision.pre_filter.message == "pod has unbound immediate PersistentVolumeClaims"


@pytest.mark.parametrize(
    ("published", "fits"),
    [
        pytest.param("10Gi", True, id="equal"),
        pytest.param("10737418239.5", True, id="both are rounded up to bytes"),
        pytest.param("10737418239", False, id="a byte less"),
    ],
)
def test_sizes_are_compared_in_whole_bytes(published, fits):
    objects = (FAST, PUBLISHING, claim("c"), capacity("fast", {}, capacity=published))
    assert refusals(*objects) == ({} if fits else {"n1": (NO_ROOM,), "n2": (NO_ROOM,)})


def test_a_volume_reserved_by_an_earlier_pod_stays_available_to_its_claim_alone():
    state = cluster(*NODES, LOCAL, claim("a", "local"), claim("b", "local", "1Gi"), volume("pv", "local"))
    assert place_pod(state, pod("p", "a")) is not None
    assert set(reasons(decide(state, pod("q", "b")))) == {"n1", "n2"}
    assert reasons(decide(state, pod("r", "a"))) == {}


def test_scores_are_rounded_half_away_from_zero():
    """Two classes, 25 and 50 percent full: 37.5."""
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [
            {
                "pluginConfig": [
                    {
                        "name": "VolumeBinding",
                        "args": {
                            "shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]
                        },
                    }
                ]
            }
        ],
    }
    state = cluster(
        node("n1"),
        FAST,
        LOCAL,
        claim("a"),
        claim("b", "local"),
        volume("v", size="40Gi"),
        volume("w", "local", "20Gi"),
    )
    decision = decide(state, pod("p", "a", "b"), scheduler(config, {"StorageCapacityScoring": True}))
    assert decision.scores is not None
    (column,) = (column for column in decision.scores.columns if column.plugin == "VolumeBinding")
    assert column.weighted.tolist() == [38]
