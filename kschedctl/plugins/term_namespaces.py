"""Which namespaces an inter-pod affinity term of a candidate reaches (direction A of spec 03 §2.2)."""

from __future__ import annotations

from dataclasses import dataclass

from kschedctl.cluster.affinity_terms import AffinityTerm
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.core import Namespace
from kschedctl.objects.selectors import Selector


@dataclass(frozen=True, slots=True)
class ReachedNamespaces:
    """Namespaces that a term reaches.

    kube-scheduler expands the selector to names, but then still holds it against an empty label set: a selector
    of NotIn and DoesNotExist alone therefore reaches every namespace.

    Attributes:
        named: those that the term lists and those that its selector selects: what its author means.
        everywhere: whether it reaches all the others too.
    """

    named: frozenset[str]
    everywhere: bool

    def __contains__(self, namespace: str) -> bool:
        return self.everywhere or namespace in self.named


class TermNamespaces:
    """What terms reach in one cluster, worked out once for equal ones."""

    def __init__(self, cluster: ClusterState) -> None:
        self._cluster = cluster
        self._known: dict[tuple[frozenset[str], Selector], ReachedNamespaces] = {}

    @classmethod
    def of(cls, cluster: ClusterState) -> TermNamespaces:
        """The memo of a cluster."""
        return cluster.extension(cls, cls)

    def reached(self, term: AffinityTerm) -> ReachedNamespaces:
        """What a term of a candidate reaches."""
        key = (term.namespaces, term.namespace_selector)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._expand(*key)
        return known

    def _expand(self, listed: frozenset[str], selector: Selector) -> ReachedNamespaces:
        everyone = self._cluster.objects.all(Namespace).items()
        selected = {name for (_, name), obj in everyone if selector.matches(obj.metadata.labels)}
        return ReachedNamespaces(listed | selected, selector.matches({}))
