"""TopologyPlacementGenerator: a placement for each value of a topology label (spec 07 §6.1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.placement import GroupScope, Placement
from kschedctl.framework.plugin import Plugin
from kschedctl.framework.plugin_spec import PluginSpec
from kschedctl.framework.status import Code, Status

_UNKNOWN = "cannot determine domain for already scheduled pods: "


class TopologyPlacementGenerator(Plugin[None, None]):
    """kube-scheduler tries the placements in the order of a hash map; here they come by name."""

    spec = PluginSpec(
        name="TopologyPlacementGenerator",
        points=frozenset({ExtensionPoint.PLACEMENT_GENERATE}),
    )

    def generate_placements(
        self, group: GroupScope, cluster: ClusterState, rows: npt.NDArray[np.int64]
    ) -> tuple[Placement, ...] | Status:
        """The domains of the group's key; the one of members that are on a node already, if there are any."""
        key = group.topology_key
        if key is None:
            return (Placement("", rows),)
        own = _domain_of(group.scheduled, key, cluster)
        if isinstance(own, Status):
            return own
        domains: dict[str, list[int]] = {}
        for row in rows.tolist():
            domain = cluster.nodes.labels(row).get(key)
            if domain is not None and own in (None, domain):
                domains.setdefault(domain, []).append(row)
        return tuple(Placement(name, np.array(domains[name], np.int64)) for name in sorted(domains))


def _domain_of(pods: Sequence[PodRecord], key: str, cluster: ClusterState) -> str | Status | None:
    found: str | None = None
    for pod in pods:
        row = int(cluster.pods.node[pod.id])
        if row < 0:
            name = pod.pod.node_name
            return _error(f'getting node for pod {pod.full_name}: nodeinfo not found for node name "{name}"')
        domain = cluster.nodes.labels(row).get(key)
        if domain is None:
            return _error(f"no topology domain found for pod {pod.full_name}")
        if found and found != domain:
            return _error(f"more than 1 domain found for pod group: {found}, {domain}")
        found = domain
    return found


def _error(text: str) -> Status:
    return Status(Code.ERROR, (_UNKNOWN + text,))
