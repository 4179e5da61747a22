"""What extenders make of the candidates (spec 01 §11.4)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.extenders.call import CallError, ExtenderVerb
from kschedctl.extenders.chain import Extenders
from kschedctl.extenders.client import ExtenderClient
from kschedctl.extenders.replies import MetaVictims
from kschedctl.preemption.result import Candidate, Candidates


def extended(
    extenders: Extenders, pod: PodRecord, cluster: ClusterState, candidates: Candidates
) -> Candidates:
    """The candidates that the extenders leave, with the victims that they would have.

    Raises:
        CallError: an extender that cannot be ignored gives no usable answer.
    """
    for client in extenders.interested(pod.pod):
        if not candidates:
            break
        if not client.has(ExtenderVerb.PREEMPT):
            continue
        try:
            reply = client.preempt(pod.pod, _victims(cluster, candidates))
            found = _candidates(client, cluster, reply)
        except CallError:
            if client.extender.ignorable:
                continue
            raise
        for row in [row for row, candidate in found.items() if not candidate.victims]:
            if not client.extender.ignorable:
                raise CallError(f'expected at least one victim pod on node "{cluster.nodes.names[row]}"')
            del found[row]
        candidates = _columns(found, candidates)
    return candidates


def _victims(cluster: ClusterState, candidates: Candidates) -> dict[str, tuple[list[AdmittedPod], int]]:
    names, records = cluster.nodes.names, cluster.pods.records
    return {
        names[row]: ([records[pod].pod for pod in candidate.victims], candidate.violations)
        for row, candidate in candidates.items()
    }


def _candidates(
    client: ExtenderClient, cluster: ClusterState, reply: Mapping[str, MetaVictims]
) -> dict[int, Candidate]:
    """A reply by row; victims are named by uid, and may be any pods of the node."""
    found = {}
    for node, victims in reply.items():
        row = cluster.row_of(node)
        if row is None:
            raise CallError(f'nodeinfo not found for node name "{node}"')
        by_uid = {cluster.pods.records[pod].pod.uid: pod for pod in cluster.usage.pods[row]}
        for uid in victims.uids:
            if uid not in by_uid:
                claim = f"claims to preempt pod (UID: &{{{uid}}}) on node: {node}"
                url = client.extender.url_prefix
                raise CallError(f"extender: {url} {claim}, but the pod is not found on that node")
        found[row] = Candidate(row, tuple(by_uid[uid] for uid in victims.uids), victims.violations)
    return found


def _columns(found: Mapping[int, Candidate], before: Candidates) -> Candidates:
    """The same as columns; victims that break a budget are those that did before."""
    order = [row for row in before if row in found] + [row for row in found if row not in before]
    victims = [pod for row in order for pod in found[row].victims]
    breaking = [row in before and pod in before[row].breaking for row in order for pod in found[row].victims]
    return Candidates(
        np.array(order, np.int64),
        np.cumsum([0, *(len(found[row].victims) for row in order)]).astype(np.int64),
        np.array(victims, np.int64),
        np.array(breaking, bool),
        np.array([found[row].violations for row in order], np.int64),
    )
