"""PrioritySort: the order of the queue (spec 02 D.2)."""

from __future__ import annotations

from kschedctl.framework.plugin import Plugin, Reads


class PrioritySort(Plugin):
    """Higher priority first; equal ones in the order in which they came."""

    name = "PrioritySort"
    reads = Reads.NODES
