"""Claims for one node that are in use on another: kube-scheduler does not look at that, the attach controller does."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

import numpy as np

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.pod import PodSpec
from kschedctl.objects.storage import PersistentVolumeClaim

_ONCE: Final = "ReadWriteOnce"
_SHARED: Final = frozenset(("ReadWriteMany", "ReadOnlyMany"))
_ROWS: Final = 2


class ClaimUsers:
    """Which running pods use which claims, as the cluster is now."""

    def __init__(self, cluster: ClusterState) -> None:
        self._cluster = cluster
        classes = cluster.pods.classes
        mounting = {
            index: claims
            for index in range(len(classes))
            if (claims := _claims(classes[index].spec, classes[index].namespace))
        }
        self._first: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
        """Claim -> row -> the first pod there, of two rows: whatever node is asked about, one of them is another."""
        chosen = np.isin(cluster.pods.pod_class, np.array(list(mounting), np.int64))
        for pod in np.flatnonzero(chosen & (cluster.pods.node >= 0)).tolist():
            row = int(cluster.pods.node[pod])
            for key in mounting[int(cluster.pods.pod_class[pod])]:
                first = self._first[key]
                if len(first) < _ROWS:
                    first.setdefault(row, pod)

    def attached_elsewhere(self, pod: PodRecord, node: int) -> tuple[str, PodRecord] | None:
        """A claim of a pod whose volume is attached to another node, and who uses it there; None: there is none.

        Args:
            pod: the pod, on no node or on this one.
            node: the row of the node on which it is to run.
        """
        cluster = self._cluster
        for key in _claims(pod.pod.spec, pod.namespace):
            claim = cluster.objects.find(PersistentVolumeClaim, key[1], key[0])
            modes = claim.spec.access_modes if claim is not None else ()
            if _ONCE not in modes or _SHARED & set(modes):
                continue
            for row, other in self._first.get(key, {}).items():
                if row != node:
                    return key[1], cluster.pods.records[other]
        return None


def _claims(spec: PodSpec, namespace: str) -> list[tuple[str, str]]:
    """The claims that a pod names, as namespace and name."""
    sources = (volume.persistent_volume_claim for volume in spec.volumes)
    return [(namespace, source.claim_name) for source in sources if source is not None]
