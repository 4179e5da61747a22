"""Terms of existing pods that mean a candidate (direction B of spec 03 §2.2), found once per label group."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.affinity_terms import AffinityTerm
from kschedctl.cluster.counts import PodCount
from kschedctl.cluster.pod_class import PodClass
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.core import Namespace

Ints = npt.NDArray[np.int64]
ByClass = dict[int, int]
"""Class of pods -> sum over its terms."""


class ExistingTerms:
    """What the terms of all classes say of candidates, per `(namespace, labels)` of the candidate."""

    def __init__(self, cluster: ClusterState) -> None:
        self._cluster = cluster
        self._known: dict[int, TermsTowards] = {}

    def towards(self, pod: PodRecord) -> TermsTowards:
        """What they say of this candidate, classes that came since included."""
        group = pod.klass.group
        known = self._known.get(group)
        if known is None:
            known = self._known[group] = TermsTowards(self._cluster, pod)
        known.catch_up()
        return known


class TermsTowards:
    """The terms that mean the pods of one group, summed per topology key and class."""

    def __init__(self, cluster: ClusterState, pod: PodRecord) -> None:
        self._cluster = cluster
        self._group = pod.klass.group
        self._namespace = pod.namespace
        self._labels = pod.klass.labels
        namespace = cluster.objects.find(Namespace, pod.namespace)
        self._namespace_labels: Mapping[str, str] = namespace.metadata.labels if namespace else {}
        self._decided: dict[AffinityTerm, bool] = {}
        self._seen = 0
        self._anti: dict[str, ByClass] = {}
        self._preferred: dict[str, ByClass] = {}
        self._wished: dict[str, ByClass] = {}
        """How many preferred terms of each class, for what only asks whether any was met."""
        self._required: dict[str, ByClass] = {}

    def catch_up(self) -> None:
        """Take in the classes that are new."""
        classes = self._cluster.pods.classes_with_affinity
        for klass in classes[self._seen :]:
            self._take_in(klass)
        self._seen = len(classes)

    def _take_in(self, klass: PodClass) -> None:
        terms = klass.terms
        for term in filter(self._means, terms.required_anti):
            _add(self._anti, term.key, klass, 1)
        for term in filter(self._means, terms.required):
            _add(self._required, term.key, klass, 1)
        for sign, listed in ((1, terms.preferred), (-1, terms.preferred_anti)):
            for term in filter(self._means, listed):
                _add(self._preferred, term.key, klass, sign * term.weight)
                _add(self._wished, term.key, klass, 1)

    def _means(self, term: AffinityTerm) -> bool:
        known = self._decided.get(term)
        if known is None:
            known = term.matches(self._namespace, self._namespace_labels, self._labels)
            self._decided[term] = known
        return known

    def anti_keys(self) -> list[str]:
        """Topology keys of required anti-affinity terms that mean the candidate."""
        return list(self._anti)

    def anti(self, key: str) -> PodCount:
        """How many such terms the pods of each node have."""
        return self._count("anti", key, (self._anti, 1))

    def preferred_keys(self, hard_weight: int) -> list[str]:
        """Topology keys of terms that count in the score."""
        return list(dict.fromkeys((*self._preferred, *(self._required if hard_weight else ()))))

    def score(self, key: str, hard_weight: int) -> PodCount:
        """What the terms of the pods of each node add to the score; required affinity counts `hard_weight`."""
        return self._count(f"score{hard_weight}", key, (self._preferred, 1), (self._required, hard_weight))

    def touched(self, key: str, hard_weight: int) -> PodCount:
        """How many terms count in the score, whatever they add: sums that cancel out are no Skip."""
        return self._count(
            f"met{bool(hard_weight)}", key, (self._wished, 1), (self._required, bool(hard_weight))
        )

    def _count(self, what: str, key: str, *sums: tuple[dict[str, ByClass], int]) -> PodCount:
        def weights() -> Ints:
            total = np.zeros(len(self._cluster.pods.classes), np.int64)
            for by_key, factor in sums:
                for klass, amount in by_key.get(key, {}).items():
                    total[klass] += factor * amount
            return total

        return self._cluster.counts.get(("existing", what, self._group, key), weights)


def _add(sums: dict[str, ByClass], key: str, klass: PodClass, amount: int) -> None:
    by_class = sums.setdefault(key, {})
    by_class[klass.index] = by_class.get(klass.index, 0) + amount
