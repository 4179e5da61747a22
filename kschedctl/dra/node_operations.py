"""Devices for which their driver leaves out what drivers do on the node (spec 06 §5.4)."""

from __future__ import annotations

from kschedctl.objects.node import Node
from kschedctl.objects.resource import AllocationResult

FEATURE = "DRAOptionalNodeOperations"
"""What nodes declare whose kubelet knows such devices."""


def declares_optional_operations(node: Node) -> bool:
    """Whether the kubelet of a node knows such devices."""
    return FEATURE in node.status.declared_features


def needs_optional_operations(allocation: AllocationResult | None) -> bool:
    """Whether such a device is allocated."""
    return allocation is not None and any(r.skip_node_operations for r in allocation.devices.results)
