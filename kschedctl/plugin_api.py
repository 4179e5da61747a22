"""What authors of plugins need, in one place: the contract, the values that go through it, and a base for beginners.

    from kschedctl.plugin_api import ExtensionPoint, NodePlugin, PluginSpec

    class QuietHours(NodePlugin):
        spec = PluginSpec(name="QuietHours", points=frozenset({ExtensionPoint.FILTER}))

        def filter_node(self, pod, node):
            return "node(s) had quiet hours" if node.labels.get("quiet") == "yes" else None

`kschedctl.testing` checks a plugin against the contract.
"""

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Action, ClusterEvent, Interest, Resource
from kschedctl.framework.configuration.args import PluginArgs
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.node_plugin import Never, NodeInfo, NodePlugin
from kschedctl.framework.plugin import (
    PERMITTED,
    PermitResult,
    Plugin,
    PluginContext,
    PreFilterResult,
    PreScoreResult,
)
from kschedctl.framework.plugin_spec import PluginSpec, Reads
from kschedctl.framework.status import Code, Detail, Status
from kschedctl.framework.verdicts import PASS, Verdicts
from kschedctl.objects.pod_requests import to_resource_units
from kschedctl.objects.quantity import parse

__all__ = [
    "PASS",
    "PERMITTED",
    "Action",
    "AdmittedPod",
    "ClusterEvent",
    "ClusterState",
    "Code",
    "Detail",
    "ExtensionPoint",
    "Interest",
    "Never",
    "NodeInfo",
    "NodePlugin",
    "PermitResult",
    "Plugin",
    "PluginArgs",
    "PluginContext",
    "PluginSpec",
    "PodRecord",
    "PreFilterResult",
    "PreScoreResult",
    "Reads",
    "Resource",
    "Rows",
    "Status",
    "Verdicts",
    "units",
]


def units(resource: str, quantity: str) -> int:
    """A quantity in the units in which nodes and pods are counted: cpu in milli, the rest whole, both rounded up.

    Raises:
        ValueError: it is no quantity.
    """
    return to_resource_units(resource, parse(quantity))
