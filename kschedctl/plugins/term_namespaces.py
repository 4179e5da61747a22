"""Which namespaces an inter-pod affinity term of a candidate reaches (direction A of spec 03 §2.2)."""

from __future__ import annotations

from msgspec import Struct

from kschedctl.cluster.affinity_terms import AffinityTerm
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.core import Namespace
from kschedctl.objects.selectors import Selector


class ReachedNamespaces(Struct, frozen=True):
    """Namespaces that a term reaches.

    kube-scheduler expands the selector to names. Up to 1.36 it then still holds it against an empty label set, so
    that a selector of NotIn and DoesNotExist alone reaches every namespace; an empty one does so always.

    Attributes:
        named: those that the term lists and those that its selector selects.
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
        self._known: dict[tuple[frozenset[str], Selector], frozenset[str]] = {}

    @classmethod
    def of(cls, cluster: ClusterState) -> TermNamespaces:
        """The memo of a cluster."""
        return cluster.extension(cls, cls)

    def named(self, term: AffinityTerm) -> frozenset[str]:
        """The namespaces that a term lists and those that its selector selects: what its author means."""
        key = (term.namespaces, term.namespace_selector)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._expand(*key)
        return known

    def reached(self, term: AffinityTerm, *, keeps_selector: bool) -> ReachedNamespaces:
        """What a term of a candidate reaches.

        Args:
            term: the term.
            keeps_selector: whether its selector is held against an empty label set too (`Facts`).
        """
        selector = term.namespace_selector
        everywhere = selector.matches({}) if keeps_selector else selector.everything
        return ReachedNamespaces(self.named(term), everywhere)

    def _expand(self, listed: frozenset[str], selector: Selector) -> frozenset[str]:
        everyone = self._cluster.objects.all(Namespace).items()
        return listed | {name for (_, name), obj in everyone if selector.matches(obj.metadata.labels)}
