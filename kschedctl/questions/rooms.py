"""How much room the nodes of loaded objects have, where nothing is asked of a scheduler."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.questions.cluster import Cluster
from kschedctl.reports.rooms.build import rooms_now
from kschedctl.reports.rooms.model import NodeRoom
from kschedctl.sources.load import Loaded


def rooms_of_loaded(loaded: Loaded, source: Sequence[str]) -> list[NodeRoom]:
    """The room of every node."""
    return rooms_now(Cluster.of(loaded, source).session.cluster)
