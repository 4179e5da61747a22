"""What the scheduler's snapshot says of images where that is not what the nodes say now (spec 02 D.10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from kschedctl.cluster.images import ImageSpread
from kschedctl.cluster.nodes import NodeTable
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.node import Node


class ImageStates:
    """Keeps what nodes that came, went or changed leave behind.

    The size of an image is that which the first node to have it reported, for as long as any node has it. How many
    nodes have it is copied to a node of the snapshot with the node itself, and that only when something about the
    node or its pods changes: the others have the old number until then.
    """

    def __init__(self) -> None:
        self._sizes: dict[str, int | None] = {}
        self._counts: dict[str, dict[str, int]] = {}
        self._touched: set[str] = set()
        self._taken = False
        self._news = False

    def touch(self, node: str) -> None:
        """Something about a node or its pods changed: the next snapshot copies it."""
        self._touched.add(node)

    def change(self, table: NodeTable, name: str, new: Node | None) -> None:
        """Take in that a node comes, changes or goes.

        Args:
            table: the nodes before that.
            name: which node.
            new: how it is then; None: gone.
        """
        row = table.row_of.get(name)
        old = () if row is None else _images_of(table.objects[row])
        after = () if new is None else _images_of(new)
        for image in dict.fromkeys((*old, *after)):
            spread = table.own_images.get(image)
            holders = [] if spread is None else [table.names[r] for r in spread.rows.tolist()]
            others = [holder for holder in holders if holder != name]
            if spread is None or not others:
                self._sizes[image] = None
                continue
            if row is not None:
                self._sizes[image] = self._size_of(image, spread)
            if self._taken and (image in old) != (image in after):
                counts = self._counts.setdefault(image, {})
                for holder in others:
                    counts.setdefault(holder, len(holders))
        self._touched.add(name)
        self._news = True

    def take_snapshot(self, cluster: ClusterState) -> None:
        """Let the nodes of a cluster have the images that the scheduler sees at the beginning of a cycle."""
        self._taken = True
        if self._touched and self._counts:
            for image in list(self._counts):
                self._drop(image)
        self._touched.clear()
        if self._news:
            self._news = False
            cluster.see_images(self._seen(cluster.nodes))

    def _drop(self, image: str) -> None:
        """Forget the old numbers of nodes that are copied anew."""
        counts = self._counts[image]
        for node in self._touched & counts.keys():
            del counts[node]
            self._news = True
        if not counts:
            del self._counts[image]

    def _seen(self, table: NodeTable) -> Mapping[str, ImageSpread]:
        """The images that are seen in another way than the nodes say."""
        seen = {}
        for image in self._sizes.keys() | self._counts.keys():
            spread = table.own_images.get(image)
            if spread is None:
                continue
            size, old, counts = self._size_of(image, spread), self._counts.get(image), None
            if old:
                known = (old.get(table.names[row], len(spread.rows)) for row in spread.rows.tolist())
                counts = np.fromiter(known, np.int64)
            if old or size != spread.size:
                seen[image] = ImageSpread(spread.rows, spread.sizes, size, counts)
        return seen

    def _size_of(self, image: str, spread: ImageSpread) -> int:
        """The size that counts: that which was reported since the last time that no node had the image."""
        known = self._sizes.get(image, spread.size)
        return int(spread.sizes[0]) if known is None else known


def _images_of(node: Node) -> Iterable[str]:
    return tuple(dict.fromkeys(name for image in node.status.images for name in image.names))
