"""Inter-pod affinity and anti-affinity of the candidate: a term dropped, or over another topology."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kschedctl.advice.json_patch import Operation, add, remove
from kschedctl.advice.measure import Measure, PodPatch
from kschedctl.advice.situation import Ints, Situation
from kschedctl.objects.pod import PodAffinityTerm
from kschedctl.objects.selectors import SelectorError, parse_label_selector
from kschedctl.plugins.explanations.wording import selector_text

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_KINDS: Final = (("podAffinity", "pod affinity"), ("podAntiAffinity", "pod anti-affinity"))
_HOST: Final = "kubernetes.io/hostname"
_ZONE: Final = "topology.kubernetes.io/zone"
_REGION: Final = "topology.kubernetes.io/region"


def pod_affinity(situation: Situation, rows: Ints) -> Iterator[Measure]:
    """Each required term of the candidate; then all of one list."""
    affinity = situation.spec.affinity
    if affinity is None:
        return
    for (key, word), found in zip(_KINDS, (affinity.pod_affinity, affinity.pod_anti_affinity), strict=True):
        terms = found.required if found else ()
        for at, term in enumerate(terms):
            where = ("spec", "affinity", key, _REQUIRED, at)
            what = f"{word} {_meant(term)} over {term.topology_key}"
            yield Measure("affinity-drop", f"{what} dropped", (PodPatch((remove(*where),)),))
            for other in _other_keys(term.topology_key, wider=key == "podAffinity"):
                text = f"{what} over {other} instead"
                yield Measure("affinity-relax", text, (PodPatch((add(other, *where, "topologyKey"),)),))
        if len(terms) > 1:
            operations: tuple[Operation, ...] = (remove("spec", "affinity", key, _REQUIRED),)
            yield Measure(
                "affinity-drop", f"required {word} dropped", (PodPatch(operations),), size=len(terms)
            )


def _other_keys(key: str, *, wider: bool) -> tuple[str, ...]:
    """Topologies in which the term is met more easily: larger domains to be near, smaller ones to be apart."""
    order = (_HOST, _ZONE, _REGION)
    if key not in order:
        return ()
    at = order.index(key)
    return order[at + 1 :] if wider else order[:at][::-1]


def _meant(term: PodAffinityTerm) -> str:
    try:
        return f"to {selector_text(parse_label_selector(term.label_selector))}"
    except SelectorError:
        return "with a bad selector"
