"""DefaultBinder: writes the binding; offline there is nothing to do."""

from __future__ import annotations

from kschedctl.framework.plugin import Plugin, Reads


class DefaultBinder(Plugin):
    """Stands in profiles so that they can be checked."""

    name = "DefaultBinder"
    reads = Reads.NODES
