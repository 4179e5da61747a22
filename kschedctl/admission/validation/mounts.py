"""Rules for what of the volumes a container mounts, as files or as block devices."""

from __future__ import annotations

from collections.abc import Mapping

from kschedctl.admission.validation.field import Field, Problems, one_of
from kschedctl.admission.validation.syntax import descending_path

_PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")
_BIND_OPTIONS = ("nodev", "noexec", "nosuid")
_RECURSIVE = ("Disabled", "Enabled", "IfPossible")


def validate_mounts(container: Field, volumes: Mapping[str, Field]) -> Problems:
    """Mounts and devices of a container; `volumes` are the valid ones of the pod, by name."""
    mounts, devices = container["volumeMounts"], container["volumeDevices"]
    privileged = container["securityContext"]["privileged"].is_true
    device_paths = {device["name"].text: device["devicePath"].text for device in devices.items}
    seen: set[str] = set()
    for mount in mounts.items:
        yield from _validate_mount(mount, volumes, device_paths, seen)
        yield from _validate_mount_details(mounts, mount, privileged=privileged)
        yield from _validate_bind_options(mount, volumes)
    yield from _validate_devices(devices, mounts, volumes)


def _validate_mount(
    mount: Field, volumes: Mapping[str, Field], device_paths: Mapping[str, str], seen: set[str]
) -> Problems:
    name, path = mount["name"], mount["mountPath"]
    if not name.text:
        yield name.required()
    if name.text not in volumes:
        yield name.not_found()
    if not path.text:
        yield path.required()
    if path.text in seen:
        yield path.invalid_as(path.text, "must be unique")
    seen.add(path.text)
    if name.text in device_paths:
        yield name.invalid_as(name.text, "must not already exist in volumeDevices")
    if path.text in device_paths.values():
        yield path.invalid_as(path.text, "must not already exist as a path in volumeDevices")


def _validate_mount_details(mounts: Field, mount: Field, *, privileged: bool) -> Problems:
    """What the API server tells of the whole list, not of the mount."""
    below, expression = mount["subPath"], mount["subPathExpr"]
    if below.text:
        yield from descending_path(Field(f"{mounts.path}.subPath", below.value))
    if expression.text:
        if below.text:
            yield expression.invalid("subPathExpr and subPath are mutually exclusive")
        yield from descending_path(Field(f"{mounts.path}.subPathExpr", expression.value))
    propagation = Field(f"{mounts.path}.mountPropagation", mount["mountPropagation"].value)
    yield from one_of(propagation, _PROPAGATIONS)
    if propagation.text == "Bidirectional" and not privileged:
        yield propagation.forbidden(
            "Bidirectional mount propagation is available only to privileged containers"
        )
    recursive = Field(f"{mounts.path}.recursiveReadOnly", mount["recursiveReadOnly"].value)
    if recursive.text in ("Enabled", "IfPossible"):
        if not mount["readOnly"].is_true:
            yield recursive.forbidden("may only be specified when readOnly is true")
        if propagation.is_set and propagation.text != "None":
            yield recursive.forbidden("may only be specified when mountPropagation is None or not specified")
    yield from one_of(recursive, _RECURSIVE)


def _validate_bind_options(mount: Field, volumes: Mapping[str, Field]) -> Problems:
    options = mount["bindMountOptions"]
    seen: set[str] = set()
    for option in options.items:
        if option.text in seen:
            yield option.duplicate()
        yield from one_of(option, _BIND_OPTIONS)
        seen.add(option.text)
    volume = volumes.get(mount["name"].text)
    if options.items and volume is not None and volume["image"].is_set:
        yield options.invalid("bindMountOptions may not be used with image volumes")


def _validate_devices(devices: Field, mounts: Field, volumes: Mapping[str, Field]) -> Problems:
    mount_paths = {mount["name"].text: mount["mountPath"].text for mount in mounts.items}
    names: set[str] = set()
    paths: set[str] = set()
    for device in devices.items:
        name, path = device["name"], device["devicePath"]
        volume = volumes.get(name.text)
        if not name.text:
            yield name.required()
        if name.text in names:
            yield name.invalid_as(name.text, "must be unique")
        if volume is None:
            yield name.not_found()
        elif not volume["persistentVolumeClaim"].is_set and not volume["ephemeral"].is_set:
            yield name.invalid(
                "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
            )
        if not path.text:
            yield path.required()
        if path.text in paths:
            yield path.invalid_as(path.text, "must be unique")
        if ".." in path.text.split("/"):
            yield path.invalid("can not contain backsteps ('..')")
        else:
            paths.add(path.text)
        if name.text in mount_paths:
            yield name.invalid_as(name.text, "must not already exist in volumeMounts")
        if path.text in mount_paths.values():
            yield path.invalid_as(path.text, "must not already exist as a path in volumeMounts")
        if name.text:
            names.add(name.text)
