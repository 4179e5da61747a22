"""The order in which the scheduler looks at nodes: round robin over zones (spec 01 §4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_ZONE_LABELS = ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")
_REGION_LABELS = ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region")


def zone_key(labels: Mapping[str, str]) -> tuple[str, str] | None:
    """`(region, zone)` of a node, None where it has neither; the beta label wins wherever it is present."""
    zone, region = _first(labels, _ZONE_LABELS), _first(labels, _REGION_LABELS)
    return (region, zone) if zone or region else None


def _first(labels: Mapping[str, str], names: Sequence[str]) -> str:
    for name in names:
        if name in labels:
            return labels[name]
    return ""


def snapshot_order(labels: Sequence[Mapping[str, str]]) -> list[int]:
    """Positions of the nodes, given in order of addition, in the order of the scheduler's snapshot.

    The first node of each zone, zones in order of first appearance, then the second of each, and so on.
    """
    zones: dict[tuple[str, str] | None, list[int]] = {}
    for position, node_labels in enumerate(labels):
        zones.setdefault(zone_key(node_labels), []).append(position)
    if len(zones) <= 1:
        return list(range(len(labels)))
    longest = max(map(len, zones.values()))
    return [nodes[turn] for turn in range(longest) for nodes in zones.values() if turn < len(nodes)]
