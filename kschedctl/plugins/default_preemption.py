"""DefaultPreemption: the work is done by the package `preemption`, which the scheduling cycle calls in its turn."""

from __future__ import annotations

from kschedctl.framework.configuration.args import DefaultPreemptionArgs
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin
from kschedctl.framework.plugin_spec import PluginSpec, Reads


class DefaultPreemption(Plugin[None, None]):
    """Stands in profiles, where it says when preemption has its turn and with which arguments."""

    spec = PluginSpec(
        name="DefaultPreemption",
        points=frozenset(
            {ExtensionPoint.PRE_ENQUEUE, ExtensionPoint.POST_FILTER, ExtensionPoint.POD_GROUP_POST_FILTER}
        ),
        args=DefaultPreemptionArgs,
        reads=Reads.NODES,
    )
