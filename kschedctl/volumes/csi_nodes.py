"""What the CSINode objects say of each node, as columns over node rows (spec 04 §2.3, §3.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np

from kschedctl.objects.storage import CsiNode
from kschedctl.volumes.in_tree import COUNTED_PLUGINS, MIGRATED_PLUGINS_ANNOTATION, PORTWORX, InTreePlugin
from kschedctl.volumes.topology import Ints, Mask

NO_LIMIT: Final = np.iinfo(np.int64).min
"""Less than every count that the API can hold: a count below zero is a limit like any other."""

Counted: TypeAlias = frozenset[str]
"""Names of the in-tree plugins whose volumes count for their CSI driver."""


class CsiNodeColumns:
    """CSINode objects of N nodes, columns made when first asked for.

    Attributes:
        present: bool (N,), nodes that have a CSINode.
        limited: bool (N,), nodes with an attach limit for some driver.
    """

    def __init__(self, names: Sequence[str], csi_nodes: Mapping[str, CsiNode]) -> None:
        self._nodes = [csi_nodes.get(name) for name in names]
        self._limits = [_limits(node) for node in self._nodes]
        self.present = self._column([node is not None for node in self._nodes])
        self.limited = self._column([bool(limits) for limits in self._limits])
        self._limit_columns: dict[str, Ints] = {}
        self._migrated_columns: dict[str, Mask] = {}

    def _column(self, cells: list[bool]) -> Mask:
        return np.fromiter(cells, bool, len(cells))

    def limit(self, driver: str) -> Ints:
        """How many volumes of a driver each node attaches, int64 (N,), `NO_LIMIT` for any number."""
        known = self._limit_columns.get(driver)
        if known is None:
            cells = (limits.get(driver, NO_LIMIT) for limits in self._limits)
            known = self._limit_columns[driver] = np.fromiter(cells, np.int64, len(self._limits))
        return known

    def installed(self, driver: str) -> Mask:
        """Nodes on which a driver runs, bool (N,)."""
        return self._column([driver in _drivers(node) for node in self._nodes])

    def counted(self, *, portworx_by_annotation: bool) -> list[Counted]:
        """The in-tree plugins that count towards limits, by row: none without a CSINode.

        Args:
            portworx_by_annotation: whether Portworx counts only where the CSINode lists it, as in 1.34.
        """
        listed = self.migrated(PORTWORX) if portworx_by_annotation else np.ones(len(self._nodes), bool)
        return [
            (COUNTED_PLUGINS if with_portworx else COUNTED_PLUGINS - {PORTWORX.name})
            if node is not None
            else frozenset()
            for node, with_portworx in zip(self._nodes, listed, strict=True)
        ]

    def migrated(self, plugin: InTreePlugin) -> Mask:
        """Nodes that list an in-tree plugin as migrated, bool (N,); read-only."""
        known = self._migrated_columns.get(plugin.name)
        if known is None:
            known = self._column([plugin.name in _migrated_plugins(node) for node in self._nodes])
            self._migrated_columns[plugin.name] = known
        return known


def _drivers(node: CsiNode | None) -> set[str]:
    """Names of the drivers that run on a node."""
    return {driver.name for driver in node.spec.drivers} if node is not None else set()


def _limits(node: CsiNode | None) -> dict[str, int]:
    """Driver -> attach limit, of drivers that have one; a repeated driver counts as last written."""
    drivers = node.spec.drivers if node is not None else ()
    return {
        d.name: d.allocatable.count
        for d in drivers
        if d.allocatable is not None and d.allocatable.count is not None
    }


def _migrated_plugins(node: CsiNode | None) -> list[str]:
    annotations = node.metadata.annotations if node is not None else {}
    return annotations.get(MIGRATED_PLUGINS_ANNOTATION, "").split(",")
