import pytest
from storage_builders import catalog, claim, inline, pod, storage_class, volume

from kschedctl.volumes.attachments import AttachmentError, MissingClaimError, attachments_of, may_attach
from kschedctl.volumes.in_tree import IN_TREE_PLUGINS

EBS = "ebs.csi.aws.com"


MIGRATED = frozenset(plugin.name for plugin in IN_TREE_PLUGINS if plugin.migrated)


def attached(*objects, volumes=("c",), strict=True, counted=MIGRATED):
    return attachments_of(pod("p", *volumes, uid="u"), catalog(*objects), counted, strict=strict)


def ebs_volume(volume_id="vol-1"):
    return volume("pv", awsElasticBlockStore={"volumeID": volume_id})


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        pytest.param([volume("pv", driver="d", handle="h")], {"d/h": "d"}, id="csi"),
        pytest.param([volume("pv", csi={"driver": "d"})], {}, id="csi without handle"),
        pytest.param([ebs_volume()], {f"{EBS}/vol-1": EBS}, id="in-tree, translated"),
        pytest.param([ebs_volume("aws://a/b/c")], {}, id="in-tree, untranslatable"),
        pytest.param([volume("pv", azureFile={"shareName": "s"})], {}, id="in-tree, never migrated"),
        pytest.param([volume("pv", hostPath={"path": "/"})], {}, id="other volumes"),
        pytest.param([], {}, id="no volume, no class"),
    ],
)
def test_bound_claim(objects, expected):
    assert attached(claim("c", "none", volume="pv"), *objects) == expected


@pytest.mark.parametrize(
    ("provisioner", "driver"),
    [
        pytest.param("d", "d", id="csi"),
        pytest.param("kubernetes.io/aws-ebs", EBS, id="in-tree"),
        pytest.param("kubernetes.io/azure-file", None, id="never migrated"),
        pytest.param("kubernetes.io/no-provisioner", "kubernetes.io/no-provisioner", id="none"),
    ],
)
def test_a_claim_without_volume_counts_for_its_class(provisioner, driver):
    found = attached(claim("c", "s"), storage_class("s", provisioner))
    assert list(found.values()) == ([driver] if driver else [])


def test_two_volumes_of_one_unbound_claim_are_one_attachment():
    assert len(attached(claim("c", "s"), storage_class("s", "d"), volumes=["c", "c"])) == 1


def test_a_claim_whose_volume_is_missing_counts_for_its_class():
    assert list(attached(claim("c", "s", volume="pv"), storage_class("s", "d")).values()) == ["d"]


def test_without_csi_node_in_tree_volumes_do_not_count():
    objects = (
        claim("c", "s", volume="pv"),
        ebs_volume(),
        claim("d", "t"),
        storage_class("t", "kubernetes.io/cinder"),
    )
    inline_disk = inline(awsElasticBlockStore={"volumeID": "vol-2"})
    assert attached(*objects, volumes=["c", "d", inline_disk], counted=frozenset()) == {}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        pytest.param(inline(awsElasticBlockStore={"volumeID": "vol-1"}), f"{EBS}/vol-1", id="ebs"),
        pytest.param(
            inline(gcePersistentDisk={"pdName": "p"}),
            "pd.csi.storage.gke.io/projects/UNSPECIFIED/zones/UNSPECIFIED/disks/p",
            id="gce",
        ),
        pytest.param(inline(csi={"driver": "d"}), None, id="csi inline never counts"),
        pytest.param(inline(vsphereVolume={"volumePath": "v"}), None, id="vsphere never counts"),
    ],
)
def test_inline_volumes(source, name):
    assert list(attached(volumes=[source])) == ([name] if name else [])


def test_an_untranslatable_inline_volume_fails():
    with pytest.raises(AttachmentError) as error:
        attached(volumes=[inline(azureDisk={"diskURI": "u"})])
    assert str(error.value) == (
        "converting volume(azureDisk) from inline to csi: kind(Shared) is not supported in csi migration"
    )


def test_a_missing_claim_fails_only_the_pod_to_be_placed():
    with pytest.raises(MissingClaimError) as error:
        attached()
    assert str(error.value) == 'looking up PVC default/c: persistentvolumeclaim "c" not found'
    assert attached(strict=False) == {}


@pytest.mark.parametrize("strict", [True, False])
def test_a_foreign_ephemeral_claim_fails(strict):
    with pytest.raises(AttachmentError) as error:
        attached(claim("p-s"), volumes=[{"name": "s", "ephemeral": {}}], strict=strict)
    assert str(error.value) == "PVC default/p-s was not created for pod default/p (pod is not owner)"


def test_a_claim_without_name_fails():
    with pytest.raises(AttachmentError, match="PersistentVolumeClaim had no name"):
        attached(volumes=[""])


@pytest.mark.parametrize(
    ("volumes", "expected"),
    [
        pytest.param(["c"], True, id="claim"),
        pytest.param([{"name": "s", "ephemeral": {}}], True, id="generic ephemeral"),
        pytest.param([inline(azureFile={})], True, id="in-tree, even if never counted"),
        pytest.param([inline(csi={"driver": "d"}), inline(emptyDir={})], False, id="csi inline and others"),
    ],
)
def test_may_attach(volumes, expected):
    assert may_attach(pod("p", *volumes)) is expected
