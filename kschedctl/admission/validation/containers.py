"""Rules for containers, init containers and their ports."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from kschedctl.objects.names import dns_label_problems
from kschedctl.objects.pod import Container, ContainerPort, PodSpec

from .problems import Problems, duplicate, invalid, invalid_each, required, unsupported
from .resources import validate_container_resources

_PROTOCOLS = ("SCTP", "TCP", "UDP")
_RESTART_POLICIES = ("Always", "Never", "OnFailure")
_PORT_RANGE = "must be between 1 and 65535, inclusive"


def validate_containers(spec: PodSpec) -> Problems:
    """All containers: at least one, no name twice, no host port twice among those that run together."""
    claims = {claim.name for claim in spec.resource_claims}
    path = "spec.containers"
    if not spec.containers:
        yield required(path)
    names: set[str] = set()
    taken: set[str] = set()
    for i, container in enumerate(spec.containers):
        at = f"{path}[{i}]"
        yield from _validate_container(at, container, claims, names)
        yield from _validate_host_ports(at, container, taken)
        if spec.host_network:
            yield from _validate_network_ports(f"{at}.ports", container.ports)
    for i, container in enumerate(spec.init_containers):
        at = f"spec.initContainers[{i}]"
        yield from _validate_container(at, container, claims, names)
        yield from _validate_host_ports(at, container, set())


def _validate_container(
    path: str, container: Container, claims: Collection[str], names: set[str]
) -> Problems:
    name = container.name
    if not name:
        yield required(f"{path}.name")
    else:
        yield from invalid_each(f"{path}.name", name, dns_label_problems(name))
        if name in names:
            yield duplicate(f"{path}.name", name)
        names.add(name)
    if not container.image:
        yield required(f"{path}.image")
    yield from _validate_ports(f"{path}.ports", container.ports)
    yield from validate_container_resources(f"{path}.resources", container.resources, claims)
    yield from _validate_restart(path, container)


def _validate_restart(path: str, container: Container) -> Problems:
    policy = container.restart_policy
    if policy is not None and policy not in _RESTART_POLICIES:
        yield unsupported(f"{path}.restartPolicy", policy, _RESTART_POLICIES)
    if container.restart_policy_rules and policy is None:
        yield required(f"{path}.restartPolicy", "must specify restartPolicy when restart rules are used")


def _validate_ports(path: str, ports: Sequence[ContainerPort]) -> Problems:
    names: set[str] = set()
    for i, port in enumerate(ports):
        at = f"{path}[{i}]"
        if port.name:
            problems = _port_name_problems(port.name)
            yield from invalid_each(f"{at}.name", port.name, problems)
            if not problems and port.name in names:
                yield duplicate(f"{at}.name", port.name)
            names.add(port.name)
        if not port.container_port:
            yield required(f"{at}.containerPort")
        elif not _is_port(port.container_port):
            yield invalid(f"{at}.containerPort", port.container_port, _PORT_RANGE)
        if port.host_port and not _is_port(port.host_port):
            yield invalid(f"{at}.hostPort", port.host_port, _PORT_RANGE)
        if port.protocol not in _PROTOCOLS:
            yield unsupported(f"{at}.protocol", port.protocol, _PROTOCOLS)


def _validate_host_ports(path: str, container: Container, taken: set[str]) -> Problems:
    for i, port in enumerate(container.ports):
        if port.host_port:
            key = f"{port.protocol}/{port.host_ip}/{port.host_port}"
            if key in taken:
                yield duplicate(f"{path}.ports[{i}].hostPort", key)
            taken.add(key)


def _validate_network_ports(path: str, ports: Sequence[ContainerPort]) -> Problems:
    for i, port in enumerate(ports):
        if port.host_port != port.container_port:
            detail = "must match `containerPort` when `hostNetwork` is true"
            yield invalid(f"{path}[{i}].hostPort", port.host_port, detail)


def _is_port(number: int) -> bool:
    return 1 <= number <= 65535


def _port_name_problems(name: str) -> list[str]:
    problems = []
    if len(name) > 15:
        problems.append("must be no more than 15 bytes")
    if not re.fullmatch("[-a-z0-9]+", name):
        problems.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", name):
        problems.append("must contain at least one letter (a-z)")
    if "--" in name:
        problems.append("must not contain consecutive hyphens")
    if name.startswith("-") or name.endswith("-"):
        problems.append("must not begin or end with a hyphen")
    return problems
