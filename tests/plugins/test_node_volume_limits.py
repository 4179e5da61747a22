"""NodeVolumeLimits by its worked examples (spec 04 §2)."""

import msgspec
import pytest
from storage_builders import (
    ZONE,
    attachment,
    claim,
    cluster,
    codes,
    csi_driver,
    csi_node,
    decide,
    inline,
    node,
    place_pod,
    pod,
    pod_named,
    reasons,
    scheduler,
    storage_class,
    told,
    victims,
    volume,
)

from kschedctl.framework.versions.v1_34 import VERSION as V1_34
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.objects.storage import CsiNode, VolumeAttachment
from kschedctl.plugins.node_volume_limits import REASON

EBS = "ebs.csi.aws.com"


def disks(*names, driver="ebs"):
    """A bound claim and its CSI volume for each name."""
    return [
        made
        for name in names
        for made in (claim(name, volume=f"pv-{name}"), volume(f"pv-{name}", driver=driver, handle=name))
    ]


DISKS = disks("v1", "v2", "v3", "v4")
USERS = (pod("q1", "v1", on="n1"), pod("q2", "v2", on="n1"))
RECORDED = (attachment("n1", "pv-v1"), attachment("n1", "pv-v3"))


def refused(limits, candidate, *members):
    state = cluster(node("n1"), limits, *DISKS, *members)
    return reasons(decide(state, candidate)) == {"n1": (REASON,)}


@pytest.mark.parametrize(
    ("limit", "claims", "members", "expected"),
    [
        pytest.param(3, ["v4"], [*USERS, *RECORDED], True, id="left-over attachment fills the node"),
        pytest.param(3, ["v1"], [*USERS, *RECORDED], False, id="a volume in use costs nothing"),
        pytest.param(3, ["v3"], [*USERS, *RECORDED], True, id="a volume attached but unused counts twice"),
        pytest.param(2, ["v1", "v2"], USERS, False, id="all in use on a full node"),
        pytest.param(2, ["v1", "v3"], USERS, True, id="one of two is new"),
        pytest.param(None, ["v4"], USERS, False, id="driver without limit"),
        pytest.param(0, ["v4"], [], True, id="limit zero"),
        pytest.param(-1, ["v4"], [], True, id="limit below zero"),
        pytest.param(1, ["v4", "v4"], [], False, id="one volume mounted twice"),
    ],
)
def test_limit_of_a_driver(limit, claims, members, expected):
    assert refused(csi_node("n1", ebs=limit), pod("p", *claims), *members) is expected


def test_without_csi_node_nothing_is_limited():
    assert not refused(csi_node("other", ebs=0), pod("p", "v4"), *USERS)


def test_the_limit_of_another_driver_does_not_matter():
    assert not refused(csi_node("n1", gce=0), pod("p", "v4"), *USERS)


def test_of_a_driver_listed_twice_the_last_limit_holds():
    twice = msgspec.convert(
        {
            "metadata": {"name": "n1"},
            "spec": {
                "drivers": [
                    {"name": "ebs", "nodeID": "n1", "allocatable": allocatable}
                    for allocatable in ({"count": 9}, {"count": 0}, {})
                ]
            },
        },
        CsiNode,
    )
    assert refused(twice, pod("p", "v4"))


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [
        pytest.param({}, True, id="counts, attached or not"),
        pytest.param({"attacher": "gce"}, False, id="for the driver that attaches"),
        pytest.param({"source": {}}, False, id="not without a volume"),
        pytest.param(
            {"source": {"persistentVolumeName": "old"}}, False, id="not for a volume that is not CSI"
        ),
        pytest.param({"nodeName": "n2"}, False, id="not on another node"),
    ],
)
def test_recorded_attachments(recorded, expected):
    spec = {"attacher": "ebs", "nodeName": "n1", "source": {"persistentVolumeName": "pv-v1"}} | recorded
    made = msgspec.convert(
        {"metadata": {"name": "va"}, "spec": spec, "status": {"attached": False}}, VolumeAttachment
    )
    old = volume("old", awsElasticBlockStore={"volumeID": "vol-1"})
    assert refused(csi_node("n1", ebs=1), pod("p", "v4"), made, old) is expected


def test_a_volume_recorded_twice_counts_once():
    again = msgspec.structs.replace(
        RECORDED[0], metadata=msgspec.structs.replace(RECORDED[0].metadata, name="x")
    )
    assert not refused(csi_node("n1", ebs=2), pod("p", "v4"), RECORDED[0], again)


def test_a_disk_inline_and_behind_a_zonal_volume_are_two():
    """Their handles differ: the zone of an inline disk is not known."""
    disk = {"gcePersistentDisk": {"pdName": "d"}}
    zonal = [claim("c", volume="pv"), volume("pv", labels={ZONE: "us-c1-a"}, **disk)]
    state = cluster(node("n1"), csi_node("n1", **{"pd.csi.storage.gke.io": 1}), *zonal)
    assert place_pod(state, pod("p", "c")) == "n1"
    assert reasons(decide(state, pod("q", inline(gcePersistentDisk={"pdName": "d", "readOnly": True})))) == {
        "n1": (REASON,)
    }


