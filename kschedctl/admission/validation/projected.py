"""Rules for volumes of files: items of ConfigMaps and Secrets, fields of the pod, tokens and certificates."""

from __future__ import annotations

from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.validation.environment import (
    FILE_FIELDS,
    validate_object_field,
    validate_resource_field,
)
from kschedctl.admission.validation.field import Field, Problems, required_text
from kschedctl.admission.validation.labels import validate_label_selector
from kschedctl.admission.validation.syntax import bundle_name_problems, file_mode, projected_path, signer_name
from kschedctl.objects.names import label_key_problems

_CONFLICT = "conflicting duplicate paths"
_KEY_TYPES = ("RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519")
_MAX_TOKEN_SECONDS = 2**32
_DAY = 24 * 3600
_MAX_ANNOTATIONS = 256 * 1024
_CERTIFICATE_PATHS = ("credentialBundlePath", "keyPath", "certificateChainPath")


def validate_items(items: Field) -> Problems:
    """Keys and the paths that their contents have."""
    for item in items.items:
        yield from _validate_item(item)


def _validate_item(item: Field) -> Problems:
    yield from required_text(item, "key", "path")
    yield from projected_path(item["path"])
    yield from file_mode(item["mode"])


def validate_pod_file(file: Field, supported: tuple[str, ...], gates: AdmissionGates) -> Problems:
    """A file with a field of the pod or a resource of a container."""
    yield from required_text(file, "path")
    yield from projected_path(file["path"])
    field, resource = file["fieldRef"], file["resourceFieldRef"]
    if field.is_set:
        yield from validate_object_field(field, supported, gates)
        if resource.is_set:
            yield file.invalid_as(
                "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"
            )
    elif resource.is_set:
        yield from validate_resource_field(resource, of_file=True)
    else:
        yield file.required("one of fieldRef and resourceFieldRef is required")
    yield from file_mode(file["mode"])


def validate_projected(volume: Field, gates: AdmissionGates) -> Problems:
    """A volume of several sources, no two of which have a file at one path."""
    yield from file_mode(volume["defaultMode"])
    taken: set[str] = set()
    for source in volume["sources"].items:
        yield from _validate_configs(source, volume, taken)
        for file in source["downwardAPI"]["items"].items:
            yield from validate_pod_file(source["downwardAPI"].replaced(file), FILE_FIELDS, gates)
            yield from _claim_path(volume, file["path"].text, file["path"].text, taken)
        if source["serviceAccountToken"].is_set:
            yield from _validate_token(source["serviceAccountToken"], volume)
        if source["clusterTrustBundle"].is_set:
            yield from _validate_bundle(source["clusterTrustBundle"], gates)
            path = source["clusterTrustBundle"]["path"].text
            yield from _claim_path(volume, path, path, taken, even_empty=True)
        if source["podCertificate"].is_set:
            yield from _validate_certificate(source["podCertificate"], volume, taken)
        if isinstance(source.value, dict) and sum(value is not None for value in source.value.values()) > 1:
            yield source.forbidden("may not specify more than 1 volume type per source")


def _claim_path(
    volume: Field, path: str, shown: str, taken: set[str], *, even_empty: bool = False
) -> Problems:
    """Take a path; one that is taken is told at the volume, with what has it as well."""
    if path in taken:
        yield volume.invalid_as(shown, _CONFLICT)
    elif path or even_empty:
        taken.add(path)


def _validate_configs(source: Field, volume: Field, taken: set[str]) -> Problems:
    for kind in ("secret", "configMap"):
        config = source[kind]
        if not config.is_set:
            continue
        yield from required_text(config, "name")
        for item in config["items"].items:
            yield from _validate_item(item)
            yield from _claim_path(volume, item["path"].text, config["name"].text, taken)


def _validate_token(token: Field, volume: Field) -> Problems:
    seconds, path = token["expirationSeconds"], token["path"]
    if seconds.is_set and seconds.number < 600:
        yield seconds.invalid("may not specify a duration less than 10 minutes")
    if seconds.number > _MAX_TOKEN_SECONDS:
        yield seconds.invalid("may not specify a duration larger than 2^32 seconds")
    # The API server tells the path at the volume.
    if not path.text:
        yield volume["path"].required()
    else:
        yield from projected_path(volume["path"].replaced(path))


def _validate_bundle(bundle: Field, gates: AdmissionGates) -> Problems:
    name, signer, selector = bundle["name"], bundle["signerName"], bundle["labelSelector"]
    if name.is_set and signer.is_set:
        yield bundle.invalid_as(_shown_bundle(bundle, gates), "only one of name and signerName may be used")
    elif name.is_set:
        if not name.text:
            yield name.required("must be a valid object name")
        yield from name.invalid_each(
            f"not a valid clustertrustbundlename: {problem}" for problem in bundle_name_problems(name.text)
        )
        if selector.is_set:
            yield selector.invalid("labelSelector must be unset if name is specified")
    elif signer.is_set:
        if not signer.text:
            yield signer.required("must be a valid signer name")
        yield from signer_name(signer)
        yield from validate_label_selector(selector, gates)
    else:
        yield bundle.required("either name or signerName must be specified")
    yield from required_text(bundle, "path")
    yield from projected_path(bundle["path"])


def _shown_bundle(bundle: Field, gates: AdmissionGates) -> dict[str, object]:
    """The source with the internal field names, which is how the API server prints it."""
    names = ("name", "signerName", "labelSelector", "optional")
    shown = {f"{name[0].upper()}{name[1:]}": bundle[name].value for name in names}
    user = {"User": bundle["user"].value} if gates.facts.projected_files_have_a_user else {}
    return {**shown, "Path": bundle["path"].text, **user}


def _validate_certificate(certificate: Field, volume: Field, taken: set[str]) -> Problems:
    yield from signer_name(certificate["signerName"])
    yield from _validate_user_annotations(certificate["userAnnotations"])
    if certificate["keyType"].text not in _KEY_TYPES:
        yield certificate["keyType"].unsupported(_KEY_TYPES)
    seconds = certificate["maxExpirationSeconds"]
    if seconds.is_set and seconds.number < 3600:
        yield seconds.invalid("if provided, maxExpirationSeconds must be >= 3600")
    domain = certificate["signerName"].text.partition("/")[0]
    longest = _DAY if f".{domain}".endswith(".kubernetes.io") else 91 * _DAY
    if seconds.number > longest:
        yield seconds.invalid(f"if provided, maxExpirationSeconds must be <= {longest}")
    paths = [certificate[name] for name in _CERTIFICATE_PATHS if certificate[name].text]
    for path in paths:
        yield from projected_path(path)
        yield from _claim_path(volume, path.text, path.text, taken)
    if not paths:
        yield certificate.required(
            "specify at least one of credentialBundlePath, keyPath, and certificateChainPath"
        )


def _validate_user_annotations(annotations: Field) -> Problems:
    size = 0
    for key, value in annotations.entries.items():
        size += len(key.encode()) + len(value.text.encode())
        at = Field(annotations.path, key.lower())
        problems = label_key_problems(key.lower())
        if not key:
            yield at.required()
        elif problems:
            yield from at.invalid_each(problems)
        elif "/" not in key:
            yield at.invalid('must be a domain-prefixed key (such as "acme.io/foo")')
    if size > _MAX_ANNOTATIONS:
        yield annotations.too_long(_MAX_ANNOTATIONS)
