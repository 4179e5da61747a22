"""An entry of the default list of plugins of a version."""

from __future__ import annotations

from msgspec import Struct


class DefaultPlugin(Struct, frozen=True):
    """An entry of the default `multiPoint` list of a version.

    Attributes:
        name: the plugin.
        weight: 0 means that none is given.
        gate: the feature gate that puts it into the list, empty: it is always there.
    """

    name: str
    weight: int = 0
    gate: str = ""
