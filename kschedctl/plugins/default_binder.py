"""DefaultBinder: writes the binding; offline there is nothing to do."""

from __future__ import annotations

from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin
from kschedctl.framework.plugin_spec import PluginSpec, Reads


class DefaultBinder(Plugin[None, None]):
    """Stands in profiles so that they can be checked."""

    spec = PluginSpec(
        name="DefaultBinder",
        points=frozenset({ExtensionPoint.BIND}),
        reads=Reads.NODES,
    )
