"""Host ports that are taken: the pod does without them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kschedctl.advice.json_patch import Operation, remove
from kschedctl.advice.measure import Measure, PodPatch
from kschedctl.advice.situation import Ints, Situation
from kschedctl.cluster.ports import HostPort

_MOST_SETS: Final = 4


def host_ports(situation: Situation, rows: Ints) -> Iterator[Measure]:
    """The ports that are taken on some of the nodes, given up together."""
    conflicts = {port: situation.rows.port_conflicts(port)[rows] for port in situation.record.pod_class.ports}
    if not conflicts:
        return
    taken_together = dict.fromkeys(
        tuple(port for port, taken in conflicts.items() if taken[at]) for at in range(len(rows))
    )
    for ports in sorted(taken_together, key=len)[:_MOST_SETS]:
        yield _given_up(situation, set(ports))


def _given_up(situation: Situation, ports: set[HostPort]) -> Measure:
    """A pod without some of its host ports; of one with hostNetwork every port is one."""
    operations: list[Operation] = []
    on_host = False
    for key, at, place in _places(situation, ports):
        written = "hostPort" in situation.document["spec"][key][at]["ports"][place]
        on_host |= not written
        if written:
            operations.append(remove("spec", key, at, "ports", place, "hostPort"))
    if on_host:
        operations.append(remove("spec", "hostNetwork"))
    told = " and ".join(f"{number}/{protocol}" for _, protocol, number in sorted(ports))
    text = f"hostNetwork dropped (port {told})" if on_host else f"host port {told} dropped"
    return Measure("host-port", text, (PodPatch(tuple(operations)),), size=len(ports))


def _places(situation: Situation, ports: set[HostPort]) -> Iterator[tuple[str, int, int]]:
    """Where these host ports stand: the list of containers, the container in it, and the port of that."""
    spec = situation.spec
    for key, group in (("containers", spec.containers), ("initContainers", spec.init_containers)):
        for at, container in enumerate(group):
            for place, port in enumerate(container.ports):
                one = (port.host_ip or "0.0.0.0", port.protocol or "TCP", port.host_port)
                if port.host_port and one in ports:
                    yield key, at, place
