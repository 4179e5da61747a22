"""Kinds of which a plain input has no object, told where an answer would silently be another one with them.

A snapshot says itself what it lacks (see `missing_kinds`). Of a list of nodes and pods nobody can tell whether the
cluster has nothing else, and a caveat for each of two dozen kinds would be noise. So a kind is told only where the
answer has just read it, and only where nothing else in the answer shows that it is missing: a claim that is not there
is refused by name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.apps import DaemonSet, ReplicaSet, ReplicationController, StatefulSet
from kschedctl.objects.core import Namespace, PodDisruptionBudget
from kschedctl.objects.kinds import BY_TYPE, KINDS
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.resource import ResourceSlice
from kschedctl.objects.storage import CsiNode
from kschedctl.reports.caveats.kinds_read import Effects, readings_of
from kschedctl.reports.model import Caveat
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.sources.access import without

_SILENT: Final[frozenset[type[TopLevel]]] = frozenset(
    {
        *(Namespace, CsiNode, ResourceSlice, PodDisruptionBudget),
        *(ReplicationController, ReplicaSet, StatefulSet, DaemonSet),
    }
)
_NONE: Final = Effects()


def absent_kinds_caveats(
    absent: Collection[type[TopLevel]],
    scheduler: Scheduler,
    cluster: ClusterState,
    pods: Iterable[PodRecord],
    effects: Effects = _NONE,
) -> list[Caveat]:
    """The caveats about kinds that an answer has read in vain.

    Args:
        absent: kinds without an object in the input.
        scheduler: whose answer it is.
        cluster: in which it was given.
        pods: the pods that were to be placed.
        effects: what else was done.
    """
    grave: dict[type[TopLevel], bool] = {}
    for reading in readings_of(pods, scheduler, cluster, _SILENT.intersection(absent), effects):
        grave[reading.kind] = grave.get(reading.kind, False) or reading.decides
    return [_caveat(kind.type, grave[kind.type]) for kind in KINDS if kind.type in grave]


def _caveat(type_: type[TopLevel], may_change_answer: bool) -> Caveat:
    kind = BY_TYPE[type_]
    text = f"no {kind.kind} in the input (kubectl get {kind.plural} -A): {without(kind)}"
    return Caveat(code="kind-absent", message=text, may_change_answer=may_change_answer)
