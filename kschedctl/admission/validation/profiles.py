"""Rules for seccomp and AppArmor profiles, as fields and as the annotations that came before them."""

from __future__ import annotations

from collections.abc import Mapping

from kschedctl.admission.validation.field import Field, Problems
from kschedctl.admission.validation.syntax import descending_path
from kschedctl.objects.go import quote

_TYPES = ("Localhost", "RuntimeDefault", "Unconfined")
_LOCALHOST = "localhost/"
_SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/"
_SECCOMP_DEFAULTS = ("runtime/default", "docker/default")
_APPARMOR = "container.apparmor.security.beta.kubernetes.io/"
_MAX_PATH = 4095


def validate_seccomp(profile: Field) -> Problems:
    """A seccomp profile, where there is one."""
    if not profile.is_set:
        return
    kind, local = profile["type"], profile["localhostProfile"]
    if not kind.text:
        yield kind.required("type is required when seccompProfile is set")
    elif kind.text not in _TYPES:
        yield kind.unsupported(_TYPES)
    if kind.text == "Localhost":
        if not local.is_set:
            yield local.required("must be set when seccomp type is Localhost")
        else:
            yield from descending_path(local)
    elif local.is_set:
        shown = {"Type": kind.text, "LocalhostProfile": local.value}
        yield local.invalid_as(shown, "can only be set when seccomp type is Localhost")


def validate_apparmor(profile: Field) -> Problems:
    """An AppArmor profile, where there is one."""
    if not profile.is_set:
        return
    kind, local = profile["type"], profile["localhostProfile"]
    if kind.text == "Localhost":
        if not local.is_set:
            yield local.required("must be set when AppArmor type is Localhost")
            return
        if local.text != local.text.strip():
            yield local.invalid("must not be padded with whitespace")
        elif not local.text:
            yield local.required("must be set when AppArmor type is Localhost")
        if len(local.text.encode()) > _MAX_PATH:
            yield local.too_long(_MAX_PATH)
    elif kind.text in _TYPES:
        if local.is_set:
            yield local.invalid("can only be set when AppArmor type is Localhost")
    elif not kind.text:
        yield kind.required("type is required when appArmorProfile is set")
    else:
        yield kind.unsupported(_TYPES)


def is_profile(key: str) -> bool:
    """Whether an annotation holds a profile."""
    return key == _SECCOMP_POD or key.startswith((_SECCOMP_CONTAINER, _APPARMOR))


def validate_profile_annotations(annotations: Field, container_names: set[str]) -> Problems:
    """Profiles in annotations, each by itself."""
    entries = annotations.entries
    if _SECCOMP_POD in entries:
        yield from _validate_seccomp_annotation(annotations[_SECCOMP_POD])
    for key in entries:
        if key.startswith(_SECCOMP_CONTAINER):
            yield from _validate_seccomp_annotation(annotations[key])
    for key, entry in entries.items():
        if not key.startswith(_APPARMOR):
            continue
        name, profile = key.removeprefix(_APPARMOR), entry.text
        if name not in container_names:
            yield entry.invalid_as(name, "container not found")
        if profile not in ("", "runtime/default", "unconfined") and not profile.startswith(_LOCALHOST):
            yield entry.invalid(f"invalid AppArmor profile name: {quote(profile)}")


def _validate_seccomp_annotation(annotation: Field) -> Problems:
    profile = annotation.text
    if profile in (*_SECCOMP_DEFAULTS, "unconfined"):
        return
    if profile.startswith(_LOCALHOST):
        yield from descending_path(Field(annotation.path, profile.removeprefix(_LOCALHOST)))
    else:
        yield annotation.invalid("must be a valid seccomp profile")


def validate_annotations_match(
    spec: Field, annotations: Mapping[str, str], containers: list[Field]
) -> Problems:
    """Where a profile is both a field and an annotation, the two must say the same."""
    if _SECCOMP_POD in annotations:
        yield from _match(
            spec["securityContext"]["seccompProfile"], annotations[_SECCOMP_POD], "seccomp", _SECCOMP_DEFAULTS
        )
    for container in containers:
        key = _SECCOMP_CONTAINER + container["name"].text
        if key in annotations:
            profile = container["securityContext"]["seccompProfile"]
            yield from _match(profile, annotations[key], "seccomp", _SECCOMP_DEFAULTS)
    if spec["os"]["name"].text == "windows":
        return
    for container in containers:
        key = _APPARMOR + container["name"].text
        own, of_pod = (
            container["securityContext"]["appArmorProfile"],
            spec["securityContext"]["appArmorProfile"],
        )
        if key in annotations:
            profile = own if own.is_set else Field(own.path, of_pod.value)
            yield from _match(profile, annotations[key], "apparmor", ("runtime/default",))


def _match(profile: Field, annotation: str, what: str, defaults: tuple[str, ...]) -> Problems:
    kind, local = profile["type"], profile["localhostProfile"]
    accepted = {"Unconfined": ("unconfined",), "RuntimeDefault": defaults}
    if kind.text in accepted:
        if annotation not in accepted[kind.text]:
            yield kind.forbidden(f"{what} type in annotation and field must match")
    elif kind.text == "Localhost":
        if not annotation.startswith(_LOCALHOST):
            yield kind.forbidden(f"{what} type in annotation and field must match")
        elif local.value != annotation.removeprefix(_LOCALHOST):
            yield local.forbidden(f"{what} profile in annotation and field must match")
