"""No text that is not known to be harmless is left: every field of every type, and texts in device selectors."""

import json
from typing import Any

import msgspec
import pytest
from msgspec import inspect

from kschedctl.objects import resource
from kschedctl.objects.kinds import KINDS
from kschedctl.objects.pod_volumes import EphemeralVolumeSource
from kschedctl.objects.storage import PersistentVolumeClaim
from kschedctl.sources.redaction import redact_names
from kschedctl.sources.redaction.expressions import compared_texts, compares_alone, with_texts
from kschedctl.sources.redaction.harmless import KEPT, REPLACED, TOP_LEVEL, kept, opaque_fields, texts_of
from kschedctl.sources.redaction.rules import KEPT_KINDS
from kschedctl.sources.reduction import reduced
from kschedctl.sources.snapshot import Header, Snapshot

PRIVATE = "private"


def struct_types():
    """Every type in an object of some kind."""
    found: dict[type, None] = {}

    def walk(type_: inspect.Type) -> None:
        match type_:
            case inspect.StructType():
                if type_.cls not in found:
                    found[type_.cls] = None
                    for field in type_.fields:
                        walk(field.type)
            case inspect.UnionType():
                for option in type_.types:
                    walk(option)
            case inspect.VarTupleType() | inspect.ListType():
                walk(type_.item_type)
            case inspect.DictType():
                walk(type_.value_type)

    for kind in KINDS:
        walk(inspect.type_info(kind.type))
    return list(found)


def filled(type_: inspect.Type, field: str = "", *, harmless: bool = False) -> Any:
    """A value with something private in every text that is not kept, as deep as its type goes."""
    match type_:
        case inspect.StructType() if type_.cls in (resource.CelSelector, resource.DerivedAttribute):
            return type_.cls(expression=f'device.attributes["d"].x == "{PRIVATE}-expression"')
        case inspect.StructType() if type_.cls is EphemeralVolumeSource:
            claim = filled(inspect.type_info(PersistentVolumeClaim))
            return type_.cls(volume_claim_template=json.loads(msgspec.json.encode(claim)))
        case inspect.StructType():
            fields = {
                one.name: filled(one.type, one.name, harmless=one.name in kept(type_.cls))
                for one in type_.fields
            }
            return type_.cls(**fields)
        case inspect.UnionType():
            options = [one for one in type_.types if not isinstance(one, inspect.NoneType)]
            quantity = any(isinstance(one, inspect.FloatType) for one in options)
            best = next((one for one in options if isinstance(one, inspect.StructType)), options[0])
            return 1 if quantity else filled(best, field, harmless=harmless)
        case inspect.VarTupleType():
            return (filled(type_.item_type, field, harmless=harmless),)
        case inspect.ListType():
            return [filled(type_.item_type, field, harmless=harmless)]
        case inspect.DictType():
            return {"key": filled(type_.value_type, field, harmless=harmless)}
        case inspect.StrType():
            return "kept" if harmless else f"{PRIVATE}-{field.replace('_', '-')}"
        case inspect.AnyType() | inspect.CustomType():
            return f"{PRIVATE}-anything"
        case inspect.BoolType():
            return True
        case _:
            return 1


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
def test_nothing_private_is_left(kind):
    obj = filled(inspect.type_info(kind.type))
    found = redact_names(Snapshot(Header(), [reduced(obj)])).snapshot.objects[0]
    assert list(private_in(json.loads(msgspec.json.encode(found)))) == NAMES_THAT_STAY.get(kind.kind, [])


