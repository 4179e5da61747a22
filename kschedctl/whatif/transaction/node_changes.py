"""What a transaction can change of nodes: patched rows, and nodes that come."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping

import numpy as np
from msgspec.structs import replace

from kschedctl.admission.defaults import default_node
from kschedctl.errors import UsageError
from kschedctl.objects.node import Node, Taint
from kschedctl.whatif.session import Session
from kschedctl.whatif.transaction.diagnosis import Ints
from kschedctl.whatif.transaction.manifests import check_quantities
from kschedctl.whatif.world.node_edits import with_cordon, with_label, with_taint, without_taint


class NodeChanges(ABC):
    """The nodes of a cluster to try things on."""

    _session: Session

    @abstractmethod
    def _check_open(self) -> None:
        """Raise a UsageError where the transaction cannot be used."""

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of the nodes, in snapshot order."""
        cluster = self._session.cluster
        return tuple(cluster.nodes.names[row] for row in cluster.present.order.tolist())

    def node(self, name: str) -> Node:
        """A node as it is now."""
        return self._session.cluster.nodes.objects[self._row(name)]

    def change_node(self, name: str, change: Callable[[Node], Node]) -> None:
        """Put what `change` makes of a node in its place: a patched row, pods stay on it.

        Nobody is evicted, whatever taints come: `remove` who has to go.

        Raises:
            UsageError: there is no such node, or the result has another name or a bad quantity.
        """
        self._check_open()
        changed = default_node(change(self.node(name)))
        if changed.name != name:
            raise UsageError(
                f"node {name} cannot become node {changed.name}", hint="Remove it and add another."
            )
        check_quantities(changed)
        self._session.cluster.patch_nodes([changed])

    def cordon(self, name: str, cordoned: bool = True) -> None:
        """Let a node take no new pods, or take them again."""
        self.change_node(name, lambda node: with_cordon(node, cordoned))

    def taint(self, name: str, taint: Taint) -> None:
        """Give a node a taint, in the place of the one of its key and effect."""
        self.change_node(name, lambda node: with_taint(node, taint))

    def untaint(self, name: str, key: str, effect: str = "") -> None:
        """Take a taint off a node; without an effect, all of the key."""
        self.change_node(name, lambda node: without_taint(node, Taint(key=key, effect=effect)))

    def label(self, name: str, key: str, value: str | None) -> None:
        """Give a node a label, or take it off (None)."""
        self.change_node(name, lambda node: with_label(node, key, value))

    def set_allocatable(self, name: str, amounts: Mapping[str, str]) -> None:
        """Let a node have other amounts of some resources to give, as quantities: `{"cpu": "16"}`."""
        self.change_node(
            name,
            lambda node: replace(
                node, status=replace(node.status, allocatable={**node.status.allocatable, **amounts})
            ),
        )

    def add_node(self, node: Node) -> None:
        """Add a node, after the others; the node table is built anew.

        Raises:
            UsageError: there is one of its name, or a quantity of it is bad.
        """
        self._check_open()
        cluster = self._session.cluster
        if cluster.row_of(node.name) is not None:
            raise UsageError(f"there is a node {node.name} already")
        check_quantities(node)
        cluster.set_nodes([*cluster.nodes_by_addition(), default_node(node)])

    def _row(self, node: str) -> int:
        row = self._session.cluster.row_of(node)
        if row is None:
            raise UsageError(f"there is no node {node}")
        return row

    def _rows(self, nodes: Iterable[str] | None) -> Ints | None:
        """The rows of some nodes, int64 (n,), in snapshot order; None for all."""
        if nodes is None:
            return None
        order = self._session.cluster.present.order
        return order[np.isin(order, [self._row(name) for name in nodes])]
