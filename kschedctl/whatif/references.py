"""What `TYPE/NAME` means in a cluster, by the names that kubectl knows types by."""

from __future__ import annotations

from typing import Final

from kschedctl.cluster.pods import PodRecord
from kschedctl.errors import UsageError
from kschedctl.objects.kinds import BY_TYPE
from kschedctl.workloads import WORKLOADS, Workload

from .candidates import find_pod
from .session import Session

_KINDS: Final = tuple(BY_TYPE[kind] for kind in WORKLOADS)
_SHORT: Final = {
    "Deployment": "deploy",
    "ReplicaSet": "rs",
    "ReplicationController": "rc",
    "StatefulSet": "sts",
    "DaemonSet": "ds",
    "CronJob": "cj",
}
_BY_WORD: Final = {
    word: kind
    for kind in _KINDS
    for word in (kind.kind.lower(), kind.plural, _SHORT.get(kind.kind, kind.plural))
}


def find_candidate(session: Session, kind: str, name: str, namespace: str) -> PodRecord | Workload:
    """A pod of the cluster, running or pending, or a workload.

    Raises:
        UsageError: it is of a type that makes no pods, or there is none of this name.
    """
    known = _BY_WORD.get(kind.lower())
    if known is None:
        return find_pod(session, kind, name, namespace)
    found = session.cluster.objects.all(known.type).get((namespace, name))
    if isinstance(found, WORKLOADS):
        return found
    raise UsageError(f"{known.kind} {namespace}/{name} is not in the cluster")
