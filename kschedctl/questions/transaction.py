"""A cluster to try things on: place, remove, change, and undo all of it.

A transaction is a fork of the cluster. What is done in it happens by the rules of kube-scheduler and is undone at the
end; the cluster itself is a value, and stays as it was loaded.

    >>> from kschedctl import Cluster
    >>> cluster = Cluster.load("fixtures/quickstart/cluster.yaml")
    >>> main = {"name": "main", "image": "example.com/web:1", "resources": {"requests": {"cpu": "3"}}}
    >>> web = {"metadata": {"name": "web"}, "spec": {"containers": [main]}}
    >>> with cluster.transaction() as trial:
    ...     placed = trial.place(web)
    >>> placed.node
    'worker-3'

Every answer tells which nodes fit, and why the others do not:

    >>> placed.diagnosis.fits
    ('worker-3', 'worker-4', 'worker-7', 'worker-2')
    >>> for group in placed.diagnosis.rejected:
    ...     print(*group.nodes, "|", *[status.message for status in group.why])
    cp-1 gpu-2 gpu-1 | node(s) had untolerated taint(s)
    worker-5 worker-1 | Insufficient cpu
    worker-6 | node(s) were unschedulable

Pods are placed on all nodes or on some, in order, with or without preemption, or as copies up to a number:

    >>> urgent = {"metadata": {"name": "urgent"}, "spec": {**web["spec"], "priorityClassName": "high"}}
    >>> with cluster.transaction() as trial:
    ...     filled = trial.fill(web, most=10)
    ...     placed = trial.place(urgent, nodes=["worker-4", "worker-5"], preempt=True)
    >>> len(filled.pods), len(filled.stopped_by.diagnosis.rejected[0].nodes)
    (4, 6)
    >>> placed.node, placed.evicted
    ('worker-4', ('default/web-2',))

Pods go and come back; nodes come, go and change. A changed node is a patched row: what is known of all others holds.

    >>> with cluster.transaction() as trial:
    ...     trial.untaint("gpu-1", "dedicated")
    ...     trial.cordon("worker-3")
    ...     moved = [trial.place(gone).node for gone in trial.remove_node("worker-5")]
    >>> moved
    ['gpu-1', 'worker-4']

Forks nest and cost what they change. An inner one is kept by the one around it, or undone:

    >>> with cluster.transaction(diagnose=False) as trial:
    ...     with trial.fork() as inner:
    ...         node = inner.place(web).node
    ...         inner.keep()
    ...     with trial.fork() as inner:
    ...         gone = inner.remove("default/web")
    ...     after = cluster.with_objects(trial.objects())
    ...     assert trial.node_of("default/web") == node

`after` is another cluster, of which every question can be asked. `diagnose=False` is for many trials: equal pods are
then decided from what is known of them, in a fraction of a millisecond.

Until it ends the engine of the cluster is that of the transaction: `explain` of `cluster` would tell of a cluster in
between. Ask questions of `after`, or before and afterwards.

A transaction takes decisions, and does no more: no controller makes evicted or removed pods anew, no taint evicts
anybody, and a pod of a group is decided by itself.
"""

from __future__ import annotations

from kschedctl.objects.pod import Pod
from kschedctl.questions.cluster import Cluster
from kschedctl.whatif.judgement.candidates import candidates_of
from kschedctl.whatif.manifests import load_release
from kschedctl.whatif.transaction.answers import Filled, PlacementAnswer, Removed
from kschedctl.whatif.transaction.diagnosis import Diagnosis, NodesAlike
from kschedctl.whatif.transaction.transaction import PodLike, Transaction

__all__ = [
    "Diagnosis",
    "Filled",
    "NodesAlike",
    "PlacementAnswer",
    "PodLike",
    "Removed",
    "Transaction",
    "pods_in",
]


def pods_in(cluster: Cluster, *paths: str, namespace: str | None = None) -> list[Pod]:
    """The pods of manifests, and one pod of each workload, to be placed in a transaction.

    Other objects of the manifests are left out: put them into the transaction, or into the cluster.

    Raises:
        InputError: the manifests cannot be used, or hold no pod.
        InputErrors: several such problems.
        UnsupportedError: a daemon set is in them.
    """
    release = load_release(paths, namespace=namespace)
    return [found.pod for found in candidates_of(release, cluster.objects, paths).candidates]