def test_volumes_of_one_driver_leave_room_for_those_of_another():
    disk = inline(gcePersistentDisk={"pdName": "d"})
    limits = csi_node("n1", **{"ebs": 1, "pd.csi.storage.gke.io": 1})
    assert not refused(limits, pod("p", "v4"), pod("q", disk, on="n1"))
    assert refused(limits, pod("p", "v4", disk | {"name": "x"}), pod("q", "v1", on="n1"))


def test_in_tree_and_csi_names_of_one_disk_are_one_volume():
    old = [claim("old", volume="pv-old"), volume("pv-old", awsElasticBlockStore={"volumeID": "vol-1"})]
    new = [claim("new", volume="pv-new"), volume("pv-new", driver=EBS, handle="vol-1")]
    state = cluster(node("n1"), csi_node("n1", **{EBS: 1}), *old, *new, pod("q", "old", on="n1"))
    assert reasons(decide(state, pod("p", "new"))) == {}


def test_details_give_limit_use_and_need():
    state = cluster(node("n1"), csi_node("n1", ebs=2), *DISKS, *USERS)
    decision = decide(state, pod("p", "v3", "v4"))
    assert told(decision, "n1") == ["csi driver ebs: 2 of 2 attachments used on n1, this pod needs 2 more"]
    assert codes(decision) == {"Unschedulable"}


def test_an_unbound_claim_counts_for_its_class_in_a_sequence():
    waiting = [claim("a", "s"), claim("b", "s"), storage_class("s", "ebs")]
    state = cluster(node("n1"), csi_node("n1", ebs=1), *waiting)
    assert place_pod(state, pod("p", "a")) == "n1"
    assert place_pod(state, pod("q", "b")) is None
    assert place_pod(state, pod("r", "a")) == "n1"


def strong(*claims):
    return pod("p", *claims, priority=10)


def test_preemption_frees_a_volume_that_is_not_recorded_as_attached():
    state = cluster(
        node("n1"), csi_node("n1", ebs=2), *DISKS, *USERS[1:], pod("x", "v1", on="n1", priority=5)
    )
    assert victims(decide(state, strong("v4"))) == {"n1": ["q2"]}


def test_preemption_frees_nothing_that_is_recorded_as_attached():
    recorded = (attachment("n1", "pv-v1"), attachment("n1", "pv-v2"))
    state = cluster(node("n1"), csi_node("n1", ebs=2), *DISKS, *USERS, *recorded)
    assert victims(decide(state, strong("v4"))) == {}


def test_evicting_who_shares_the_volume_makes_it_worse():
    """Its attachment is recorded and still counts, and the volume is new to the node once its user is gone."""
    state = cluster(
        node("n1"),
        csi_node("n1", ebs=1),
        *DISKS,
        pod("q1", "v1", inline(awsElasticBlockStore={"volumeID": "d"}), on="n1"),
        attachment("n1", "pv-v1"),
    )
    shares = pod("p", "v1", inline(awsElasticBlockStore={"volumeID": "d"}), priority=10)
    decision = decide(state, shares)
    assert reasons(decision) == {"n1": ("node(s) had no available disk",)}
    assert victims(decision) == {}
    assert decision.preemption is not None
    assert [status.reasons for status in decision.preemption.failed.values()] == [(REASON,)]


def test_a_nominated_pod_takes_its_attachments():
    state = cluster(node("n1"), csi_node("n1", ebs=2), *DISKS, pod("x", "v1", "v2", priority=20))
    assert reasons(decide(state, strong("v4"))) == {}
    state.nominate(pod_named(state, "x").id, "n1")
    assert reasons(decide(state, strong("v4"))) == {"n1": (REASON,)}
    assert reasons(decide(state, pod("p", "v1", priority=10))) == {}


DISK = inline(azureDisk={"diskURI": "u"})


@pytest.mark.parametrize(
    ("members", "outcome"),
    [
        pytest.param([csi_node("n1")], "Error", id="on a node with CSINode, even without limits"),
        pytest.param([], "Scheduled", id="not on a node without"),
    ],
)
def test_an_untranslatable_inline_disk_of_the_pod(members, outcome):
    assert decide(cluster(node("n1"), *members), pod("p", DISK)).outcome == outcome


