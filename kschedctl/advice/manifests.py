"""Where objects are written that somebody asks about."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from kschedctl.advice.measure import Reference


class Manifests(Struct, frozen=True):
    """Files that somebody asks about.

    Attributes:
        files: object -> the file that it is written in.
        shared: the files that hold several objects: kubectl would patch all of them.
    """

    files: Mapping[Reference, str] = {}
    shared: frozenset[str] = frozenset()