def private_in(value, path=""):
    """Where something private is left; uids tell nothing."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from [f"{path}.{key} (key)"] if PRIVATE in key else []
            yield from private_in(item, f"{path}.{key}")
    elif isinstance(value, list):
        for item in value:
            yield from private_in(item, path)
    elif isinstance(value, str) and PRIVATE in value and not path.endswith(".uid"):
        yield path


NAMES_THAT_STAY = {
    **{kind: [".metadata.name"] for kind in KEPT_KINDS},
    "StatefulSet": [".spec.volumeClaimTemplates.metadata.name"],
}
"""Pods and claims ask for classes by what they are, and for claims by the names that they have inside a pod."""


@pytest.mark.parametrize("type_", struct_types(), ids=lambda type_: type_.__name__)
def test_somebody_has_decided_about_each_field(type_):
    """What is opaque is opaque on purpose: a field that is new has to be added here or to one of the tables."""
    assert opaque_fields(type_) == OPAQUE.get(type_.__name__, frozenset())


def test_the_tables_name_fields_that_are_there():
    for table in (KEPT, REPLACED):
        for type_, fields in table.items():
            texts = texts_of(type_) | set(TOP_LEVEL)
            numbers = {name for name in fields if name.startswith(("max_", "min_"))}  # or percentages
            assert set(fields) - numbers <= texts, type_
    assert not any(set(KEPT.get(type_, ())) & set(fields) for type_, fields in REPLACED.items())


OPAQUE = {
    name: frozenset(fields)
    for name, fields in {
        "ObjectMeta": ("generate_name", "resource_version"),
        "ContainerPort": ("name",),
        "SchedulingGate": ("name",),
        "AzureDisk": ("disk_name",),
        "AzureFile": ("secret_name", "share_name"),
        "Iscsi": ("target_portal",),
        "Rbd": ("monitors", "image"),
        "VsphereVolume": ("volume_path",),
        "CsiPersistentVolumeSource": ("volume_attributes",),
        "LocalVolumeSource": ("path",),
        "HostPathVolumeSource": ("path",),
        "StorageClass": ("parameters",),
        "VolumeAttributesClass": ("parameters",),
        "WorkloadSpec": ("pod_group_templates", "composite_pod_group_templates"),
        "DeviceTaint": (),
        "ResourceQuotaSpec": ("scope_selector",),
    }.items()
}


@pytest.mark.parametrize(
    ("expression", "texts"),
    [
        pytest.param('device.attributes["d"].model == "a100"', ["a100"], id="a comparison"),
        pytest.param('device.attributes["d"]["model"] in ["a100", "h100"]', ["a100", "h100"], id="a list"),
        pytest.param('"a" in device.attributes["d"].models', ["a"], id="a list of a device"),
        pytest.param('"model" in device.attributes["d"]', [], id="the name of an attribute"),
        pytest.param(
            '"d" in device.attributes && has(device.attributes["d"].x)', [], id="the name of a domain"
        ),
        pytest.param('device.attributes[?"d"].?model.orValue("none") == "x"', ["none", "x"], id="optional"),
        pytest.param('device.driver == "d" || "d" == device.driver', [], id="the driver"),
        pytest.param('device.capacity["d"].m.compareTo(quantity("1Gi")) > 0', [], id="a quantity"),
        pytest.param('device.attributes["d"].v.isGreaterThan(semver("1.0.0"))', [], id="a version"),
        pytest.param("device.attributes['d'].model == 'x' // 'y'", ["x"], id="a comment"),
    ],
)
def test_texts_of_selectors(expression, texts):
    assert list(compared_texts(expression)) == texts
    assert compares_alone(expression)
    assert list(compared_texts(with_texts(expression, lambda text: f"<{text}>"))) == [
        f"<{text}>" for text in texts
    ]
    assert with_texts(expression, lambda text: text) == expression.partition("//")[0]


@pytest.mark.parametrize(
    "expression",
    [
        'device.attributes["d"].model.startsWith("a")',
        'device.attributes["d"].model.matches("a.*")',
        'device.attributes["d"].model + "x" == "ax"',
        'size(device.attributes["d"].model) == 3',
        'device.attributes["d"].model == r"a\\d"',
        'device.attributes["d"].model == "a\\"b"',
    ],
)
def test_selectors_that_look_into_texts(expression):
    assert not compares_alone(expression)


def slice_with(text):
    return msgspec.convert(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": "s"},
            "spec": {"driver": "d", "devices": [{"name": "g", "attributes": {"model": {"string": text}}}]},
        },
        next(kind.type for kind in KINDS if kind.kind == "ResourceSlice"),
    )


def class_with(expression):
    return msgspec.convert(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "DeviceClass",
            "metadata": {"name": "c"},
            "spec": {"selectors": [{"cel": {"expression": expression}}]},
        },
        next(kind.type for kind in KINDS if kind.kind == "DeviceClass"),
    )


def redacted_pair(expression):
    found = redact_names(Snapshot(Header(), [slice_with("a100"), class_with(expression)])).snapshot
    one, other = found.objects
    return (
        one.spec.devices[0].attributes["model"].string_value,
        other.spec.selectors[0].cel.expression,
        found.header,
    )


def test_attributes_and_selectors_get_the_same_names():
    text, expression, header = redacted_pair('device.attributes["d"].model == "a100"')
    assert (text, expression) == ("w0001", 'device.attributes["d"].model == "w0001"')
    assert header.notes == ()


def test_comments_are_dropped():
    kept = 'device.attributes["d"].x == "// a"'
    for expression in (
        f"{kept} // {PRIVATE}",
        f"// {PRIVATE}\n{kept}",
        f'{kept} && "a".size() == 1 // {PRIVATE}',
    ):
        assert PRIVATE not in redacted_pair(expression)[1]


def test_where_a_selector_looks_into_texts_they_stay_and_that_is_said():
    text, expression, header = redacted_pair('device.attributes["d"].model.startsWith("a")')
    assert (text, expression) == ("a100", 'device.attributes["d"].model.startsWith("a")')
    assert [note.code for note in header.notes] == ["device-texts-kept"]


def test_a_template_that_cannot_be_read_is_dropped():
    assert EphemeralVolumeSource().volume_claim_template == {}
