"""The live cluster in place of files."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from kschedctl.live.connection import Connection
from kschedctl.live.take import TakeOptions, take_snapshot
from kschedctl.observer import SILENT, Observer
from kschedctl.sources.load import Loaded
from kschedctl.sources.position import Position
from kschedctl.sources.provenance import DocumentOrigin, Provenance


def read_cluster(
    connection: Connection,
    now: datetime,
    options: TakeOptions | None = None,
    observer: Observer = SILENT,
) -> Loaded:
    """Read a cluster as `sources.load.load` reads files; the arguments are those of `take_snapshot`.

    Raises:
        ClusterError: the cluster cannot be read.
    """
    snapshot = take_snapshot(connection, now, options, observer)
    objects = list(snapshot.objects)
    origin = DocumentOrigin(0, Position(str(connection), None, lambda path: None))
    provenance = Provenance([origin], [()] * len(objects))
    return Loaded(objects, Counter(), provenance, (snapshot.header,))
