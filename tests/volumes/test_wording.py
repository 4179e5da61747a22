import pytest
from storage_builders import (
    HOST,
    ZONE,
    capacity,
    claim,
    cluster,
    csi_driver,
    local_class,
    node,
    pod,
    storage_class,
    volume,
)

from kschedctl.objects.selectors import Requirement
from kschedctl.volumes.claims import ClaimKey
from kschedctl.volumes.cluster_storage import ClusterStorage
from kschedctl.volumes.pod_volumes import PodVolumes, sort_claims
from kschedctl.volumes.wording import place, sentence, subject


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        pytest.param((), "nowhere", id="no term"),
        pytest.param(((),), "anywhere", id="no condition"),
        pytest.param(((Requirement(ZONE, "In", ("a", "b")),),), "in zone a or b", id="zones"),
        pytest.param(
            (
                (Requirement(HOST, "In", ("n1",)), Requirement("disk", "NotIn", ("hdd",))),
                (Requirement("gpu", "Exists"),),
            ),
            "on host n1 and where disk is not hdd, or where gpu is set",
            id="terms",
        ),
    ],
)
def test_place(terms, expected):
    assert place(terms) == expected


def told(*objects, assume=None):
    """Subject and sentence of the one finding on n1."""
    state = cluster(node("n1", "a"), node("n2", "b"), storage_class("fast"), local_class(), *objects)
    storage = ClusterStorage.of(state)
    storage.assumed.node_of_claim.update(assume or {})
    volumes = sort_claims(pod("p", "data"), storage.catalog)
    assert isinstance(volumes, PodVolumes)
    (finding,) = (f for f in storage.binder.find(volumes).findings if f.mask[0])
    return subject(finding, storage.binder, 0), sentence(finding, storage.binder, 0)


ZONE_B = {"matchLabels": {ZONE: "b"}}
ONLY_B = [{"matchLabelExpressions": [{"key": ZONE, "values": ["b"]}]}]


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        pytest.param(
            [claim("data", volume="pv-7"), volume("pv-7", zone="b")],
            (
                "volume pv-7 is only in zone b",
                "claim data is bound to pv-7, which is only reachable in zone b",
            ),
            id="zonal volume",
        ),
        pytest.param(
            [claim("data", volume="pv-7")],
            ("volume pv-7 does not exist", "claim data is bound to pv-7, which does not exist"),
            id="missing volume",
        ),
        pytest.param(
            [claim("data", "local"), volume("v", "local", on="n2"), volume("w", "local", size="1Gi")],
            (
                "no volume of class local fits claim data",
                "claim data: no volume of class local fits here (v not reachable; w too small), "
                "and the class makes none",
            ),
            id="no local volume",
        ),
        pytest.param(
            [claim("data", "zonal"), storage_class("zonal", allowedTopologies=ONLY_B)],
            (
                "class zonal provisions only in zone b",
                "claim data can get a new volume of class zonal only in zone b",
            ),
            id="outside the topology",
        ),
        pytest.param(
            [claim("data"), csi_driver(storageCapacity=True), capacity("fast", {}, capacity="4Gi")],
            (
                "storage of class fast",
                "claim data needs 10Gi: class fast has room for at most 4Gi here",
            ),
            id="too little capacity",
        ),
        pytest.param(
            [claim("data"), csi_driver(storageCapacity=True), capacity("fast", ZONE_B, capacity="4Ti")],
            (
                "no capacity of class fast is published",
                "claim data needs 10Gi: no capacity of class fast is published for this node",
            ),
            id="no capacity here",
        ),
    ],
)
def test_sentence(objects, expected):
    assert told(*objects) == expected


def test_a_claim_that_an_earlier_pod_took_elsewhere():
    assert told(claim("data"), assume={ClaimKey("default", "data"): "n2"}) == (
        "claim data belongs to node n2",
        "claim data is being provisioned on node n2",
    )
