"""Rules for volumes: one source each, and what each kind of source needs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.validation.claim_template import validate_claim_template
from kschedctl.admission.validation.containers import PULL_POLICIES
from kschedctl.admission.validation.environment import FILE_FIELDS
from kschedctl.admission.validation.field import (
    Field,
    Problems,
    in_range,
    one_of,
    one_of_or_default,
    required_text,
)
from kschedctl.admission.validation.projected import validate_items, validate_pod_file, validate_projected
from kschedctl.admission.validation.syntax import (
    descending_path,
    dns_label,
    dns_subdomain,
    file_mode,
    no_backsteps,
)
from kschedctl.objects.names import dns_subdomain_problems
from kschedctl.objects.quantity import ZERO

Rule = Callable[[Field, AdmissionGates], Problems]

_TWICE = "may not specify more than 1 volume type"
_PARTITION = "must be between 1 and 255, inclusive"
_HOST_PATHS = (
    *("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"),
)
_REGISTRY = "must be a host:port pair or multiple pairs separated by commas"
_CACHINGS = ("None", "ReadOnly", "ReadWrite")
_DISK_KINDS = ("Dedicated", "Managed", "Shared")
_MANAGED_DISK = (
    "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
)
_BLOB_DISK = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"
_INITIATORS: Final = {
    "iqn": re.compile(r"iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$", re.ASCII),
    "eui": re.compile(r"^eui.[A-Za-z0-9]{16}$"),
    "naa": re.compile(r"^naa.[A-Za-z0-9]{32}$"),
}


def validate_volumes(spec: Field, pod_name: str, gates: AdmissionGates, valid: dict[str, Field]) -> Problems:
    """All volumes of a pod: no name twice, one source each. A volume without a source is an emptyDir.

    Args:
        spec: `spec` of the pod.
        pod_name: its name, of which claims of ephemeral volumes have theirs.
        gates: what decides about sources.
        valid: is given the volumes without a problem, by name.
    """
    created = {f"{pod_name}-{v['name'].text}" for v in spec["volumes"].items if v["ephemeral"].is_set}
    for volume in spec["volumes"].items:
        name = volume["name"]
        problems = list(_validate_volume(volume, pod_name, gates))
        if name.text in valid:
            problems.append(name.duplicate())
        yield from problems
        if not problems:
            valid[name.text] = volume
        claim = volume["persistentVolumeClaim"]["claimName"]
        if claim.is_set and claim.text in created:
            yield claim.invalid("must not reference a PVC that gets created for an ephemeral volume")


def _validate_volume(volume: Field, pod_name: str, gates: AdmissionGates) -> Problems:
    name = volume["name"]
    given = [source for source in _SOURCES if volume[source].is_set]
    for source in given[:1]:
        yield from _SOURCES[source](volume[_PATHS_INSIDE.get(source, source)].replaced(volume[source]), gates)
        if source == "ephemeral" and pod_name and name.text:
            claim = f"{pod_name}-{name.text}"
            for problem in dns_subdomain_problems(claim):
                yield name.invalid(f'PVC name "{claim}": {problem}')
    for source in given[1:]:
        yield volume[_PATHS_OF_SECOND.get(source, source)].forbidden(_TWICE)
    yield from _validate_initiator_length(volume)
    if not name.text:
        yield name.required()
    else:
        yield from dns_label(name)


def _validate_initiator_length(volume: Field) -> Problems:
    name, source = volume["name"], volume["iscsi"]
    length = len(f"{name.text}:{source['targetPortal'].text}".encode())
    if source["initiatorName"].is_set and length > 64:
        yield name.invalid_as(
            name.text,
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "
            "iscsi.initiatorName is specified.",
        )


def _empty_dir(source: Field, _: AdmissionGates) -> Problems:
    if source["sizeLimit"].quantity < ZERO:
        yield source["sizeLimit"].forbidden("SizeLimit field must be a valid resource quantity")


def _host_path(source: Field, _: AdmissionGates) -> Problems:
    if not source["path"].text:
        yield source["path"].required()
        return
    yield from no_backsteps(source["path"])
    yield from one_of(source["type"], _HOST_PATHS)


def _git_repo(source: Field, _: AdmissionGates) -> Problems:
    yield from required_text(source, "repository")
    yield from descending_path(source["directory"])


def _disk(name: str) -> Rule:
    """The rule of a disk of a cloud, which has an id and maybe a partition."""

    def rule(source: Field, _: AdmissionGates) -> Problems:
        yield from required_text(source, name)
        if not 0 <= source["partition"].number <= 255:
            yield source["partition"].invalid(_PARTITION)

    return rule


def _secret(source: Field, _: AdmissionGates) -> Problems:
    yield from required_text(source, "secretName")
    yield from _files(source)


def _config_map(source: Field, _: AdmissionGates) -> Problems:
    yield from required_text(source, "name")
    yield from _files(source)


def _files(source: Field) -> Problems:
    yield from file_mode(source["defaultMode"])
    yield from validate_items(source["items"])


def _nfs(source: Field, _: AdmissionGates) -> Problems:
    yield from required_text(source, "server", "path")
    if not source["path"].text.startswith("/"):
        yield source["path"].invalid_as(source["path"].text, "must be an absolute path")


def _iscsi(source: Field, _: AdmissionGates) -> Problems:
    yield from required_text(source, "targetPortal", "iqn")
    if source["iqn"].text:
        yield from _initiator(source["iqn"])
    yield from in_range(source["lun"], 0, 255)
    chap = source["chapAuthDiscovery"].is_true or source["chapAuthSession"].is_true
    if chap and not source["secretRef"].is_set:
        yield source["secretRef"].required()
    if source["initiatorName"].is_set:
        yield from _initiator(source["initiatorname"].replaced(source["initiatorName"]))


def _initiator(name: Field) -> Problems:
    pattern = _INITIATORS.get(name.text[:3])
    if pattern is None:
        yield name.invalid("must be valid format starting with iqn, eui, or naa")
    elif not pattern.search(name.text):
        yield name.invalid("must be valid format")


def _needs(*names: str) -> Rule:
    """The rule of a source with fields that must not be empty, and no other rule."""

    def rule(source: Field, _: AdmissionGates) -> Problems:
        yield from required_text(source, *names)

    return rule


def _flocker(source: Field, _: AdmissionGates) -> Problems:
    name, uuid = source["datasetName"].text, source["datasetUUID"].text
    if not name and not uuid:
        yield source.required("one of datasetName and datasetUUID is required")
    if name and uuid:
        yield source.invalid_as("resource", "datasetName and datasetUUID can not be specified simultaneously")
    if "/" in name:
        yield source["datasetName"].invalid("must not contain '/'")


def _rbd(source: Field, _: AdmissionGates) -> Problems:
    yield from _monitors(source)
    yield from required_text(source, "image")


def _cephfs(source: Field, _: AdmissionGates) -> Problems:
    yield from _monitors(source)


def _monitors(source: Field) -> Problems:
    if not source["monitors"].items:
        yield source["monitors"].required()


def _cinder(source: Field, _: AdmissionGates) -> Problems:
    yield from required_text(source, "volumeID")
    yield from _secret_name(source["secretRef"])


def _secret_name(reference: Field) -> Problems:
    if reference.is_set:
        yield from required_text(reference, "name")


def _quobyte(source: Field, _: AdmissionGates) -> Problems:
    registry = source["registry"]
    if not registry.text:
        yield registry.required(_REGISTRY)
    elif len(source["tenant"].text.encode()) >= 65:
        yield source["tenant"].required("must be a UUID and may not exceed a length of 64 characters")
    else:
        for pair in registry.text.split(","):
            if not re.fullmatch(r"([^\[\]:]*|\[[^\[\]]*\]):[^:\[\]]*", pair):
                yield registry.invalid(_REGISTRY)
    yield from required_text(source, "volume")


def _downward_api(source: Field, gates: AdmissionGates) -> Problems:
    yield from file_mode(source["defaultMode"])
    for file in source["items"].items:
        # The API server does not tell which of the files.
        yield from validate_pod_file(source.replaced(file), FILE_FIELDS, gates)


def _fc(source: Field, _: AdmissionGates) -> Problems:
    names, ids, lun = source["targetWWNs"], source["wwids"], source["lun"]
    if not names.items and not ids.items:
        yield names.required("must specify either targetWWNs or wwids, but not both")
    if names.items and ids.items:
        yield names.invalid("targetWWNs and wwids can not be specified simultaneously")
    if names.items and not lun.is_set:
        yield lun.required("lun is required if targetWWNs is specified")
    elif names.items:
        yield from in_range(lun, 0, 255)


def _flex_volume(source: Field, _: AdmissionGates) -> Problems:
    yield from required_text(source, "driver")
    for key, option in source["options"].entries.items():
        domain = f".{key.partition('/')[0].lower()}"
        if domain.endswith((".kubernetes.io", ".k8s.io")):
            yield option.invalid_as(key, "kubernetes.io and k8s.io namespaces are reserved")


def _azure_disk(source: Field, _: AdmissionGates) -> Problems:
    yield from required_text(source, "diskName", "diskURI")
    yield from one_of(source["cachingMode"], _CACHINGS)
    yield from one_of(source["kind"], _DISK_KINDS)
    uri, managed = source["diskURI"], source["kind"].text == "Managed"
    if managed and not uri.text.startswith("/subscriptions/"):
        yield uri.unsupported((_MANAGED_DISK,))
    if not managed and not uri.text.startswith("https://"):
        yield uri.unsupported((_BLOB_DISK,))


def _storage_os(source: Field, _: AdmissionGates) -> Problems:
    name, namespace = source["volumeName"], source["volumeNamespace"]
    if not name.text:
        yield name.required()
    else:
        yield from dns_label(name)
    if namespace.text:
        yield from dns_label(namespace)
    yield from _secret_name(source["secretRef"])


def _csi(source: Field, gates: AdmissionGates) -> Problems:
    driver, secret = source["driver"], source["nodePublishSecretRef"]
    if not driver.text:
        yield driver.required()
    if driver.text or gates.facts.missing_driver_is_told_twice:
        if len(driver.text.encode()) > 63:
            yield driver.too_long(63)
        yield from driver.invalid_each(dns_subdomain_problems(driver.text.lower()))
    if secret.is_set:
        yield from required_text(secret, "name")
        if secret["name"].text:
            # The API server tells it at the source.
            yield from dns_subdomain(source["name"].replaced(secret["name"]))


def _ephemeral(source: Field, gates: AdmissionGates) -> Problems:
    template = source["volumeClaimTemplate"]
    if not template.is_set:
        yield template.required()
    else:
        yield from validate_claim_template(template, gates)


def _image(source: Field, _: AdmissionGates) -> Problems:
    yield from required_text(source, "reference")
    yield from one_of_or_default(source["pullPolicy"], PULL_POLICIES)


_SOURCES: Final[dict[str, Rule]] = {
    "emptyDir": _empty_dir,
    "hostPath": _host_path,
    "gitRepo": _git_repo,
    "gcePersistentDisk": _disk("pdName"),
    "awsElasticBlockStore": _disk("volumeID"),
    "secret": _secret,
    "nfs": _nfs,
    "iscsi": _iscsi,
    "glusterfs": _needs("endpoints", "path"),
    "flocker": _flocker,
    "persistentVolumeClaim": _needs("claimName"),
    "rbd": _rbd,
    "cinder": _cinder,
    "cephfs": _cephfs,
    "quobyte": _quobyte,
    "downwardAPI": _downward_api,
    "fc": _fc,
    "flexVolume": _flex_volume,
    "configMap": _config_map,
    "azureFile": _needs("secretName", "shareName"),
    "vsphereVolume": _needs("volumePath"),
    "photonPersistentDisk": _needs("pdID"),
    "portworxVolume": _needs("volumeID"),
    "azureDisk": _azure_disk,
    "storageos": _storage_os,
    "projected": validate_projected,
    "scaleIO": _needs("gateway", "system", "volumeName"),
    "csi": _csi,
    "ephemeral": _ephemeral,
    "image": _image,
}
"""Source -> its rule, in the order in which the API server looks at them; of several the first counts."""

_PATHS_INSIDE: Final = {"gcePersistentDisk": "persistentDisk"}
"""Source -> its name in the paths of what is inside, where that is another one."""
_PATHS_OF_SECOND: Final = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
"""The same for a source that is one too many."""
