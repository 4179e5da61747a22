"""Rules for Windows: its options, containers that are processes of the host, and what either system cannot have."""

from __future__ import annotations

import re

from kschedctl.admission.validation.field import Field, Problems
from kschedctl.objects.names import dns_subdomain_problems

_MAX_GMSA_KIB = 64
_MAX_DOMAIN = 256
_MAX_USER = 104
_NET_BIOS = re.compile(r'[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}')
_DOMAIN_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_DOMAIN = re.compile(rf"{_DOMAIN_LABEL}(?:\.{_DOMAIN_LABEL})*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NOT_OF_A_USER = re.compile(r'["/\\:;|=,+*?<>@\[\]]')

_SYSTEMS = ("linux", "windows")
_POD_FIELDS_OF_LINUX = (
    *("appArmorProfile", "seLinuxOptions"),
    *("seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls"),
    *("runAsUser", "runAsGroup", "supplementalGroups", "supplementalGroupsPolicy", "seLinuxChangePolicy"),
)
_CONTAINER_FIELDS_OF_LINUX = (
    *("appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities", "readOnlyRootFilesystem"),
    *("privileged", "allowPrivilegeEscalation", "procMount", "runAsUser", "runAsGroup"),
)


def validate_windows_options(options: Field) -> Problems:
    """`windowsOptions` of a pod or a container."""
    if not options.is_set:
        return
    name, spec, user = (
        options["gmsaCredentialSpecName"],
        options["gmsaCredentialSpec"],
        options["runAsUserName"],
    )
    if name.is_set:
        for problem in dns_subdomain_problems(name.text):
            yield name.invalid_pointer(problem)
    if spec.is_set:
        if not spec.text:
            yield spec.invalid_pointer("gmsaCredentialSpec cannot be an empty string")
        elif len(spec.text.encode()) > _MAX_GMSA_KIB * 1024:
            yield spec.invalid_pointer(f"gmsaCredentialSpec size must be under {_MAX_GMSA_KIB} KiB")
    if user.is_set:
        for detail in _user_problems(user.text):
            yield user.invalid_pointer(f"runAsUserName{detail}")


def _user_problems(text: str) -> list[str]:
    """What keeps a text from being the name of a user, after that of a domain and a backslash or alone."""
    if not text:
        return [" cannot be an empty string"]
    if _CONTROL.search(text):
        return [" cannot contain control characters"]
    if text.count("\\") > 1:
        return [" cannot contain more than one backslash"]
    domain, backslash, user = text.rpartition("\\")
    problems = []
    if len(domain.encode()) >= _MAX_DOMAIN:
        problems.append(f"'s Domain length must be under {_MAX_DOMAIN} characters")
    if backslash and not (_NET_BIOS.fullmatch(domain) or _DOMAIN.fullmatch(domain)):
        problems.append("'s Domain doesn't match the NetBios nor the DNS format")
    if not user:
        problems.append("'s User cannot be empty")
    elif len(user.encode()) > _MAX_USER:
        problems.append(f"'s User length must not be longer than {_MAX_USER} characters")
    if user and not user.strip(". "):
        problems.append("'s User cannot contain only periods or spaces")
    if _NOT_OF_A_USER.search(user):
        problems.append("""'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]""")
    return problems


def validate_host_processes(spec: Field, containers: list[Field]) -> Problems:
    """Containers that are processes of the host: all of them or none, and with its network."""
    of_pod = spec["securityContext"]["windowsOptions"]["hostProcess"]
    count = 0
    for container in containers:
        own = container["securityContext"]["windowsOptions"]["hostProcess"]
        if of_pod.is_set and own.is_set and of_pod.value != own.value:
            stated = str(of_pod.is_true).lower()
            yield own.invalid(f"pod hostProcess value must be identical if both are specified, was {stated}")
        count += own.is_true if own.is_set else of_pod.is_true
    if not count:
        return
    if count != len(containers):
        yield spec.invalid_as(
            "",
            "If pod contains any hostProcess containers then all containers must be HostProcess containers",
        )
    if not spec["hostNetwork"].is_true:
        yield spec["hostNetwork"].invalid_as(
            False, "hostNetwork must be true if pod contains any hostProcess containers"
        )


def validate_system(spec: Field, containers: list[Field]) -> Problems:
    """`spec.os`, and what a pod of that system cannot have."""
    system = spec["os"]["name"]
    if not system.text:
        yield system.required()
    elif system.text not in _SYSTEMS:
        yield Field(spec["os"].path, system.text).unsupported(_SYSTEMS)
    elif system.text == "linux":
        for owner in (spec, *containers):
            options = owner["securityContext"]["windowsOptions"]
            if options.is_set:
                yield options.forbidden("windows options cannot be set for a linux pod")
    else:
        yield from _validate_nothing_of_linux(spec, containers)


def _validate_nothing_of_linux(spec: Field, containers: list[Field]) -> Problems:
    given = [spec["securityContext"][name] for name in _POD_FIELDS_OF_LINUX]
    given += [spec["hostUsers"], spec["shareProcessNamespace"]]
    given += [spec[name] for name in ("hostPID", "hostIPC") if spec[name].is_true]
    given += [c["securityContext"][name] for c in containers for name in _CONTAINER_FIELDS_OF_LINUX]
    for field in given:
        if field.is_set and field.value != []:
            yield field.forbidden("cannot be set for a windows pod")
