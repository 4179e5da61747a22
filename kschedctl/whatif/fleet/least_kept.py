"""The least that has to stay of a cluster: no choice of nodes that has room for all pods costs less."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from kschedctl.cluster.pods import PodRecord
from kschedctl.framework.plugin_spec import Reads
from kschedctl.whatif.fleet.demand import most_of
from kschedctl.whatif.fleet.lower_bound import Floats, Mask, Problem, least_cost
from kschedctl.whatif.session import Session
from kschedctl.workloads.controllers import is_recreated


class LeastKept(Struct, frozen=True):
    """What the relaxation comes to.

    Attributes:
        cost: of the nodes that may go, no choice to keep costs less.
        kept: rows that are alike, with how many of them it keeps.
    """

    cost: float
    kept: list[tuple[list[int], int]]


def least_kept(session: Session, price: Mapping[int, float]) -> LeastKept | None:
    """The relaxation; None: it has no solution, or there is nothing to choose.

    Pods may be cut and are free to go to any node whose own rules let them, or on which such a pod runs; rules between
    pods are left out. All pods that controllers make anew are taken off and placed again.

    Args:
        session: the cluster, with everything placed that can be; left as it is.
        price: row of a node that may go -> its price.
    """
    cluster = session.cluster
    rows = np.array(sorted(price), np.int64)
    classes = _classes(session)
    if not len(rows) or not classes:
        return None
    resources = len(cluster.resources)
    request = np.ones((len(classes), resources + 1))
    there = np.zeros((len(classes), cluster.nodes.count), np.int64)
    fits = np.zeros(there.shape, bool)
    for at, alike in enumerate(classes):
        request[at, :resources] = cluster.pods.classes.requests[alike[0].pod_class.index]
        np.add.at(there[at], [int(cluster.pods.node[record.id]) for record in alike], 1)
        fits[at] = _lets(session, alike[0])
    # What runs somewhere may stay there, by whatever rules it would not come there now.
    fits |= there > 0
    room = np.maximum(_room(session), there.T @ request)
    groups: dict[tuple[float, bytes, bytes], list[int]] = {}
    for row in rows.tolist():
        groups.setdefault((price[row], room[row].tobytes(), fits[:, row].tobytes()), []).append(row)
    alike_rows = list(groups.values())
    first = [mine[0] for mine in alike_rows]
    most = np.array([most_of(alike[0], request[at], room[first]) for at, alike in enumerate(classes)])
    most = np.maximum(most, np.column_stack([there[:, mine].max(axis=1) for mine in alike_rows]))
    fixed = np.setdiff1d(np.arange(cluster.nodes.count), rows)
    alone = np.array([most_of(alike[0], request[at], room[fixed]) for at, alike in enumerate(classes)])
    at_home = np.where(fits[:, fixed], np.maximum(alone, there[:, fixed]), 0).sum(axis=1)
    bound = least_cost(
        Problem(
            price=np.array([price[row] for row in first]),
            shape=np.arange(len(first)),
            limit=[len(mine) for mine in alike_rows],
            room=room[first],
            count=there.sum(axis=1),
            request=request,
            most=np.where(fits[:, first], most, 0),
            free=room[fixed].sum(axis=0),
            at_home=at_home,
            evictable=False,
        )
    )
    if bound is None:
        return None
    return LeastKept(bound.cost, list(zip(alike_rows, bound.nodes.tolist(), strict=True)))


def _classes(session: Session) -> list[list[PodRecord]]:
    """The pods that may move, those together that ask for the same."""
    cluster = session.cluster
    found: dict[int, list[PodRecord]] = {}
    for pods in cluster.usage.pods:
        for pod in pods:
            record = cluster.pods.records[pod]
            if is_recreated(record.pod) and not record.pod.is_terminating:
                found.setdefault(record.pod_class.template, []).append(record)
    return list(found.values())


def _lets(session: Session, record: PodRecord) -> Mask:
    """Nodes that would take a pod whatever others are there, bool (N,)."""
    rows = session.cluster.nodes.count
    with session.deciding(record) as decision:
        if decision.framework is None:
            return np.zeros(rows, bool)
        by_nodes = {plugin.name for plugin in decision.framework.plugins if plugin.spec.reads is Reads.NODES}
        return np.array(
            [not any(f.plugin in by_nodes for f in decision.failures_of(row)) for row in range(rows)], bool
        )


def _room(session: Session) -> Floats:
    """What each node offers to pods that may move, float64 (N, R + 1); the number of pods is last."""
    cluster = session.cluster
    room = np.column_stack([cluster.nodes.allocatable, cluster.nodes.allowed_pods]).astype(np.float64)
    for row, pods in enumerate(cluster.usage.pods):
        for pod in pods:
            record = cluster.pods.records[pod]
            if not record.pod.is_terminating and not is_recreated(record.pod):
                room[row, :-1] -= cluster.pods.classes.requests[record.pod_class.index]
                room[row, -1] -= 1
    return room
