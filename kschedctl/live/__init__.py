"""Live clusters: the only place that talks to an API server, and it only ever reads."""

from kschedctl.live.connection import Connection, connect
from kschedctl.live.read import read_cluster
from kschedctl.live.take import TakeOptions, take_snapshot

__all__ = ["Connection", "TakeOptions", "connect", "read_cluster", "take_snapshot"]
