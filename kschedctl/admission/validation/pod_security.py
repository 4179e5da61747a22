"""Rules for the security context of a pod, and for the namespaces that it shares with the host."""

from __future__ import annotations

import re

from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.validation.field import Field, Problems, in_range, one_of
from kschedctl.admission.validation.profiles import validate_apparmor, validate_seccomp
from kschedctl.admission.validation.syntax import MAX_ID
from kschedctl.admission.validation.windows import validate_windows_options

_SYSCTL_SEGMENT = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL = rf"({_SYSCTL_SEGMENT}[\./])*{_SYSCTL_SEGMENT}"
_MAX_SYSCTL = 253
_IPC_SYSCTLS = {
    *(f"kernel.{name}" for name in ("sem", "shm", "shmall", "shmmax", "shmmni", "shm_rmid_forced")),
    *(f"kernel.{name}" for name in ("msg", "msgmax", "msgmnb", "msgmni")),
}

_GROUP_CHANGES = ("Always", "OnRootMismatch")
_GROUP_POLICIES = ("Merge", "Strict")
_LABEL_CHANGES = ("MountOption", "Recursive")


def validate_pod_security(spec: Field, gates: AdmissionGates) -> Problems:
    """`spec.securityContext`, and whether processes are shared with containers or with the host."""
    context = spec["securityContext"]
    for name in ("fsGroup", "runAsUser", "runAsGroup"):
        yield from in_range(context[name], 0, MAX_ID)
    for group in context["supplementalGroups"].items:
        yield from in_range(group, 0, MAX_ID)
    if spec["shareProcessNamespace"].is_true and spec["hostPID"].is_true:
        owner = spec if gates.facts.shared_processes_are_told_at_spec else context
        at = owner["shareProcessNamespace"]
        yield at.invalid_as(True, "ShareProcessNamespace and HostPID cannot both be enabled")
    yield from _validate_sysctls(context["sysctls"], spec)
    yield from one_of(context["fsGroupChangePolicy"], _GROUP_CHANGES)
    yield from validate_seccomp(context["seccompProfile"])
    yield from validate_windows_options(context["windowsOptions"])
    yield from validate_apparmor(context["appArmorProfile"])
    yield from one_of(context["supplementalGroupsPolicy"], _GROUP_POLICIES)
    changes = _LABEL_CHANGES if gates.selinux_mount else _LABEL_CHANGES[1:]
    yield from one_of(context["seLinuxChangePolicy"], changes)


def _validate_sysctls(sysctls: Field, spec: Field) -> Problems:
    names: set[str] = set()
    for sysctl in sysctls.items:
        name = sysctl["name"]
        if not name.text:
            yield name.required()
        elif len(name.text) > _MAX_SYSCTL or not re.fullmatch(_SYSCTL, name.text):
            yield name.invalid(f"must have at most {_MAX_SYSCTL} characters and match regex ^{_SYSCTL}$")
        elif name.text in names:
            yield name.duplicate()
        namespace = _namespace(name.text)
        if namespace and spec[namespace].is_true:
            yield name.invalid(f"may not be specified when '{namespace}' is true")
        names.add(name.text)


def _namespace(sysctl: str) -> str | None:
    """The field that shares the namespace a kernel parameter belongs to."""
    separator = re.search("[./]", sysctl)
    if separator and separator[0] == "/":
        sysctl = sysctl.translate(str.maketrans("./", "/."))
    if sysctl in _IPC_SYSCTLS or sysctl.startswith("fs.mqueue."):
        return "hostIPC"
    return "hostNetwork" if sysctl.startswith("net.") else None


def validate_own_users(spec: Field, containers: list[Field], gates: AdmissionGates) -> Problems:
    """A pod with a user namespace of its own shares few others with the host."""
    if not spec["hostUsers"].is_false:
        return
    refused = "when `hostUsers` is false"
    if spec["hostNetwork"].is_true and not gates.user_namespaces_host_network:
        yield spec["hostNetwork"].forbidden(refused)
    for name in ("HostPID", "HostIPC"):
        if spec[f"h{name[1:]}"].is_true:
            yield spec[name].forbidden(refused)
    for container in containers:
        if container["volumeDevices"].items:
            yield container["volumeDevices"].forbidden(refused)
