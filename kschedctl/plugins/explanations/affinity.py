"""Inter-pod affinity in words: which pod on which node attracts or repels, by which term, in which direction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from kschedctl.cluster.affinity_terms import AffinityTerm
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.status import Background, BackgroundOf, Cell, Detail
from kschedctl.objects.phrases import names_text, plural
from kschedctl.objects.well_known import HOSTNAME
from kschedctl.plugins.affinity_counts import (
    PLUGIN,
    REASON_AFFINITY,
    REASON_ANTI_AFFINITY,
    REASON_EXISTING,
    AffinityRowCounts,
    FilterState,
    TermCounter,
)
from kschedctl.plugins.existing_terms import Relation, TermsTowards
from kschedctl.plugins.explanations.one_row import only
from kschedctl.plugins.explanations.wording import pod_text, selector_text, term_text
from kschedctl.plugins.term_namespaces import TermNamespaces

Ints = npt.NDArray[np.int64]


def affinity_details(state: FilterState, rows: Rows, row: int) -> Iterator[Detail]:
    """Everything that attracts or repels the pod and so rejects a row."""
    one = only(rows, row)
    changed: AffinityRowCounts | None = one.row_states.get(PLUGIN)
    deltas = [0] * len(state.counters) if changed is None else changed.deltas[0].tolist()
    places = [_Place(counter, one, delta) for counter, delta in zip(state.counters, deltas, strict=True)]
    wanted, unwanted = len(state.affinity), len(state.affinity) + len(state.anti)
    yield from _unmet(state, places[:wanted])
    repelling = {place.counter.key: place for place in places[unwanted:] if place.count > 0}
    for term, place in zip(state.terms.required_anti, places[wanted:unwanted], strict=True):
        if place.count > 0:
            mutual = term.key in repelling and _is_mutual(state, term, place.counter)
            what = "mutual anti-affinity with" if mutual else "its anti-affinity to"
            subject = f"{what} {term_text(term)} over {term.key}"
            yield Detail(PLUGIN, REASON_ANTI_AFFINITY, subject, f"{subject}: {place.example()}")
            if mutual:
                del repelling[term.key]
    for place in repelling.values():
        subject = f"anti-affinity of running pods over {place.counter.key}"
        yield Detail(PLUGIN, REASON_EXISTING, subject, f"{_repeller(state, place)}")


def _is_mutual(state: FilterState, term: AffinityTerm, own: TermCounter) -> bool:
    """Whether running pods keep the candidate away over a key by this very term, and are all pods that it means.

    So it is among replicas that are to be apart: what either side says of the other is one fact.
    """
    theirs = next((counter for counter in state.existing if counter.key == term.key), None)
    return (
        theirs is not None
        and bool(theirs.counts.any())
        and state.towards.anti_terms(term.key) == [term]
        and bool((own.weights[theirs.weights > 0] > 0).all())
    )


class _Place:
    """What a counter says of one row."""

    def __init__(self, counter: TermCounter, one: Rows, delta: int) -> None:
        self.counter = counter
        self.cluster = one.cluster
        self.node = int(one.index[0])
        self.code = int(counter.column.codes[self.node])
        self.count = 0 if self.code < 0 else int(counter.counts[self.code]) + delta

    @property
    def domain(self) -> str:
        """`zone=a`."""
        return f"{self.counter.key}={self.counter.column.values[self.code]}"

    def pod(self) -> int | None:
        """A pod that the counter counts here: one on the node itself where there is one."""
        pod_class, weights = self.cluster.pods.pod_class, self.counter.weights
        own = next((pod for pod in self.cluster.usage.pods[self.node] if weights[pod_class[pod]]), None)
        return self.counter.example(self.code, self.cluster) if own is None else own

    def example(self) -> str:
        """That pod with its node, and how many more there are."""
        pod = self.pod()
        text = "a pod that is nominated there" if pod is None else pod_text(pod, self.cluster)
        more = f" and {self.count - 1} more" if self.count > 1 else ""
        return f"{text}{more} in {self.domain}" if self.counter.key != HOSTNAME else text + more


def _unmet(state: FilterState, places: Sequence[_Place]) -> Iterator[Detail]:
    """The required affinity terms that a row does not meet."""
    first = state.self_match and not any(place.counter.counts.any() for place in places)
    for term, place in zip(state.terms.required, places, strict=True):
        if place.code < 0:
            text = f"no label {term.key}, which its pod affinity to {term_text(term)} needs"
            yield Detail(PLUGIN, REASON_AFFINITY, text, text)
        elif place.count <= 0 and not first:
            subject = f"its pod affinity over {term.key}: no {term_text(term)}"
            yield Detail(PLUGIN, REASON_AFFINITY, subject, f"{subject} in {place.domain}")


def _repeller(state: FilterState, place: _Place) -> str:
    """Whose anti-affinity it is, and which term of it."""
    pod = place.pod()
    if pod is None:
        return f"anti-affinity of a pod that is nominated there, over {place.counter.key}"
    pod_class = place.cluster.pods.records[pod].pod_class
    term = next(
        t for r, t in state.towards.terms_of(pod_class, place.counter.key) if r is Relation.REQUIRED_ANTI
    )
    return f"{place.example()} keeps away {term_text(term)} over {term.key}"


def filter_backgrounds(state: FilterState, cluster: ClusterState) -> Iterator[Background]:
    """A table per term that can reject a node: the domains in which pods are that it counts."""
    terms = state.terms
    for term, counter in zip(terms.required, state.affinity, strict=True):
        notes = [
            *_elsewhere(term, counter, cluster),
            *_first_pod(state),
            *quirk_notes(term, cluster, state.keeps_namespace_selector),
        ]
        if len(terms.required) > 1:
            notes.insert(0, "Only pods that match all its required terms count.")
        title = f"pod affinity to {term_text(term)} over {term.key}"
        yield _table(BackgroundOf.FILTER, title, "attracts", counter, cluster, notes)
    told = set()
    for term, counter in zip(terms.required_anti, state.anti, strict=True):
        mutual = _is_mutual(state, term, counter)
        what = "mutual pod anti-affinity with" if mutual else "pod anti-affinity to"
        title = f"{what} {term_text(term)} over {term.key}"
        notes = [*quirk_notes(term, cluster, state.keeps_namespace_selector)]
        yield _table(BackgroundOf.FILTER, title, "repels", counter, cluster, notes)
        if mutual:
            told.add(term.key)
    for counter in state.existing:
        if counter.key in told or not counter.counts.any():
            continue
        title = f"running pods with anti-affinity to this pod over {counter.key}"
        yield _table(BackgroundOf.FILTER, title, "repels", counter, cluster, [], state.towards)


def _first_pod(state: FilterState) -> Iterator[str]:
    """What holds as long as no pod matches anywhere."""
    if any(counter.counts.any() for counter in state.affinity):
        return
    if state.self_match:
        yield "This pod matches its own terms: as the first it may go to any node with the label."
    else:
        yield "This pod does not match its own terms: it cannot be the first."


def _elsewhere(term: AffinityTerm, counter: TermCounter, cluster: ClusterState) -> Iterator[str]:
    """Where the pods are that a term is probably about, when it finds none."""
    if counter.counts.any():
        return
    if others := sorted(_namespaces_with(term, cluster) - TermNamespaces.of(cluster).named(term)):
        yield f"Pods with these labels run in {names_text(others)}, where the term does not look."


def _namespaces_with(term: AffinityTerm, cluster: ClusterState) -> set[str]:
    """Namespaces with running pods that the label selector of a term matches."""
    table = cluster.pods
    meant = table.classes.groups.matching(term.selector)
    groups = table.classes.group[table.pod_class[table.node >= 0]]
    return {table.classes.groups.namespace(group) for group in set(groups[meant[groups]].tolist())}


def quirk_notes(term: AffinityTerm, cluster: ClusterState, keeps_selector: bool) -> Iterator[str]:
    """Namespaces whose pods count although the term's namespace selector leaves them out."""
    selector = term.namespace_selector
    if not keeps_selector or selector.everything or not selector.matches({}):
        return
    if foreign := sorted(_namespaces_with(term, cluster) - TermNamespaces.of(cluster).named(term)):
        yield (
            f"The namespace selector {selector_text(selector)} leaves out {names_text(foreign)}, yet their "
            "pods count: kube-scheduler takes a selector without a positive requirement to mean every namespace."
        )


