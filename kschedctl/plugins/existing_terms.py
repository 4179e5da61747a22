"""Terms of existing pods that mean a candidate (direction B of spec 03 §2.2), found once per label group.

Distinct terms stand in an index by a label value that they ask for, so that a candidate is held only against the
terms that name one of its labels; whose terms they are is a column of pairs of class and term.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.affinity_terms import AffinityTerm, AffinityTerms
from kschedctl.cluster.counts import PodCount
from kschedctl.cluster.pod_class import PodClass
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.core import Namespace

Ints: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]


class Relation(StrEnum):
    """What the owner of a term has to do with the pods that it means, in words."""

    REQUIRED = "needs"
    REQUIRED_ANTI = "keeps away"
    PREFERRED = "prefers"
    PREFERRED_ANTI = "avoids"

    def terms(self, terms: AffinityTerms) -> tuple[AffinityTerm, ...]:
        """The list of a pod's terms that has this meaning."""
        match self:
            case Relation.REQUIRED:
                return terms.required
            case Relation.REQUIRED_ANTI:
                return terms.required_anti
            case Relation.PREFERRED:
                return terms.preferred
        return terms.preferred_anti


class _Owners:
    """Which classes have which terms, for one relation: a pair per class and term."""

    def __init__(self) -> None:
        self._pairs: list[tuple[int, int, int]] = []
        self._table: Ints = np.zeros((0, 3), np.int64)

    def add(self, pod_class: int, term: int, weight: int) -> None:
        """Enter a term of a class."""
        self._pairs.append((pod_class, term, weight))

    @property
    def table(self) -> Ints:
        """int64 (pairs, 3): class, term, weight of the term."""
        if len(self._table) < len(self._pairs):
            self._table = np.array(self._pairs, np.int64)
        return self._table


class ExistingTerms:
    """The distinct terms of all classes of pods, and what they say of candidates."""

    def __init__(self, cluster: ClusterState) -> None:
        self._cluster = cluster
        self.terms: list[AffinityTerm] = []
        """The distinct terms, in order of appearance."""
        self.owners = {relation: _Owners() for relation in Relation}
        """Who has them."""
        self._index: dict[AffinityTerm, int] = {}
        self._by_label: dict[tuple[str, str], list[int]] = {}
        self._for_anyone: list[int] = []
        self.seen = 0
        """How many classes with terms are taken in."""
        self._towards: dict[int, TermsTowards] = {}

    def towards(self, pod: PodRecord) -> TermsTowards:
        """What they say of this candidate, classes that came since included."""
        self._catch_up()
        group = pod.pod_class.group
        known = self._towards.get(group)
        if known is None:
            known = self._towards[group] = TermsTowards(self._cluster, self, pod)
        known.catch_up()
        return known

    def plausible(self, labels: Mapping[str, str]) -> Iterator[int]:
        """Terms that may mean a pod with these labels, each once; all others do not."""
        yield from self._for_anyone
        for pair in labels.items():
            yield from self._by_label.get(pair, ())

    def _catch_up(self) -> None:
        classes = self._cluster.pods.classes.with_affinity
        for pod_class in classes[self.seen :]:
            for relation, owners in self.owners.items():
                for term in relation.terms(pod_class.terms):
                    owners.add(pod_class.index, self._enter(term), term.weight)
        self.seen = len(classes)

    def _enter(self, term: AffinityTerm) -> int:
        index = self._index.setdefault(term, len(self.terms))
        if index == len(self.terms):
            self.terms.append(term)
            named = next((r for r in term.selector.requirements if r.operator == "In"), None)
            if named is None:
                self._for_anyone.append(index)
            else:
                for value in set(named.values):
                    self._by_label.setdefault((named.key, value), []).append(index)
        return index


