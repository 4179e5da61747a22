"""Pods that name their node: no scheduler sees them, the kubelet of that node admits or refuses them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Final

import numpy as np
from msgspec import Struct

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.configuration import SchedulerConfiguration, load_configuration
from kschedctl.framework.plugin import AnyPlugin, PluginContext
from kschedctl.framework.status import Detail
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.objects.pod_requests import is_extended_resource
from kschedctl.objects.tolerations import is_tolerated
from kschedctl.plugins.node_affinity import NodeAffinity
from kschedctl.plugins.node_ports import NodePorts
from kschedctl.plugins.node_resources_fit import TOO_MANY_PODS, NodeResourcesFit

_FILTERS: Final[tuple[type[AnyPlugin], ...]] = (NodeResourcesFit, NodeAffinity, NodePorts)
"""The filters of the scheduler that every kubelet applies, in its order and with default arguments."""
_INSUFFICIENT: Final = "Insufficient "
_GIVES_UP: Final = frozenset({"Job", "Node"})
"""Owners that do not make a Failed pod anew for ever: a job has its backoffLimit."""


class KubeletRefusal(Struct, frozen=True):
    """Why a pod is Failed as soon as it is bound.

    Attributes:
        reason: as in the status of the pod: `OutOfcpu`, `NodeAffinity` and so on.
        text: what is behind it.
    """

    reason: str
    text: str

    def __str__(self) -> str:
        return f"{self.reason}: {self.text}"


def is_made_anew(pod: Pod) -> bool:
    """Whether a controller puts another pod in the place of a refused one, as often as it is refused."""
    owner = pod.metadata.controller
    return owner is not None and owner.kind not in _GIVES_UP


class Kubelet:
    """What the kubelets of a cluster admit.

    Of the reasons for a refusal the first is told, as in the status of a pod. Volumes and devices are not looked at.

    Args:
        configuration: for the version and its gates; profiles are of the scheduler alone.
    """

    def __init__(self, configuration: SchedulerConfiguration) -> None:
        self._configuration = configuration

    @cached_property
    def _filters(self) -> list[AnyPlugin]:
        version, gates = self._configuration.version, self._configuration.gates
        (defaults,) = load_configuration(None, version, gates, self._configuration.registry).profiles
        return [made(PluginContext(version.facts, gates, defaults.args(made.spec.name))) for made in _FILTERS]

    def refusal(self, pod: PodRecord, cluster: ClusterState) -> KubeletRefusal | None:
        """Why the kubelet of its node refuses a pod, None where it admits it.

        Args:
            pod: one that states its node, and is on none.
            cluster: the cluster as it is when the pod is bound.
        """
        row = cluster.row_of(pod.pod.node_name)
        if row is None:
            return KubeletRefusal("NodeNotFound", f"node {pod.pod.node_name} is not in the cluster")
        return next(self._refusals(pod, cluster, row), None)

    def _refusals(self, pod: PodRecord, cluster: ClusterState, row: int) -> Iterator[KubeletRefusal]:
        rows, node = Rows(cluster, np.array([row])), cluster.nodes.objects[row]
        for plugin in self._filters:
            result = plugin.pre_filter(pod, cluster)
            if result.status is not None:
                yield KubeletRefusal(plugin.name, result.status.message)
                continue
            verdicts = None if result.skip else plugin.filter(result.state, rows)
            if verdicts is None or verdicts.codes is None:
                continue
            details = {d.reason: d for d in reversed(plugin.details(result.state, rows, 0))}
            for reason in verdicts.reasons_of(0):
                if not _is_of_the_cluster(reason, node):
                    yield KubeletRefusal(_name(plugin, reason), _text(reason, details.get(reason)))
        comparison = self._configuration.gates.enabled("TaintTolerationComparisonOperators")
        for taint in node.spec.taints:
            if taint.effect == "NoExecute" and not is_tolerated(
                pod.pod.spec.tolerations, taint, comparison=comparison
            ):
                value = f"={taint.value}" if taint.value else ""
                yield KubeletRefusal(
                    "TaintToleration", f"taint {taint.key}{value}:NoExecute is not tolerated"
                )


def _is_of_the_cluster(reason: str, node: Node) -> bool:
    """Whether a reason is about an extended resource that the node does not know: kubelets leave it to others."""
    resource = reason.removeprefix(_INSUFFICIENT)
    return is_extended_resource(resource) and resource not in node.status.allocatable


def _name(plugin: AnyPlugin, reason: str) -> str:
    if reason == TOO_MANY_PODS:
        return "OutOfpods"
    if reason.startswith(_INSUFFICIENT):
        return f"OutOf{reason.removeprefix(_INSUFFICIENT)}"
    return plugin.name


def _text(reason: str, detail: Detail | None) -> str:
    return reason if detail is None else detail.text
