"""ResourceQuotas, by which the API server refuses pods before any scheduler sees them: counted over the input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.admission.quota import counts, demanded, shortage, unseen_use, use_of_all
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.core import ResourceQuota
from kschedctl.reports.model import Caveat

REFUSED_BY_QUOTA: Final = "quota-exceeded"
"""Code of the caveat that a quota keeps a pod from being created."""


def quota_caveats(pods: Iterable[PodRecord], cluster: ClusterState) -> Iterator[Caveat]:
    """The quotas that pods would exceed which are to be created.

    Args:
        pods: the pods.
        cluster: the cluster in which they are, or are not yet.
    """
    by_namespace: dict[str, list[PodRecord]] = {}
    for record in pods:
        if not record.pod.metadata.creation_timestamp:
            by_namespace.setdefault(record.namespace, []).append(record)
    for (namespace, _), quota in cluster.objects.all(ResourceQuota).items():
        fresh = by_namespace.get(namespace)
        if fresh and (why := _refusal(quota, fresh, cluster)):
            yield Caveat(code=REFUSED_BY_QUOTA, message=why, may_change_answer=True)


def _refusal(quota: ResourceQuota, fresh: list[PodRecord], cluster: ClusterState) -> str:
    """Why a quota keeps pods from being created; empty where it does not."""
    coming = [record.pod for record in fresh if counts(quota, record.pod)]
    for pod in coming:
        for name, container in demanded(quota, pod.spec):
            return (
                f"ResourceQuota {quota.full_name} demands {name} of every container: {container} of {pod.full_name} "
                "states none, and the API server refuses it"
            )
    new, node = {record.id for record in fresh}, cluster.pods.node
    known: list[AdmittedPod] = []
    there: list[AdmittedPod] = []
    for record in cluster.pods.records:
        if record.namespace == quota.namespace and record.id not in new:
            known.append(record.pod)
            if node[record.id] >= 0 or record.pod.metadata.creation_timestamp:
                there.append(record.pod)
    unseen, used = unseen_use(quota, known), use_of_all(quota, there)
    short = shortage(quota, {name: used[name] + unseen[name] for name in used}, use_of_all(quota, coming))
    if short is None:
        return ""
    who = coming[0].full_name if len(coming) == 1 else f"{coming[0].full_name} and {len(coming) - 1} more"
    allowed, in_use, wanted = short.texts
    return (
        f"ResourceQuota {quota.full_name} allows {allowed} {short.name}: {in_use} are used, {who} would add {wanted}, "
        "and the API server refuses it"
    )
