import msgspec
import pytest
from storage_builders import REGION, ZONE, affinity, volume

from kschedctl.objects.meta import NodeSelector
from kschedctl.volumes.in_tree import (
    BETA_REGION,
    BETA_ZONE,
    PLUGIN_OF_PROVISIONER,
    TranslationError,
    handle_of,
    plugin_of,
    translated_affinity,
)

EBS = {"awsElasticBlockStore": {"volumeID": "vol-1"}}
PD = {"gcePersistentDisk": {"pdName": "pd-1"}}
EBS_ZONE = "topology.ebs.csi.aws.com/zone"
PD_ZONE = "topology.gke.io/zone"


def handle(labels=None, **source):
    made = volume("pv", labels=labels, **source)
    plugin = plugin_of(made.spec)
    assert plugin is not None
    return handle_of(plugin, made.spec, made.metadata.labels)


@pytest.mark.parametrize(
    ("source", "labels", "expected"),
    [
        pytest.param(EBS, {}, "vol-1", id="a bare EBS id stays"),
        pytest.param({"awsElasticBlockStore": {"volumeID": "disk"}}, {}, "disk", id="and is not checked"),
        pytest.param(
            {"awsElasticBlockStore": {"volumeID": "aws://eu-1a/vol-2"}},
            {},
            "vol-2",
            id="the path of an EBS URL",
        ),
        pytest.param(PD, {}, "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/pd-1", id="a PD without zone"),
        pytest.param(PD, {ZONE: "a-b-c"}, "projects/UNSPECIFIED/zones/a-b-c/disks/pd-1", id="a zonal PD"),
        pytest.param(
            PD, {BETA_ZONE: "x", ZONE: "y"}, "projects/UNSPECIFIED/zones/x/disks/pd-1", id="beta label first"
        ),
        pytest.param(
            PD, {BETA_ZONE: "", ZONE: "y"}, "projects/UNSPECIFIED/zones/y/disks/pd-1", id="unless it is empty"
        ),
        pytest.param(
            PD,
            {ZONE: "eu-w1-a__eu-w1-b"},
            "projects/UNSPECIFIED/regions/eu-w1/disks/pd-1",
            id="a regional PD",
        ),
        pytest.param({"azureDisk": {"diskURI": "u", "kind": "managed"}}, {}, "u", id="a managed Azure disk"),
        pytest.param({"cinder": {"volumeID": "c"}}, {}, "c", id="Cinder"),
        pytest.param({"portworxVolume": {"volumeID": "p"}}, {}, "p", id="Portworx"),
    ],
)
def test_handle(source, labels, expected):
    assert handle(labels, **source) == expected


@pytest.mark.parametrize(
    ("source", "labels", "text"),
    [
        pytest.param(
            {"awsElasticBlockStore": {"volumeID": "aws:///eu-1a/vol-2"}},
            {},
            "failed to translate Kubernetes ID to EBS Volume ID "
            "Invalid format for AWS volume (aws:///eu-1a/vol-2)",
            id="zone in the path of an EBS URL",
        ),
        pytest.param(
            {"awsElasticBlockStore": {"volumeID": "aws://["}},
            {},
            "failed to translate Kubernetes ID to EBS Volume ID "
            "Invalid disk name (aws://[): Invalid IPv6 URL",
            id="no URL",
        ),
        pytest.param(
            {"azureDisk": {"diskURI": "u"}},
            {},
            "kind(Shared) is not supported in csi migration",
            id="Azure disk without kind",
        ),
        pytest.param(
            PD,
            {ZONE: "eu-w1-a__b"},
            "failed to get region from zones: zone in unexpected format, "
            "expected: {locale}-{region}-{zone}, got: b",
            id="zone without three parts",
        ),
        pytest.param(
            PD,
            {ZONE: "us-1-a__eu-1-a"},
            "failed to get region from zones: multiple or no regions gotten from zones, "
            "got: map[eu-1:{} us-1:{}]",
            id="two regions",
        ),
    ],
)
def test_untranslatable(source, labels, text):
    with pytest.raises(TranslationError) as error:
        handle(labels, **source)
    assert str(error.value) == text


def selector(*terms):
    return msgspec.convert(affinity(*terms)["required"], NodeSelector)


@pytest.mark.parametrize(
    ("labels", "given", "expected"),
    [
        pytest.param({}, None, None, id="nothing to translate"),
        pytest.param({}, [{ZONE: "a"}], [{EBS_ZONE: "a"}], id="a GA zone key is renamed"),
        pytest.param({}, [{BETA_ZONE: "a"}], [{EBS_ZONE: "a"}], id="a beta zone key is renamed"),
        pytest.param(
            {},
            [{ZONE: "a", "disk": "ssd"}, {ZONE: "b"}],
            [{EBS_ZONE: "a", "disk": "ssd"}, {EBS_ZONE: "b"}],
            id="in all terms, other keys stay",
        ),
        pytest.param(
            {ZONE: "b__a__a"}, None, [{EBS_ZONE: ["a", "b"]}], id="a label alone becomes an expression"
        ),
        pytest.param({BETA_ZONE: "a"}, None, [{EBS_ZONE: "a"}], id="a beta label too"),
        pytest.param(
            {ZONE: "a"}, [{"disk": "ssd"}], [{"disk": "ssd", EBS_ZONE: "a"}], id="added to every term"
        ),
        pytest.param({ZONE: "b"}, [{ZONE: "a"}], [{EBS_ZONE: "a"}], id="an expression beats the label"),
        pytest.param({ZONE: " __ "}, None, None, id="a label of separators says nothing"),
        pytest.param(
            {}, [{BETA_ZONE: "a", BETA_REGION: "r"}], [{EBS_ZONE: "a", REGION: "r"}], id="the beta region too"
        ),
        pytest.param(
            {}, [{ZONE: "a", BETA_REGION: "r"}], [{EBS_ZONE: "a", BETA_REGION: "r"}], id="not with a GA zone"
        ),
    ],
)
def test_affinity_of_a_migrated_disk(labels, given, expected):
    spec = EBS if given is None else EBS | {"nodeAffinity": affinity(*given)}
    plugin = PLUGIN_OF_PROVISIONER["kubernetes.io/aws-ebs"]
    translated = translated_affinity(plugin, volume("pv", labels=labels, **spec))
    assert translated == (None if expected is None else selector(*expected))


def test_azure_disks_keep_their_affinity():
    made = volume("pv", zone="a", labels={ZONE: "b"}, azureDisk={"diskURI": "u", "kind": "Managed"})
    plugin = plugin_of(made.spec)
    assert plugin is not None
    assert translated_affinity(plugin, made) == selector({ZONE: "a"})


def test_a_volume_without_a_handle_has_no_affinity_either():
    made = volume("pv", gcePersistentDisk={"pdName": "p"}, labels={ZONE: "a__b"})
    with pytest.raises(TranslationError):
        translated_affinity(PLUGIN_OF_PROVISIONER["kubernetes.io/gce-pd"], made)
