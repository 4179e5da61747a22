"""Rules for environment variables and where their values come from."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.validation.field import Field, Problems
from kschedctl.admission.validation.labels import label_key
from kschedctl.admission.validation.syntax import (
    config_key,
    dns_label,
    no_backsteps,
    variable_name,
    without_dash_at_end,
)
from kschedctl.objects.names import dns_subdomain_problems
from kschedctl.objects.quantity import ZERO

_SUBSCRIPTED = re.compile(r"(.+?)\['(.*)'\]", re.DOTALL)
_LABEL_FIELDS = ("metadata.annotations", "metadata.labels")
_FIELDS: Final = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
"""Fields of the pod that a variable can have the value of, in order."""
FILE_FIELDS: Final = (
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
)
"""The same for a file."""
_KNOWN_FIELDS = {*_FIELDS, *_LABEL_FIELDS, "spec.restartPolicy", "spec.schedulerName", "status.phase"}

_RESOURCES = tuple(
    f"{kind}.{resource}"
    for kind in ("limits", "requests")
    for resource in ("cpu", "ephemeral-storage", "memory")
)
_HUGEPAGES = ("limits.hugepages-", "requests.hugepages-")
_SIZES = ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")
_SIZES_TEXT = f"only divisor's values {', '.join(_SIZES)} are supported with the"


def validate_environment(container: Field, gates: AdmissionGates) -> Problems:
    """The variables of a container, one by one and by whole sources."""
    for variable in container["env"].items:
        if not variable["name"].text:
            yield variable["name"].required()
        else:
            yield from variable_name(variable["name"])
        if variable["valueFrom"].is_set:
            yield from _validate_source(variable, gates)
    for source in container["envFrom"].items:
        if source["prefix"].text:
            yield from variable_name(source["prefix"])
        yield from _validate_whole_source(container["envFrom"], source)


def _validate_source(variable: Field, gates: AdmissionGates) -> Problems:
    source = variable["valueFrom"]
    rules: dict[str, Callable[[Field, AdmissionGates], Problems]] = {
        "fieldRef": validate_variable_field,
        "resourceFieldRef": lambda field, _: validate_resource_field(field, of_file=False),
        "configMapKeyRef": _validate_key,
        "secretKeyRef": _validate_key,
        "fileKeyRef": _validate_file_key,
    }
    given = [name for name in rules if source[name].is_set]
    for name in given:
        yield from rules[name](source[name], gates)
    if not given:
        names = list(rules) if gates.env_files else list(rules)[:-1]
        listed = ", ".join(f"`{name}`" for name in names[:-1])
        yield source.invalid_as("", f"must specify one of: {listed} or `{names[-1]}`")
    elif variable["value"].text:
        yield source.invalid_as("", "may not be specified when `value` is not empty")
    elif len(given) > 1:
        yield source.invalid_as("", "may not have more than one field specified at a time")


def validate_variable_field(selector: Field, gates: AdmissionGates) -> Problems:
    """A field of the pod as the value of a variable."""
    yield from validate_object_field(selector, _FIELDS, gates)


def validate_object_field(selector: Field, supported: tuple[str, ...], gates: AdmissionGates) -> Problems:
    """A selector of a field of the pod, one of those supported or one label or annotation."""
    version, field = selector["apiVersion"], selector["fieldPath"]
    if not field.text:
        yield field.required()
        return
    subscripted = _SUBSCRIPTED.fullmatch(field.text)
    if problem := _conversion_problem(version.text or "v1", field.text, subscripted):
        yield field.invalid(f"error converting fieldPath: {problem}")
    elif subscripted:
        key = subscripted[2].lower() if subscripted[1] == "metadata.annotations" else subscripted[2]
        yield from label_key(Field(selector.path, key), gates)
    else:
        path = "spec.nodeName" if field.text == "spec.host" else field.text
        if path not in supported:
            yield Field(field.path, path).unsupported(supported)


def _conversion_problem(version: str, path: str, subscripted: re.Match[str] | None) -> str:
    if version != "v1":
        return f"unsupported pod version: {version}"
    if subscripted:
        known = subscripted[1] in _LABEL_FIELDS
        return "" if known else f"field label does not support subscript: {path}"
    return "" if path in _KNOWN_FIELDS or path == "spec.host" else f"field label not supported: {path}"


def validate_resource_field(selector: Field, *, of_file: bool) -> Problems:
    """A request or limit of a container, and what it is divided by; a file says of which container."""
    resource = selector["resource"]
    if of_file and not selector["containerName"].text:
        yield selector["containerName"].required()
    elif not resource.text:
        yield resource.required()
    elif resource.text not in _RESOURCES and not resource.text.startswith(_HUGEPAGES):
        yield resource.unsupported(_RESOURCES)
    divisor = selector["divisor"]
    if divisor.quantity == ZERO:
        return
    shown, name = str(divisor.quantity), resource.text
    of = name.partition(".")[2]
    if of == "cpu" and name in _RESOURCES and shown not in ("1m", "1"):
        yield divisor.invalid_as(name, "only divisor's values 1m and 1 are supported with the cpu resource")
    sizes = {"memory": "memory", "ephemeral-storage": "local ephemeral storage"}
    kind = "hugepages" if name.startswith(_HUGEPAGES) else sizes.get(of) if name in _RESOURCES else None
    if kind and shown not in _SIZES:
        yield divisor.invalid_as(name, f"{_SIZES_TEXT} {kind} resource")


def _validate_key(selector: Field, _: AdmissionGates) -> Problems:
    yield from selector["name"].invalid_each(dns_subdomain_problems(selector["name"].text))
    if not selector["key"].text:
        yield selector["key"].required()
    else:
        yield from config_key(selector["key"])


def _validate_file_key(selector: Field, _: AdmissionGates) -> Problems:
    for name, rule in {"key": variable_name, "volumeName": dns_label, "path": no_backsteps}.items():
        if not selector[name].text:
            yield selector[name].required()
        else:
            yield from rule(selector[name])


def _validate_whole_source(sources: Field, source: Field) -> Problems:
    given = [source[name] for name in ("configMapRef", "secretRef") if source[name].is_set]
    for reference in given:
        name = reference["name"]
        if not name.text:
            yield name.required()
        else:
            yield from name.invalid_each(dns_subdomain_problems(without_dash_at_end(name.text)))
    if not given:
        yield sources.invalid_as("", "must specify one of: `configMapRef` or `secretRef`")
    elif len(given) > 1:
        yield sources.invalid_as("", "may not have more than one field specified at a time")


def validate_file_volumes(spec: Field, containers: list[Field]) -> Problems:
    """Variables from files need an emptyDir that the file is in."""
    volumes = {volume["name"].text: volume for volume in spec["volumes"].items}
    for container in containers:
        for variable in container["env"].items:
            reference = variable["valueFrom"]["fileKeyRef"]
            if not reference.is_set:
                continue
            name = reference["volumeName"]
            if name.text not in volumes:
                yield name.not_found()
            elif not volumes[name.text]["emptyDir"].is_set:
                yield name.invalid_as(name.text, "referenced volume must be of type emptyDir")
