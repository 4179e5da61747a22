"""DefaultBinder: writes the binding; offline there is nothing to do."""

from __future__ import annotations

from kschedctl.framework.plugin import Plugin


class DefaultBinder(Plugin):
    """Stands in profiles so that they can be checked."""

    name = "DefaultBinder"
