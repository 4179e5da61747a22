"""Inter-pod affinity and anti-affinity of the candidate: a term dropped, or over another topology."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice
from typing import Final

from kschedctl.advice.combinations import cheapest_first
from kschedctl.advice.costs import COSTS
from kschedctl.advice.json_patch import add, remove
from kschedctl.advice.measure import Measure, Measures, PodPatch
from kschedctl.advice.situation import Ints, Situation
from kschedctl.objects.constraints import PodAffinityTerm
from kschedctl.objects.selectors import SelectorError, parse_label_selector
from kschedctl.objects.well_known import HOSTNAME, REGION, ZONE
from kschedctl.plugins.explanations.wording import selector_text

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_KINDS: Final = (("podAffinity", "pod affinity"), ("podAntiAffinity", "pod anti-affinity"))
_MOST_TOGETHER: Final = 12


def pod_affinity(situation: Situation, rows: Ints) -> Iterator[Measures]:
    """Some of the required terms of the candidate, dropped or over another topology; one alone first."""
    ways = list(_terms(situation))
    for count in range(1, len(ways) + 1):
        for chosen in combinations(ways, count):
            yield from islice(cheapest_first(chosen, COSTS), _MOST_TOGETHER)


def _terms(situation: Situation) -> Iterator[list[Measures]]:
    """What can be done about each required term."""
    affinity = situation.spec.affinity
    if affinity is None:
        return
    for (key, word), found in zip(_KINDS, (affinity.pod_affinity, affinity.pod_anti_affinity), strict=True):
        for at, term in enumerate(found.required if found else ()):
            where = ("spec", "affinity", key, _REQUIRED, at)
            what, key_now = f"{word} {_meant(term)}", term.topology_key
            text = f"{what} over {key_now} dropped"
            dropped = Measure("affinity-drop", text, (PodPatch((remove(*where),)),))
            ways: list[Measures] = [(dropped,)]
            for other in _other_keys(term.topology_key, wider=key == "podAffinity"):
                patch = PodPatch((add(other, *where, "topologyKey"),))
                text = f"{what} over {other}, not {key_now}"
                ways.append((Measure("affinity-relax", text, (patch,)),))
            yield ways


def _other_keys(key: str, *, wider: bool) -> tuple[str, ...]:
    """Topologies in which the term is met more easily: larger domains to be near, smaller ones to be apart."""
    order = (HOSTNAME, ZONE, REGION)
    if key not in order:
        return ()
    at = order.index(key)
    return order[at + 1 :] if wider else order[:at][::-1]


def _meant(term: PodAffinityTerm) -> str:
    try:
        return f"to {selector_text(parse_label_selector(term.label_selector))}"
    except SelectorError:
        return "with a bad selector"
