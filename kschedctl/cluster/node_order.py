"""The order in which the scheduler looks at nodes: round robin over zones (spec 01 §4)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from kschedctl.objects.well_known import BETA_REGION, BETA_ZONE, REGION, ZONE

T = TypeVar("T")
ZoneKey = tuple[str, str] | None

_ZONE_LABELS = (BETA_ZONE, ZONE)
_REGION_LABELS = (BETA_REGION, REGION)


def zone_key(labels: Mapping[str, str]) -> ZoneKey:
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
    zones: dict[ZoneKey, list[int]] = {}
    for position, node_labels in enumerate(labels):
        zones.setdefault(zone_key(node_labels), []).append(position)
    if len(zones) <= 1:
        return list(range(len(labels)))
    return _round_robin(zones.values())


def _round_robin(zones: Collection[Sequence[T]]) -> list[T]:
    longest = max(map(len, zones), default=0)
    return [nodes[turn] for turn in range(longest) for nodes in zones if turn < len(nodes)]


class NodeTree:
    """The nodes of a cluster that changes, by zone, and the list that the scheduler makes of them.

    A node that changes its zone goes to the end of the other one. The list is made anew only when nodes come or go.
    """

    def __init__(self, nodes: Iterable[tuple[str, Mapping[str, str]]] = ()) -> None:
        """Begin with nodes in order of addition: names and labels."""
        self._zones: dict[ZoneKey, list[str]] = {}
        self._zone_of: dict[str, ZoneKey] = {}
        self._order: list[str] = []
        for name, labels in nodes:
            self._put(name, zone_key(labels))
        self._list()

    @property
    def order(self) -> Sequence[str]:
        """Names in the order of the scheduler's snapshot."""
        return self._order

    def add(self, name: str, labels: Mapping[str, str]) -> None:
        """A node that is new."""
        self._put(name, zone_key(labels))
        self._list()

    def update(self, name: str, labels: Mapping[str, str], *, lists: bool = False) -> bool:
        """A node whose labels may have changed.

        Args:
            name: which node.
            labels: its labels now.
            lists: whether the list is not taken yet since a node came or went, so that it follows a change of zone.

        Returns:
            Whether the list is made anew.
        """
        zone = zone_key(labels)
        if zone == self._zone_of[name]:
            return False
        self._take(name)
        self._put(name, zone)
        if lists:
            self._list()
        return lists

    def remove(self, name: str) -> None:
        """A node that is gone."""
        self._take(name)
        self._list()

    def _put(self, name: str, zone: ZoneKey) -> None:
        self._zones.setdefault(zone, []).append(name)
        self._zone_of[name] = zone

    def _take(self, name: str) -> None:
        zone = self._zone_of.pop(name)
        self._zones[zone].remove(name)
        if not self._zones[zone]:
            del self._zones[zone]

    def _list(self) -> None:
        self._order = _round_robin(self._zones.values())