@pytest.mark.parametrize(
    ("limit", "claims", "outcome"),
    [
        pytest.param(9, ["v1"], "Error", id="fails where limits are looked at"),
        pytest.param(None, ["v1"], "Scheduled", id="not without a limit"),
        pytest.param(9, [], "Scheduled", id="not for a pod without volumes"),
    ],
)
def test_an_untranslatable_inline_disk_of_a_pod_on_the_node(limit, claims, outcome):
    state = cluster(node("n1"), csi_node("n1", ebs=limit), *DISKS, pod("q", DISK, on="n1"))
    decision = decide(state, pod("p", *claims))
    assert decision.outcome == outcome
    if outcome == "Error":
        assert decision.message == (
            'running "NodeVolumeLimits" filter plugin: converting volume(azureDisk) from inline to csi: '
            "kind(Shared) is not supported in csi migration"
        )


def test_the_first_pod_in_the_list_is_told_of_several_that_fail():
    """When a pod goes, the last one of the node's list takes its place."""
    untranslatable = [
        pod(name, {"name": name, "azureDisk": {"diskURI": name, "kind": kind}}, on="n1")
        for name, kind in (("b", "Shared"), ("c", "Dedicated"))
    ]
    state = cluster(node("n1"), csi_node("n1", ebs=9), *DISKS, pod("a", on="n1"), *untranslatable)
    assert "volume(b)" in decide(state, pod("p", "v1")).message
    state.remove(pod_named(state, "a").id)
    assert "volume(c)" in decide(state, pod("q", "v1")).message


INSISTING = csi_driver("ebs", preventPodSchedulingIfMissing=True)


@pytest.mark.parametrize(
    ("gate", "members", "expected"),
    [
        pytest.param(True, [INSISTING], True, id="no CSINode"),
        pytest.param(True, [INSISTING, csi_node("n1", other=None)], True, id="not on this node"),
        pytest.param(True, [INSISTING, csi_node("n1", ebs=None)], False, id="installed"),
        pytest.param(True, [csi_driver("ebs")], False, id="the driver does not insist"),
        pytest.param(True, [], False, id="no CSIDriver"),
        pytest.param(False, [INSISTING], False, id="gate off"),
    ],
)
def test_a_missing_driver(gate, members, expected):
    by = scheduler(gates={"VolumeLimitScaling": gate})
    decision = decide(cluster(node("n1"), *DISKS, *members), pod("p", "v1"), by)
    text = "ebs CSI driver is not installed on the node"
    assert reasons(decision) == ({"n1": (text,)} if expected else {})


def test_of_several_missing_drivers_the_first_by_name_is_told():
    insisting = [csi_driver(name, preventPodSchedulingIfMissing=True) for name in ("ebs", "aaa")]
    other = disks("w", driver="aaa")
    by = scheduler(gates={"VolumeLimitScaling": True})
    decision = decide(cluster(node("n1"), *DISKS, *other, *insisting), pod("p", "v1", "w"), by)
    assert reasons(decision) == {"n1": ("aaa CSI driver is not installed on the node",)}


PORTWORX = "kubernetes.io/portworx-volume"


@pytest.mark.parametrize(
    ("version", "migrated", "expected"),
    [
        pytest.param(V1_36, "", True, id="1.36: counts on every node with a CSINode"),
        pytest.param(V1_34, "", False, id="1.34: not where the CSINode does not list it"),
        pytest.param(V1_34, PORTWORX, True, id="1.34: counts where it does"),
    ],
)
def test_portworx_volumes(version, migrated, expected):
    old, other = (
        (claim(name, volume=f"pv-{name}"), volume(f"pv-{name}", portworxVolume={"volumeID": name}))
        for name in ("old", "new")
    )
    limits = csi_node("n1", migrated, **{"pxd.portworx.com": 1})
    state = cluster(node("n1"), limits, *old, *other, pod("q", "old", on="n1"))
    decision = decide(state, pod("p", "new"), scheduler(version=version))
    assert reasons(decision) == ({"n1": (REASON,)} if expected else {})


def disabled(*points):
    off = {"disabled": [{"name": "*"}]}
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [
            {
                "plugins": {
                    "multiPoint": off,
                    "queueSort": {"enabled": [{"name": "PrioritySort"}]},
                    "bind": {"enabled": [{"name": "DefaultBinder"}]},
                    "postFilter": {"enabled": [{"name": "DefaultPreemption"}]},
                }
                | {point: {"enabled": [{"name": "NodeVolumeLimits"}]} for point in points}
            }
        ],
    }


def test_alone_it_refuses_a_missing_claim_itself():
    decision = decide(
        cluster(node("n1"), csi_node("n1")), pod("p", "gone"), scheduler(disabled("preFilter", "filter"))
    )
    assert reasons(decision) == {
        "n1": ('looking up PVC default/gone: persistentvolumeclaim "gone" not found',)
    }
    assert codes(decision) == {"UnschedulableAndUnresolvable"}


def test_without_its_pre_filter_it_still_follows_victims():
    state = cluster(node("n1"), csi_node("n1", ebs=2), *DISKS, *USERS)
    decision = decide(state, strong("v4"), scheduler(disabled("filter")))
    assert len(victims(decision)["n1"]) == 1
