"""Extended resources that devices provide where a node itself does not (spec 02 D.8, spec 05 §5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kschedctl.cluster.state import ClusterState
from kschedctl.framework.plugin import PluginContext
from kschedctl.objects.resource import DeviceClass

if TYPE_CHECKING:
    from kschedctl.dra.class_counts import ClassCounts


class DeviceBackedResources:
    """Which resources device classes back, as the gates have it."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._enabled = context.gates.enabled("DRAExtendedResource")

    def backs(self, resource: str, cluster: ClusterState) -> bool:
        """Whether nodes that lack a resource may have devices for it."""
        if not self._enabled or not cluster.objects.all(DeviceClass):
            return False
        from kschedctl.dra.cluster_devices import ClusterDevices  # loaded only where devices are

        return ClusterDevices.of(cluster).classes.backing(resource) is not None

    def counts(self, resource: str, cluster: ClusterState) -> ClassCounts | None:
        """The devices that stand for a resource on each node; None where no class backs it.

        Raises:
            UnsupportedError: the gates bring what is not evaluated, or a selector needs what is not there.
        """
        if not self._enabled or not cluster.objects.all(DeviceClass):
            return None
        from kschedctl.dra.classes import is_extended_resource
        from kschedctl.dra.cluster_devices import ClusterDevices
        from kschedctl.dra.features import from_gates

        if not is_extended_resource(resource):
            return None
        devices = ClusterDevices.of(cluster)
        device_class = devices.classes.backing(resource)
        if device_class is None:
            return None
        gates, facts = self._context.gates, self._context.facts
        ledger = devices.ledger(from_gates(gates.enabled, legacy=facts.allocator_of_1_34))
        return ledger.allocator.counts(device_class, cluster.nodes.objects)
