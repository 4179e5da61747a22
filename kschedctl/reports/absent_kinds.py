"""Kinds of which a plain input has no object, told where an answer would silently be another one with them.

A snapshot says itself what it lacks. Of a list of nodes and pods nobody can tell whether the cluster has nothing
else, and a caveat for each of two dozen kinds would be noise. So a kind is told only where the answer has just read
it, and only where nothing else in the answer shows that it is missing: a claim that is not there is refused by name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from kschedctl.cluster.affinity_terms import AffinityTerm, AffinityTerms
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.configuration import PodTopologySpreadArgs
from kschedctl.framework.configuration.args import SYSTEM_DEFAULTING
from kschedctl.objects.apps import DaemonSet, ReplicaSet, ReplicationController, StatefulSet
from kschedctl.objects.core import Namespace, PodDisruptionBudget
from kschedctl.objects.kinds import BY_TYPE, KINDS
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.resource import ResourceSlice
from kschedctl.objects.storage import CsiNode
from kschedctl.reports.model import Caveat
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.sources.access import without
from kschedctl.volumes.attachments import AttachmentError, attachments_of, may_attach
from kschedctl.volumes.cluster_storage import ClusterStorage
from kschedctl.volumes.in_tree import PLUGIN_OF_PROVISIONER

_CONTROLLERS: Final[Mapping[tuple[str, str], type[TopLevel]]] = {
    ("v1", "ReplicationController"): ReplicationController,
    ("apps/v1", "ReplicaSet"): ReplicaSet,
    ("apps/v1", "StatefulSet"): StatefulSet,
}
"""Owners whose selectors default spread constraints take over."""

_Reading = tuple[type[TopLevel], bool]
"""A kind that was read, and whether its objects could turn yes into no or no into yes."""


@dataclass(frozen=True, slots=True)
class Effects:
    """What an answer does beside placing pods.

    Attributes:
        preempts: pods are preempted.
        drains: pods are evicted as budgets allow.
        new_nodes: nodes are added that are no copies of others, and get the daemons of the cluster.
    """

    preempts: bool = False
    drains: bool = False
    new_nodes: bool = False


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
    if not absent:
        return []
    grave: dict[type[TopLevel], bool] = {}
    distinct = {pod.klass.index: pod for pod in pods}.values()
    readings = [*_of_effects(effects)]
    for pod in distinct:
        readings += _of_pod(pod, scheduler, cluster, absent)
    for kind, may_change_answer in readings:
        if kind in absent:
            grave[kind] = grave.get(kind, False) or may_change_answer
    return [_caveat(kind.type, grave[kind.type]) for kind in KINDS if kind.type in grave]


def _caveat(type_: type[TopLevel], may_change_answer: bool) -> Caveat:
    kind = BY_TYPE[type_]
    text = f"no {kind.kind} in the input (kubectl get {kind.plural} -A): {without(kind)}"
    return Caveat(code="kind-absent", message=text, may_change_answer=may_change_answer)


def _of_effects(effects: Effects) -> Iterator[_Reading]:
    """Budgets never keep a pod from preempting, but make it prefer other victims; a drain waits for them."""
    if effects.preempts or effects.drains:
        yield PodDisruptionBudget, effects.drains
    if effects.new_nodes:
        yield DaemonSet, True


def _of_pod(
    pod: PodRecord, scheduler: Scheduler, cluster: ClusterState, absent: Collection[type[TopLevel]]
) -> Iterator[_Reading]:
    """What takes long to find out is looked at for absent kinds only."""
    if Namespace in absent and _selects_namespaces(pod, cluster):
        yield Namespace, True
    if CsiNode in absent and _attaches(pod, cluster):
        yield CsiNode, True
    if pod.pod.spec.resource_claims:
        yield ResourceSlice, True
    yield from _spread_by_controller(pod, scheduler, cluster)


def _selects_namespaces(pod: PodRecord, cluster: ClusterState) -> bool:
    """Whether a term of the pod, or one of others that means pods with its labels, goes by labels of namespaces."""
    if any(_by_labels(term) for term in _terms(pod.klass.terms)):
        return True
    others = (term for klass in cluster.pods.classes.with_affinity for term in _terms(klass.terms))
    return any(_by_labels(term) and term.selector.matches(pod.pod.labels) for term in others)


def _terms(terms: AffinityTerms) -> tuple[AffinityTerm, ...]:
    return (*terms.required, *terms.required_anti, *terms.preferred, *terms.preferred_anti)


def _by_labels(term: AffinityTerm) -> bool:
    return bool(term.namespace_selector.requirements)


def _attaches(pod: PodRecord, cluster: ClusterState) -> bool:
    """Whether the pod attaches volumes, of which a node may take only so many."""
    if not may_attach(pod.pod):
        return False
    catalog = ClusterStorage.of(cluster).catalog
    try:
        return bool(attachments_of(pod.pod, catalog, PLUGIN_OF_PROVISIONER, strict=False))
    except AttachmentError:
        return False  # refused in words of its own


def _spread_by_controller(pod: PodRecord, scheduler: Scheduler, cluster: ClusterState) -> Iterator[_Reading]:
    """The controller whose selector says along with which pods this one is spread by default.

    That of a workload in a manifest is there, also where the input has no object of its kind.
    """
    owner, spec = pod.klass.controller, pod.pod.spec
    framework = scheduler.framework(spec.scheduler_name)
    if owner is None or spec.topology_spread_constraints or framework is None:
        return
    kind = _CONTROLLERS.get((owner.api_version, owner.kind))
    args = framework.profile.args(PodTopologySpreadArgs.plugin)
    if kind is None or not isinstance(args, PodTopologySpreadArgs):
        return
    if cluster.objects.find(kind, owner.name, pod.namespace) is not None:
        return
    hard = any(c.when_unsatisfiable == "DoNotSchedule" for c in args.default_constraints)
    if args.default_constraints or args.defaulting_type == SYSTEM_DEFAULTING:
        yield kind, hard
