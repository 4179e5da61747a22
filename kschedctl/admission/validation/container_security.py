"""Rules for the security context of a container."""

from __future__ import annotations

from typing import Any, Final

from kschedctl.admission.validation.field import Field, Problems, in_range
from kschedctl.admission.validation.profiles import validate_apparmor, validate_seccomp
from kschedctl.admission.validation.syntax import MAX_ID
from kschedctl.admission.validation.windows import validate_windows_options

_PROC_MOUNTS = ("Default", "Unmasked")
_FIELDS: Final[dict[str, str | dict[str, str]]] = {
    "Capabilities": {"Add": "add", "Drop": "drop"},
    "Privileged": "privileged",
    "SELinuxOptions": {"User": "user", "Role": "role", "Type": "type", "Level": "level"},
    "WindowsOptions": {
        "GMSACredentialSpecName": "gmsaCredentialSpecName",
        "GMSACredentialSpec": "gmsaCredentialSpec",
        "RunAsUserName": "runAsUserName",
        "HostProcess": "hostProcess",
    },
    "RunAsUser": "runAsUser",
    "RunAsGroup": "runAsGroup",
    "RunAsNonRoot": "runAsNonRoot",
    "ReadOnlyRootFilesystem": "readOnlyRootFilesystem",
    "AllowPrivilegeEscalation": "allowPrivilegeEscalation",
    "ProcMount": "procMount",
    "SeccompProfile": {"Type": "type", "LocalhostProfile": "localhostProfile"},
    "AppArmorProfile": {"Type": "type", "LocalhostProfile": "localhostProfile"},
}
"""The fields by the names inside the API server, which prints contexts with these -> their names in the API."""
_API_NAMES = {
    "Capabilities": "capabilities",
    "SELinuxOptions": "seLinuxOptions",
    "WindowsOptions": "windowsOptions",
    "SeccompProfile": "seccompProfile",
    "AppArmorProfile": "appArmorProfile",
}
_NEVER_ABSENT = ("User", "Role", "Type", "Level")
"""Fields that are empty texts where they are not given."""


def validate_container_security(context: Field, *, own_users: bool) -> Problems:
    """The security context, where there is one; `own_users` says that the pod has a user namespace of its own."""
    if not context.is_set:
        return
    yield from in_range(context["runAsUser"], 0, MAX_ID)
    yield from in_range(context["runAsGroup"], 0, MAX_ID)
    mount = context["procMount"]
    if mount.is_set and mount.text not in _PROC_MOUNTS:
        yield mount.unsupported(_PROC_MOUNTS)
    if mount.text == "Unmasked" and not own_users:
        yield mount.invalid("`hostUsers` must be false to use `Unmasked`")
    yield from validate_seccomp(context["seccompProfile"])
    if context["allowPrivilegeEscalation"].is_false:
        yield from _validate_no_escalation(context)
    yield from validate_windows_options(context["windowsOptions"])
    yield from validate_apparmor(context["appArmorProfile"])


def _validate_no_escalation(context: Field) -> Problems:
    refused = "cannot set `allowPrivilegeEscalation` to false and"
    if context["privileged"].is_true:
        yield context.invalid_as(_shown(context), f"{refused} `privileged` to true")
    for capability in context["capabilities"]["add"].texts:
        if capability == "CAP_SYS_ADMIN":
            yield context.invalid_as(_shown(context), f"{refused} `capabilities.Add` CAP_SYS_ADMIN")


def _shown(context: Field) -> dict[str, Any]:
    """The context with the internal field names, which is how the API server prints it."""
    shown: dict[str, Any] = {}
    for name, inner in _FIELDS.items():
        if isinstance(inner, str):
            shown[name] = context[inner].value
            continue
        owner = context[_API_NAMES[name]]
        fields = {key: None if owner[api].value == [] else owner[api].value for key, api in inner.items()}
        texts = {key: value or "" for key, value in fields.items() if key in _NEVER_ABSENT}
        shown[name] = fields | texts if owner.is_set else None
    return shown
