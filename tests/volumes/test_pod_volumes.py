import pytest
from storage_builders import catalog, claim, inline, pod, storage_class

from kschedctl.volumes.pod_volumes import PodVolumes, UnusableClaim, VolumeClaimProblem, sort_claims

OBJECTS = (storage_class("wait"), storage_class("now", wait=False))
EPHEMERAL = {"name": "scratch", "ephemeral": {}}


def owned(uid):
    return {"ownerReferences": [{"kind": "Pod", "name": "p", "uid": uid, "controller": True}]}


def sorted_claims(*claims, volumes=("c",)):
    return sort_claims(pod("p", *volumes, uid="uid-p"), catalog(*OBJECTS, *claims))


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        pytest.param([], VolumeClaimProblem.MISSING, id="missing"),
        pytest.param([claim("c", namespace="other")], VolumeClaimProblem.MISSING, id="in another namespace"),
        pytest.param([claim("c", volume="pv", status={"phase": "Lost"})], VolumeClaimProblem.LOST, id="lost"),
        pytest.param(
            [claim("c", volume="pv", meta={"deletionTimestamp": "2026-01-01"})],
            VolumeClaimProblem.DELETED,
            id="being deleted, though bound",
        ),
        pytest.param([claim("c", "now")], VolumeClaimProblem.UNBOUND, id="immediate class"),
        pytest.param([claim("c", None)], VolumeClaimProblem.UNBOUND, id="no class"),
        pytest.param([claim("c", "absent")], VolumeClaimProblem.UNBOUND, id="class does not exist"),
        pytest.param(
            [claim("c", "wait", volume="pv", bound=False)],
            VolumeClaimProblem.UNBOUND,
            id="volume named by hand",
        ),
        pytest.param(
            [claim("c", "wait", volume="pv", bound=False, status={"phase": "Bound"})],
            VolumeClaimProblem.UNBOUND,
            id="the phase Bound says nothing",
        ),
    ],
)
def test_unusable(made, problem):
    found = sorted_claims(*made)
    assert isinstance(found, UnusableClaim)
    assert found.problem is problem


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        pytest.param([], VolumeClaimProblem.EPHEMERAL_MISSING, id="not made yet"),
        pytest.param([claim("p-scratch", volume="pv")], VolumeClaimProblem.NOT_OWNER, id="nobody's"),
        pytest.param(
            [claim("p-scratch", volume="pv", meta=owned("uid-q"))],
            VolumeClaimProblem.NOT_OWNER,
            id="another pod's",
        ),
        pytest.param([claim("p-scratch", volume="pv", meta=owned("uid-p"))], None, id="its own"),
    ],
)
def test_generic_ephemeral_volumes(made, problem):
    found = sorted_claims(*made, volumes=[EPHEMERAL])
    assert (found.problem if isinstance(found, UnusableClaim) else None) is problem


def test_bound_and_delayed_claims_keep_their_order():
    a, b, c = claim("a", volume="pv"), claim("b", "wait"), claim("c", volume="pv2")
    assert sorted_claims(a, b, c, volumes=["c", "b", "a", "b"]) == PodVolumes(bound=(c, a), delayed=(b, b))


def test_a_missing_claim_is_told_before_an_unbound_one():
    found = sorted_claims(claim("a", "now"), volumes=["a", "b"])
    assert isinstance(found, UnusableClaim)
    assert (found.problem, found.use.key.name) == (VolumeClaimProblem.MISSING, "b")


def test_the_class_annotation_wins_even_when_empty():
    annotated = {"annotations": {"volume.beta.kubernetes.io/storage-class": ""}}
    found = sorted_claims(claim("c", "wait", meta=annotated))
    assert isinstance(found, UnusableClaim)
    assert found.problem is VolumeClaimProblem.UNBOUND


def test_the_claim_wins_where_a_volume_is_both():
    both = inline(persistentVolumeClaim={"claimName": "c"}, ephemeral={})
    bound = claim("c", volume="pv")
    assert sorted_claims(bound, volumes=[both]) == PodVolumes(bound=(bound,))


def test_other_volumes_are_no_claims():
    assert sorted_claims(volumes=[inline(csi={"driver": "x"}), inline(configMap={})]) == PodVolumes()
