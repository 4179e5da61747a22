"""Extended resources that devices provide where a node itself does not (spec 02 D.8, spec 05 §5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.state import ClusterState
from kschedctl.framework.plugin import PluginContext
from kschedctl.objects.pod_requests import is_extended_resource, is_scalar_resource
from kschedctl.objects.resource import DeviceClass
from kschedctl.plugins.node_offers import OfferIndex

if TYPE_CHECKING:
    from kschedctl.dra.class_counts import ClassCounts


Ints = npt.NDArray[np.int64]


class DeviceBackedResources:
    """Which resources device classes back, as the gates have it."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._enabled = context.gates.enabled("DRAExtendedResource")
        self._rules = context.facts.devices.extended
        self._offers = OfferIndex()

    def left_to_devices(self, requests: Mapping[str, int], cluster: ClusterState) -> frozenset[str]:
        """The resources of a pod that NodeResourcesFit does not look at on nodes that offer none by themselves.

        Args:
            requests: resource -> amount that the pod asks for.
            cluster: the cluster.
        """
        if not self._enabled:
            return frozenset()
        wanted = [name for name, amount in requests.items() if amount and is_scalar_resource(name)]
        if self._rules.scalars_pass_where_none_is_extended and not any(map(is_extended_resource, wanted)):
            return frozenset(wanted)
        return frozenset(name for name in wanted if self._is_backed(name, cluster))

    def offered(
        self, resource: str, total: Ints, cluster: ClusterState, nodes: Ints
    ) -> npt.NDArray[np.bool_]:
        """Nodes that offer a resource by themselves, bool (R,).

        Args:
            resource: its name.
            total: int64 (R,), what is allocatable of it.
            cluster: the cluster.
            nodes: int64 (R,), the rows of the nodes.
        """
        if not self._rules.an_entry_is_an_offer:
            return np.asarray(total != 0)
        offers = self._offers.of(cluster.nodes.objects, (resource,))
        listed = np.array([resource in offer for offer in offers.distinct], bool)
        found: npt.NDArray[np.bool_] = listed[offers.number[nodes]]
        return found

    def is_offered(self, resource: str, offer: Mapping[str, int]) -> bool:
        """Whether a node whose allocatable amounts are these offers a resource by itself."""
        return resource in offer if self._rules.an_entry_is_an_offer else bool(offer.get(resource))

    def _is_backed(self, resource: str, cluster: ClusterState) -> bool:
        if not cluster.objects.all(DeviceClass):
            return False
        from kschedctl.dra.cluster_devices import ClusterDevices  # loaded only where devices are

        return ClusterDevices.of(cluster).classes(self._rules).backing(resource) is not None

    def counts(self, resource: str, cluster: ClusterState) -> ClassCounts | None:
        """The devices that stand for a resource on each node in scores; None where none do.

        Raises:
            UnsupportedError: the gates bring what is not evaluated, or a selector needs what is not there.
        """
        if not (self._enabled and self._rules.scores_count_devices and cluster.objects.all(DeviceClass)):
            return None
        from kschedctl.dra import classes
        from kschedctl.dra.cluster_devices import ClusterDevices
        from kschedctl.dra.features import from_gates

        # A class backs a resource of any name, but scores look at those alone that it can stand for.
        if not classes.may_be_backed(resource):
            return None
        devices = ClusterDevices.of(cluster)
        device_class = devices.classes(self._rules).backing(resource)
        if device_class is None:
            return None
        features = from_gates(self._context.gates.enabled, self._context.facts.devices)
        return devices.ledger(features).allocator.counts(device_class, cluster.nodes.objects)
