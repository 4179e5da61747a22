"""Rules for the ports of containers."""

from __future__ import annotations

from kschedctl.admission.validation.field import Field, Problems, one_of_or_default
from kschedctl.admission.validation.syntax import port_name_problems, port_number

_PROTOCOLS = ("SCTP", "TCP", "UDP")


def validate_ports(ports: Field) -> Problems:
    """The ports of a container; no name twice."""
    names: set[str] = set()
    for port in ports.items:
        name = port["name"]
        if problems := port_name_problems(name.text) if name.text else []:
            yield from name.invalid_each(problems)
        elif name.text in names:
            yield name.duplicate()
        elif name.text:
            names.add(name.text)
        if not port["containerPort"].number:
            yield port["containerPort"].required()
        else:
            yield from port_number(port["containerPort"])
        if port["hostPort"].number:
            yield from port_number(port["hostPort"])
        yield from one_of_or_default(port["protocol"], _PROTOCOLS)


def validate_host_ports(containers: Field, indexes: list[int]) -> Problems:
    """No host port twice among containers that run together; the API server tells their position among these."""
    taken: set[str] = set()
    for i, index in enumerate(indexes):
        for port in containers.items[index]["ports"].items:
            number = port["hostPort"].number
            if not number:
                continue
            key = f"{port['protocol'].text}/{port['hostIP'].text}/{number}"
            if key in taken:
                place = port["hostPort"].path.removeprefix(f"{containers.path}[{index}]")
                yield Field(f"{containers.path}[{i}]{place}").duplicate(key)
            taken.add(key)


def validate_network_ports(containers: Field) -> Problems:
    """With the network of the host a container has the ports of the host."""
    for container in containers.items:
        for port in container["ports"].items:
            host_port = port["hostPort"]
            if host_port.number != port["containerPort"].number:
                detail = "must match `containerPort` when `hostNetwork` is true"
                yield host_port.invalid_as(host_port.number, detail)
