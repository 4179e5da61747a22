"""The extenders of a configuration, asked one after another as kube-scheduler does (spec 01 §11, 08 §4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.extenders.call import CallError, ExtenderVerb, Transport
from kschedctl.extenders.client import ExtenderClient
from kschedctl.extenders.replies import FilterReply
from kschedctl.framework.configuration import Extender
from kschedctl.framework.scoring import ScoreColumn
from kschedctl.framework.status import Code, Status
from kschedctl.objects.go import wrap_int64
from kschedctl.objects.node import Node

Ints = npt.NDArray[np.int64]

EXTENDER: Final = "Extender"
"""Stands for all extenders among the plugins that reject a pod."""

_SCALE: Final = 10
"""Extenders score 0 to 10, plugins 0 to 100."""


class Passed(Struct, frozen=True):
    """What extenders leave of the nodes that passed the filters.

    Attributes:
        feasible: int64 (F,), rows in the order of the last reply.
        statuses: node -> what an extender, named as the plugin, says of it; a node may have one and be left all the
            same.
        left_out: node -> the extender that left it out without a word.
        rebuilt: the nodes as an extender sent them back, in the order of `feasible`; what runs on them is not known
            to scoring any more. None where they are those of the cluster.
        made_up: name of a node among them that the cluster does not have -> the extender that named it first; their
            rows follow those of the node table, in this order.
        changed: whether there are fewer, or more, than passed the filters.
        error: the text that fails the cycle, or None.
    """

    feasible: Ints
    statuses: Mapping[str, Status] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    rebuilt: tuple[Node, ...] | None = None
    made_up: Mapping[str, str] = field(default_factory=dict)
    changed: bool = False
    error: str | None = None


class Extenders:
    """All extenders that are called; none of them where calls are not allowed."""

    def __init__(self, extenders: Sequence[Extender] = (), transport: Transport | None = None) -> None:
        """Make the clients.

        Args:
            extenders: in the order in which they are called.
            transport: what carries the calls; None: no extender is called.
        """
        called = extenders if transport is not None else ()
        self._clients = [ExtenderClient(extender, transport) for extender in called if transport is not None]

    @property
    def are_called(self) -> bool:
        """Whether there is any."""
        return bool(self._clients)

    @property
    def choose(self) -> bool:
        """Whether any of them filters or scores, so that one feasible node is not as good as another."""
        return any(
            client.has(ExtenderVerb.FILTER) or client.has(ExtenderVerb.PRIORITIZE) for client in self._clients
        )

    def interested(self, pod: AdmittedPod) -> list[ExtenderClient]:
        """Those that look after the pod, in order."""
        return [client for client in self._clients if client.is_interested(pod)]

    def filter(self, pod: PodRecord, cluster: ClusterState, feasible: Ints) -> Passed:
        """Ask about the rows that passed the filters, int64 (F,)."""
        if not self._clients:
            return Passed(feasible)
        statuses, left_out, made_up = dict[str, Status](), dict[str, str](), dict[str, str]()
        row_of = cluster.nodes.row_of
        nodes = tuple(cluster.nodes.objects[row] for row in feasible.tolist())
        rebuilt, asked = False, False
        for client in self.interested(pod.pod):
            if not client.has(ExtenderVerb.FILTER):
                continue
            if not nodes:
                break
            asked = True
            try:
                reply = client.filter(pod.pod, nodes)
                left, by_object = _left(client.extender, reply, nodes)
            except CallError as error:
                if client.extender.ignorable:
                    continue
                return Passed(feasible, statuses, left_out, error=str(error))
            url = client.extender.url_prefix
            statuses |= _statuses(reply, url)
            kept = {node.name for node in left}
            left_out |= {node.name: url for node in nodes if node.name not in kept | statuses.keys()}
            made_up = {node.name: made_up.get(node.name, url) for node in left if node.name not in row_of}
            nodes = left
            rebuilt = rebuilt or by_object
        if not asked:
            return Passed(feasible)
        beyond = {name: len(row_of) + i for i, name in enumerate(made_up)}
        rows = np.array([row_of.get(n.name, beyond.get(n.name)) for n in nodes], np.int64)
        changed = len(rows) != len(feasible)
        return Passed(rows, statuses, left_out, nodes if rebuilt else None, made_up, changed)

    def prioritize(self, pod: PodRecord, nodes: Sequence[Node]) -> list[ScoreColumn]:
        """The scores of those that give any, a column each; an error of one is as if it gave none."""
        names = [node.name for node in nodes]
        columns = []
        for client in self.interested(pod.pod):
            try:
                given = client.prioritize(pod.pod, nodes)
            except CallError:
                continue
            sums: dict[str, int] = {}
            for host, score in given:
                sums[host] = sums.get(host, 0) + score
            raw = np.array([wrap_int64(sums.get(name, 0)) for name in names], np.int64)
            scored = np.array([name in sums for name in names], bool)
            extender = client.extender
            columns.append(ScoreColumn(extender.url_prefix, extender.weight, raw, raw * _SCALE, scored))
        return columns


def _left(extender: Extender, reply: FilterReply, nodes: Sequence[Node]) -> tuple[tuple[Node, ...], bool]:
    """The nodes that a reply leaves, and whether it sent them as objects."""
    if extender.node_cache_capable and reply.node_names is not None:
        by_name = {node.name: node for node in nodes}
        for name in reply.node_names:
            if name not in by_name:
                url = extender.url_prefix
                text = f'extender "{url}" claims a filtered node "{name}" which is not found in the input node list'
                raise CallError(text)
        return tuple(by_name[name] for name in reply.node_names), False
    return reply.nodes or (), True


def _statuses(reply: FilterReply, url: str) -> dict[str, Status]:
    found = {node: Status(Code.UNSCHEDULABLE, (text,), url) for node, text in reply.failed.items()}
    return found | {
        node: Status(Code.UNRESOLVABLE, (text,), url) for node, text in reply.unresolvable.items()
    }
