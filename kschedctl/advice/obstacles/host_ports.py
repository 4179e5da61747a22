"""Host ports that are taken: the pod does without them."""

from __future__ import annotations

from collections.abc import Iterator

from kschedctl.advice.json_patch import Operation, remove
from kschedctl.advice.measure import Measure, PodPatch
from kschedctl.advice.situation import Ints, Situation


def host_ports(situation: Situation, rows: Ints) -> Iterator[Measure]:
    """The ports that are taken on some of the nodes, given up together."""
    taken_together: dict[tuple[int, ...], int] = {}
    conflicts = {port: situation.rows.port_conflicts(port)[rows] for port in situation.record.pod_class.ports}
    if not conflicts:
        return
    ports = list(conflicts)
    for at in range(len(rows)):
        wrong = tuple(i for i, port in enumerate(ports) if conflicts[port][at])
        taken_together[wrong] = taken_together.get(wrong, 0) + 1
    for wrong in sorted(taken_together, key=len)[:4]:
        given_up = {ports[i] for i in wrong}
        operations: list[Operation] = []
        on_host = False  # with hostNetwork every port is one of the host
        for key, group in (
            ("containers", situation.spec.containers),
            ("initContainers", situation.spec.init_containers),
        ):
            for c, container in enumerate(group):
                for p, port in enumerate(container.ports):
                    one = (port.host_ip or "0.0.0.0", port.protocol or "TCP", port.host_port)
                    if port.host_port and one in given_up:
                        written = situation.document["spec"][key][c]["ports"][p]
                        on_host |= "hostPort" not in written
                        if "hostPort" in written:
                            operations.append(remove("spec", key, c, "ports", p, "hostPort"))
        if on_host:
            operations.append(remove("spec", "hostNetwork"))
        told = " and ".join(f"{number}/{protocol}" for _, protocol, number in sorted(given_up))
        text = f"hostNetwork dropped (port {told})" if on_host else f"host port {told} dropped"
        yield Measure("host-port", text, (PodPatch(tuple(operations)),), size=len(given_up))
