import pytest
from storage_builders import inline, pod

from kschedctl.volumes.legacy_disks import legacy_disks


def disk(**source):
    (found,) = legacy_disks(pod("p", inline(**source)).spec)
    return found


def rbd(monitors, **more):
    return {"rbd": {"monitors": monitors, "image": "i"} | more}


GCE, EBS = {"pdName": "d"}, {"volumeID": "d"}
ISCSI = {"iqn": "q", "targetPortal": "1.2.3.4", "lun": 0}
READ_ONLY = {"readOnly": True}


@pytest.mark.parametrize(
    ("one", "other", "conflict"),
    [
        pytest.param({"gcePersistentDisk": GCE}, {"gcePersistentDisk": GCE}, True, id="gce"),
        pytest.param(
            {"gcePersistentDisk": GCE | READ_ONLY},
            {"gcePersistentDisk": GCE | READ_ONLY},
            False,
            id="gce, read",
        ),
        pytest.param(
            {"gcePersistentDisk": GCE | READ_ONLY}, {"gcePersistentDisk": GCE}, True, id="one writes"
        ),
        pytest.param(
            {"gcePersistentDisk": GCE}, {"gcePersistentDisk": {"pdName": "e"}}, False, id="other gce"
        ),
        pytest.param(
            {"awsElasticBlockStore": EBS | READ_ONLY},
            {"awsElasticBlockStore": EBS | READ_ONLY},
            True,
            id="ebs, even if both read",
        ),
        pytest.param({"gcePersistentDisk": GCE}, {"awsElasticBlockStore": EBS}, False, id="other kind"),
        pytest.param(
            {"iscsi": ISCSI},
            {"iscsi": ISCSI | {"targetPortal": "x", "lun": 1}},
            True,
            id="iscsi by iqn alone",
        ),
        pytest.param({"iscsi": ISCSI | READ_ONLY}, {"iscsi": ISCSI | READ_ONLY}, False, id="iscsi, read"),
        pytest.param(rbd(["a", "b"]), rbd(["b", "c"]), True, id="rbd with a common monitor"),
        pytest.param(rbd(["a"]), rbd(["b"]), False, id="rbd with other monitors"),
        pytest.param(rbd([]), rbd([]), False, id="rbd without monitors"),
        pytest.param(rbd(["a"]), rbd(["a"], pool="rbd"), True, id="the default pool"),
        pytest.param(rbd(["a"]), rbd(["a"], pool="p"), False, id="another pool"),
        pytest.param(rbd(["a"], readOnly=True), rbd(["a"], readOnly=True), False, id="rbd, read"),
    ],
)
def test_conflict(one, other, conflict):
    assert disk(**one).conflicts_with(disk(**other)) is conflict
    assert disk(**other).conflicts_with(disk(**one)) is conflict


def test_claims_and_other_volumes_are_no_legacy_disks():
    assert legacy_disks(pod("p", "c", inline(csi={"driver": "x"})).spec) == ()
