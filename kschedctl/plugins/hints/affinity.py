"""What may help a pod that InterPodAffinity rejected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kschedctl.cluster.affinity_terms import AffinityTerm
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.cluster_event import Action, ClusterEvent, Interest, Resource
from kschedctl.framework.versions import Facts

_NO_LABELS: Mapping[str, str] = {}
"""The hints of kube-scheduler look at no labels of namespaces."""


class AffinityHints:
    """Pods that begin to attract or cease to repel, and nodes that change their domain.

    Args:
        facts: the rules of the version.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def interests(self) -> tuple[Interest, ...]:
        """Pods that come, go or change labels, labels of the pod itself, and labels of nodes."""
        pods = Action.ADD | Action.DELETE | Action.UPDATE_POD_LABEL
        found = (
            Interest(Resource.ASSIGNED_POD, pods, self._pod_changes),
            Interest(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL, _node_moves),
        )
        own = Interest(Resource.TARGET_POD, Action.UPDATE_POD_LABEL)
        return (*found, own) if self._facts.repelled_pods_wake else found

    def _pod_changes(self, pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
        terms, old, new = pod.pod_class.terms, event.old, event.new
        if not (self._facts.nominations_wake_by_topology or (new or old).pod.node_name):
            return False
        if terms.errors:
            return True
        if old is not None and new is not None:
            attracts = not _meant_by_all(terms.required, old) and _meant_by_all(terms.required, new)
            return attracts or (
                self._repelled(terms.required_anti, old) and not self._repelled(terms.required_anti, new)
            )
        if new is not None:
            return _meant_by_all(terms.required, new)
        if self._repelled(terms.required_anti, old):
            return True
        theirs = old.pod_class.terms
        repels = bool(theirs.errors) or self._repelled(theirs.required_anti, pod)
        return self._facts.repelled_pods_wake and repels

    def _repelled(self, terms: Sequence[AffinityTerm], pod: PodRecord) -> bool:
        if self._facts.any_anti_term_wakes:
            return any(_means(term, pod) for term in terms)
        return _meant_by_all(terms, pod)


def _meant_by_all(terms: Sequence[AffinityTerm], pod: PodRecord) -> bool:
    """Whether there are terms and all of them mean a pod."""
    return bool(terms) and all(_means(term, pod) for term in terms)


def _means(term: AffinityTerm, pod: PodRecord) -> bool:
    return term.matches(pod.namespace, _NO_LABELS, pod.pod.labels)


def _node_moves(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
    """A node comes into a domain of the pod's affinity, or leaves one of its anti-affinity."""
    terms = pod.pod_class.terms
    if terms.errors:
        return True
    after = event.new.metadata.labels
    if event.old is None:
        return bool(terms.required_anti) or any(term.key in after for term in terms.required)
    before = event.old.metadata.labels
    enters = any(term.key in after and after[term.key] != before.get(term.key) for term in terms.required)
    return enters or any(
        term.key in before and before[term.key] != after.get(term.key) for term in terms.required_anti
    )