def _table(
    asked: BackgroundOf,
    title: str,
    effect: str,
    counter: TermCounter,
    cluster: ClusterState,
    notes: Sequence[str],
    towards: TermsTowards | None = None,
) -> Background:
    """The domains in which a counter counts something, most first, each with one of the pods."""
    rows: list[tuple[Cell, ...]] = []
    for code in np.flatnonzero(counter.counts).tolist():
        pod = counter.example(code, cluster)
        assert pod is not None
        cells: list[Cell] = [
            counter.column.values[code],
            int(counter.counts[code]),
            effect,
            pod_text(pod, cluster),
        ]
        if towards is not None:
            cells.append(_terms(towards, cluster.pods.records[pod], counter.key))
        rows.append(tuple(cells))
    rows.sort(key=lambda row: (-abs(int(row[1] or 0)), str(row[0])))
    columns = ("domain", "pods", "effect", "example", *(("term",) if towards is not None else ()))
    if not rows:
        notes = ["No such pod runs on a node with that label.", *notes]
    return Background(PLUGIN, asked, title, columns if rows else (), tuple(rows), tuple(notes))


def _terms(towards: TermsTowards, owner: PodRecord, key: str) -> str:
    """The terms of a running pod that mean the candidate over a key."""
    return "; ".join(
        f"{relation.value} {term_text(term)}" for relation, term in towards.terms_of(owner.pod_class, key)
    )


def score_backgrounds(
    wishes: Sequence[tuple[int, AffinityTerm, TermCounter]],
    existing: Sequence[TermCounter],
    towards: TermsTowards,
    cluster: ClusterState,
    keeps_selector: bool,
) -> Iterator[Background]:
    """A table per term and key that adds to the raw score.

    Args:
        wishes: the candidate's preferred terms with their signs (+1 attracts, -1 repels) and counters.
        existing: a counter of points per topology key of running pods' terms that mean the candidate.
        towards: those terms.
        cluster: the cluster.
        keeps_selector: whether a namespace selector is held against an empty label set too.
    """
    for sign, term, counter in wishes:
        verb, effect = ("prefers", "attracts") if sign > 0 else ("avoids", "repels")
        title = f"{verb} {term_text(term)} over {term.key}, {plural(sign * term.weight, 'point')} a pod"
        notes = [*quirk_notes(term, cluster, keeps_selector)]
        yield _table(BackgroundOf.SCORE, title, effect, counter, cluster, notes)
    for counter in existing:
        if not counter.counts.any():
            continue
        found = _table(
            BackgroundOf.SCORE,
            f"points by running pods' terms over {counter.key}",
            "",
            counter,
            cluster,
            [],
            towards,
        )
        at = found.columns.index("pods") if found.columns else 0
        columns = tuple("points" if name == "pods" else name for name in found.columns if name != "effect")
        rows = tuple(row[: at + 1] + row[at + 2 :] for row in found.rows)
        yield Background(found.plugin, found.asked, found.title, columns, rows, found.notes)
