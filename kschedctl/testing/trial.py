"""One pod scheduled with a plugin among the default ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from kschedctl.framework.plugin import AnyPlugin
from kschedctl.testing.cluster import Data, entered, session_with


class PluginAnswer(Struct, frozen=True):
    """What becomes of a pod.

    Attributes:
        node: the node that it goes to; None: to none.
        rejected: node -> what the plugin says of it, where it rejects it.
        scores: node -> the plugin's score, 0 to 100, of the nodes that all filters left.
        message: the event, or why the pod was not tried.
    """

    node: str | None
    rejected: Mapping[str, str]
    scores: Mapping[str, int]
    message: str


def try_plugin(
    plugin: type[AnyPlugin],
    objects: Iterable[Data],
    candidate: Data,
    args: Mapping[str, Any] | None = None,
    version: str | None = None,
) -> PluginAnswer:
    """Schedule a pod with the default plugins and this one.

    Args:
        plugin: enabled at all its points.
        objects: the cluster, as manifests.
        candidate: the pod, as a manifest.
        args: its arguments, as in `pluginConfig`.
        version: of kube-scheduler.
    """
    session = session_with([plugin], objects, {plugin.spec.name: args}, version)
    decision = session.scheduler.decide(entered(session, candidate), session.cluster)
    name, names = plugin.spec.name, session.cluster.nodes.names
    rejected: dict[str, str] = {}
    for row in range(session.cluster.nodes.count) if decision.filters is not None else ():
        for status in decision.failures_of(row):
            if status.plugin == name:
                rejected[names[row]] = status.message
    scores: dict[str, int] = {}
    for column in () if decision.scores is None else decision.scores.columns:
        if column.plugin == name:
            rows = decision.scores.feasible.tolist() if decision.scores is not None else []
            scores = dict(zip((names[row] for row in rows), column.normalized.tolist(), strict=True))
    return PluginAnswer(decision.selected_node, rejected, scores, decision.event or decision.message)