class TermsTowards:
    """The terms that mean the pods of one group, summed per topology key and class."""

    def __init__(self, cluster: ClusterState, existing: ExistingTerms, pod: PodRecord) -> None:
        self._cluster = cluster
        self._existing = existing
        self._group = pod.pod_class.group
        self._namespace = pod.namespace
        self._labels = pod.pod_class.labels
        namespace = cluster.objects.find(Namespace, pod.namespace)
        self._namespace_labels: Mapping[str, str] = namespace.metadata.labels if namespace else {}
        self._decided = 0
        self._meant: dict[str, list[int]] = {}
        self._kept: dict[tuple[str, Relation], tuple[int, Ints]] = {}
        self._keys_of: dict[tuple[Relation, ...], tuple[int, list[str]]] = {}

    def catch_up(self) -> None:
        """Take in the terms that are new."""
        terms = self._existing.terms
        if self._decided == len(terms):
            return
        for index in self._existing.plausible(self._labels):
            if index >= self._decided and self.means(terms[index]):
                self._meant.setdefault(terms[index].key, []).append(index)
        self._decided = len(terms)

    def means(self, term: AffinityTerm) -> bool:
        """Whether a term of an existing pod means the candidate."""
        return term.matches(self._namespace, self._namespace_labels, self._labels)

    def terms_of(self, pod_class: PodClass, key: str) -> Iterator[tuple[Relation, AffinityTerm]]:
        """The terms of a class over a topology key that mean the candidate."""
        for relation in Relation:
            for term in relation.terms(pod_class.terms):
                if term.key == key and self.means(term):
                    yield relation, term

    def anti_keys(self) -> list[str]:
        """Topology keys of required anti-affinity terms that mean the candidate."""
        return self._keys(Relation.REQUIRED_ANTI)

    def anti(self, key: str) -> PodCount:
        """How many such terms the pods of each node have."""
        found = self._count("anti", key, (Relation.REQUIRED_ANTI, False, 1))
        return self._listed(found, self._cluster.unlisted.anti)

    def anti_terms(self, key: str) -> list[AffinityTerm]:
        """Those terms themselves, each once."""
        pairs = self._pairs(key, Relation.REQUIRED_ANTI)
        return [self._existing.terms[term] for term in np.unique(pairs[:, 1]).tolist()]

    def preferred_keys(self, hard_weight: int) -> list[str]:
        """Topology keys of terms that count in the score."""
        required = (Relation.REQUIRED,) if hard_weight else ()
        return self._keys(Relation.PREFERRED, Relation.PREFERRED_ANTI, *required)

    def score(self, key: str, hard_weight: int, *, everywhere: bool) -> PodCount:
        """What the terms of the pods of each node add to the score; required affinity counts `hard_weight`.

        A candidate that prefers pods itself has all nodes looked at, `everywhere`, others those that are listed.
        """
        found = self._count(
            f"score{hard_weight}",
            key,
            (Relation.PREFERRED, True, 1),
            (Relation.PREFERRED_ANTI, True, -1),
            (Relation.REQUIRED, False, hard_weight),
        )
        return found if everywhere else self._listed(found, self._cluster.unlisted.terms)

    def touched(self, key: str, hard_weight: int, *, everywhere: bool) -> PodCount:
        """How many terms count in the score, whatever they add: sums that cancel out are no Skip."""
        found = self._count(
            f"met{bool(hard_weight)}",
            key,
            (Relation.PREFERRED, False, 1),
            (Relation.PREFERRED_ANTI, False, 1),
            (Relation.REQUIRED, False, int(bool(hard_weight))),
        )
        return found if everywhere else self._listed(found, self._cluster.unlisted.terms)

    def _listed(self, found: PodCount, overlooked: set[int]) -> PodCount:
        """A sum without some pods."""
        if not overlooked:
            return found
        table, by_node = self._cluster.pods, found.by_node.copy()
        for pod in overlooked:
            by_node[table.node[pod]] -= found.weights[table.pod_class[pod]]
        return PodCount(found.weights, by_node, found.follower)

    def _keys(self, *relations: Relation) -> list[str]:
        """Topology keys of terms that mean the candidate, in one of some relations."""
        seen, keys = self._keys_of.get(relations, (-1, []))
        if seen != self._existing.seen:
            keys = [key for key in self._meant if any(self._pairs(key, r).size for r in relations)]
            self._keys_of[relations] = (self._existing.seen, keys)
        return keys

    def _pairs(self, key: str, relation: Relation) -> Ints:
        """int64 (pairs, 3): the classes with a term over the key that means the candidate, the term, its weight."""
        table = self._existing.owners[relation].table
        size, pairs = self._kept.get((key, relation), (0, table[:0]))
        if size < len(table):  # a term that is new comes with its owner
            meant = np.zeros(len(self._existing.terms), bool)
            meant[self._meant.get(key, [])] = True
            pairs = table[meant[table[:, 1]]]
            self._kept[key, relation] = (len(table), pairs)
        return pairs

    def _count(self, what: str, key: str, *sums: tuple[Relation, bool, int]) -> PodCount:
        """Sum over the pods of each node; of each relation: whether the terms' own weights count, and a factor."""

        def weights() -> Ints:
            total = np.zeros(len(self._cluster.pods.classes), np.int64)
            for relation, weighted, factor in sums:
                pairs = self._pairs(key, relation)
                np.add.at(total, pairs[:, 0], factor * pairs[:, 2] if weighted else factor)
            return total

        return self._cluster.counts.get(("existing", what, self._group, key), weights)
