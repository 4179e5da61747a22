"""Inter-pod affinity terms, parsed once per distinct spec (spec 03 §2.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from kschedctl.objects.constraints import PodAffinityTerm, WeightedPodAffinityTerm
from kschedctl.objects.pod import PodSpec
from kschedctl.objects.selectors import Selector, SelectorError, parse_label_selector


class AffinityTerm(Struct, frozen=True, cache_hash=True):
    """A term that names the pods it means, and the topology in which it means them.

    Attributes:
        selector: labels of the pods.
        key: topology key.
        namespaces: names of namespaces; that of the owner where the term says nothing.
        namespace_selector: labels of namespaces; nothing where there is none.
        weight: of a preferred term, else 0.
    """

    selector: Selector
    key: str
    namespaces: frozenset[str]
    namespace_selector: Selector
    weight: int = 0

    def matches(self, namespace: str, namespace_labels: Mapping[str, str], labels: Mapping[str, str]) -> bool:
        """Whether a pod of that namespace with these labels is meant."""
        here = namespace in self.namespaces or self.namespace_selector.matches(namespace_labels)
        return here and self.selector.matches(labels)


class AffinityTerms(Struct, frozen=True):
    """The four lists of a pod; a list with a term that cannot be parsed is empty, and its error is kept."""

    required: tuple[AffinityTerm, ...] = ()
    required_anti: tuple[AffinityTerm, ...] = ()
    preferred: tuple[AffinityTerm, ...] = ()
    preferred_anti: tuple[AffinityTerm, ...] = ()
    errors: tuple[str, ...] = ()
    has_affinity: bool = False
    """Whether the pod has podAffinity or podAntiAffinity at all, even an empty one."""


NO_TERMS = AffinityTerms()


def affinity_terms(spec: PodSpec, namespace: str) -> AffinityTerms:
    """The terms of a pod in a namespace."""
    affinity = spec.affinity
    if affinity is None or (affinity.pod_affinity is None and affinity.pod_anti_affinity is None):
        return NO_TERMS
    errors: list[str] = []
    wanted, unwanted = affinity.pod_affinity, affinity.pod_anti_affinity
    return AffinityTerms(
        required=_list("requiredAffinityTerms", wanted.required if wanted else (), namespace, errors),
        required_anti=_list(
            "requiredAntiAffinityTerms", unwanted.required if unwanted else (), namespace, errors
        ),
        preferred=_list("preferredAffinityTerms", wanted.preferred if wanted else (), namespace, errors),
        preferred_anti=_list(
            "preferredAntiAffinityTerms", unwanted.preferred if unwanted else (), namespace, errors
        ),
        errors=tuple(errors),
        has_affinity=True,
    )


def _list(
    name: str,
    terms: Sequence[PodAffinityTerm] | Sequence[WeightedPodAffinityTerm],
    namespace: str,
    errors: list[str],
) -> tuple[AffinityTerm, ...]:
    try:
        return tuple(_term(term, namespace) for term in terms)
    except SelectorError as error:
        errors.append(f"{name}: {error}")
        return ()


def _term(written: PodAffinityTerm | WeightedPodAffinityTerm, namespace: str) -> AffinityTerm:
    if isinstance(written, WeightedPodAffinityTerm):
        term, weight = written.pod_affinity_term, written.weight
    else:
        term, weight = written, 0
    own = not term.namespaces and term.namespace_selector is None
    return AffinityTerm(
        selector=parse_label_selector(term.label_selector),
        key=term.topology_key,
        namespaces=frozenset((namespace,) if own else term.namespaces),
        namespace_selector=parse_label_selector(term.namespace_selector),
        weight=weight,
    )
