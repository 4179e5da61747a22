"""How many pods the nodes of a world can hold at a time, whatever goes: more equal ones need not be made."""

from __future__ import annotations

from collections.abc import Iterable

from kschedctl.admission.defaults import default_node
from kschedctl.framework.configuration.profile import SchedulerConfiguration
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.objects.node import Node
from kschedctl.objects.pod_requests import PODS, quantities
from kschedctl.plugins.node_resources_fit import NodeResourcesFit


def most_to_make(nodes: Iterable[Node], configuration: SchedulerConfiguration) -> int | None:
    """One pod more than nodes can hold at a time, by the number of pods that each may have.

    Of so many equal pods one is always left over. What it is told holds for any other that comes after it: it is tried
    in the same state of the cluster, is on no node either, and takes nothing away from pods that differ.

    Args:
        nodes: all that there will be.
        configuration: who places pods on them.

    Returns:
        The number; None where a profile does not mind how many pods a node has.
    """
    fit = NodeResourcesFit.spec.name
    if not all(fit in profile.plugins(ExtensionPoint.FILTER) for profile in configuration.profiles):
        return None
    return 1 + pods_for_all(nodes)


def pods_for_all(nodes: Iterable[Node]) -> int:
    """How many pods all nodes together say they take, whether or not a profile minds."""
    return sum(_pods_on(default_node(node)) for node in nodes)


def _pods_on(node: Node) -> int:
    room = quantities(node.status.allocatable).get(PODS)
    return 0 if room is None else max(room.value(), 0)
