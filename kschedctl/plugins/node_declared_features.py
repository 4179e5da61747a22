"""NodeDeclaredFeatures: features of the kubelet that a pod needs (spec 02 D.11)."""

from __future__ import annotations

import numpy as np

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import ClusterEvent, Interest
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin, PreFilterResult
from kschedctl.framework.plugin_spec import PluginSpec, Reads
from kschedctl.framework.status import Code, Detail
from kschedctl.framework.verdicts import Verdicts
from kschedctl.objects.node import Node
from kschedctl.objects.pod import PodSpec
from kschedctl.plugins.hints.nodes import feature_interests
from kschedctl.plugins.signatures import Fragments

REASON = "node(s) didn't match Pod's required features"
REASON_WITH_LIST = "node declared features check failed - unsatisfied requirements: "
_RESTART_ALL = "RestartAllContainersOnContainerExits"
_USER_NAMESPACE_HOST_NETWORK = "UserNamespacesHostNetworkSupport"
_BIND_MOUNT_OPTIONS = "VolumeBindMountOptions"


class NodeDeclaredFeatures(Plugin[tuple[str, ...], None]):
    """Rejects nodes that do not declare a feature that the pod's spec uses."""

    spec = PluginSpec(
        name="NodeDeclaredFeatures",
        points=frozenset({ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER}),
        reads=Reads.NODES,
        filter_state_missing='reading "PreFilterNodeDeclaredFeatures" from cycleState: not found',
    )

    def signature(self, pod: PodRecord, cluster: ClusterState) -> Fragments:
        """The features that the pod needs."""
        return {"Features": sorted(self._required(pod))}

    def interests(self) -> tuple[Interest, ...]:
        """Features that nodes declare, and other features that the pod needs."""
        return feature_interests(self._needs_others)

    def _needs_others(self, pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
        """Whether an update of the pod changes which features it needs."""
        return self._required(event.old) != self._required(event.new)

    def _required(self, pod: PodRecord) -> frozenset[str]:
        return required_features(pod.pod.spec) & self.context.facts.declared_features

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult[tuple[str, ...]]:
        """State: the required features, sorted. Skips where there are none."""
        required = tuple(sorted(self._required(pod)))
        return PreFilterResult(required, skip=not required)

    def filter(self, state: tuple[str, ...], rows: Rows) -> Verdicts:
        """Decide each distinct list of declared features once."""
        nodes = rows.cluster.nodes.objects
        decided = {
            features: self._missing(state, features) is not None
            for features in {node.status.declared_features for node in nodes}
        }
        lacking = np.fromiter((decided[n.status.declared_features] for n in nodes), bool, len(nodes))
        return Verdicts.reject(rows.column(lacking), Code.UNRESOLVABLE, self._reason(state))

    def _missing(self, required: tuple[str, ...], declared: tuple[str, ...]) -> str | None:
        """The first required feature that a node lacks, None where it has all."""
        known = self.context.facts.known_features
        if known is None:
            return next((name for name in required if name not in declared), None)
        return _missing_in_order(required, [name for name in declared if name in known])

    def _reason(self, required: tuple[str, ...]) -> str:
        """The upstream text; a version that lists features can only infer one."""
        if self.context.facts.declared_features_reason_lists_them:
            return f"{REASON_WITH_LIST}{', '.join(required)}"
        return REASON

    def details(self, state: tuple[str, ...], rows: Rows, row: int) -> tuple[Detail, ...]:
        """The feature that is missing."""
        node: Node = rows.node(row)
        missing = self._missing(state, node.status.declared_features)
        text = f"feature {missing} is not declared by the kubelet"
        return (Detail(self.name, self._reason(state), text, text),)


def required_features(spec: PodSpec) -> frozenset[str]:
    """Features that a pod needs on its node."""
    needed = set()
    containers = (*spec.containers, *spec.init_containers)
    if any(rule.action == "RestartAllContainers" for c in containers for rule in c.restart_policy_rules):
        needed.add(_RESTART_ALL)
    if spec.host_network and spec.host_users is False:
        needed.add(_USER_NAMESPACE_HOST_NETWORK)
    if any(mount.bind_mount_options for c in containers for mount in c.volume_mounts):
        needed.add(_BIND_MOUNT_OPTIONS)
    return frozenset(needed)


def _missing_in_order(required: tuple[str, ...], declared: list[str]) -> str | None:
    """The first one that a merge of both lists does not meet: an unsorted list can lose entries."""
    position = 0
    for want in required:
        while position < len(declared) and declared[position] < want:
            position += 1
        if position == len(declared) or declared[position] != want:
            return want
        position += 1
    return None
