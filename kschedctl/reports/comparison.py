"""Why the selected node and not the next best: the plugins that tell them apart, with what they saw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from kschedctl.objects.selectors import Requirement, parse_preferred_terms
from kschedctl.objects.tolerations import is_tolerated
from kschedctl.plugins.explanations.spread import spread_gap
from kschedctl.plugins.explanations.usage import usage_gap
from kschedctl.plugins.image_locality import images_of
from kschedctl.reports.explanation import Comparison, ScoreGap
from kschedctl.reports.reasons import natural_key
from kschedctl.scheduling.decision import Decision


def comparison_of(decision: Decision) -> Comparison | None:
    """The selected node against the one with the next highest total, None where there is none or it is equal."""
    phase, selected = decision.scores, decision.selected
    if phase is None or selected is None or len(decision.ties) > 1 or len(phase.feasible) < 2:
        return None
    names = decision.cluster.nodes.names
    rows, totals = phase.feasible.tolist(), phase.totals.tolist()
    best = rows.index(selected)
    places = [place for place in range(len(rows)) if place != best]
    next_best = min(places, key=lambda place: (-totals[place], natural_key(names[rows[place]])))
    gaps = []
    for column in phase.columns:
        points = int(column.weighted[best] - column.weighted[next_best])
        if points:
            why = _REASONS.get(column.plugin, _silent)(decision, selected, rows[next_best])
            gaps.append(ScoreGap(plugin=column.plugin, points=points, why=why))
    gaps.sort(key=lambda gap: -gap.points)
    return Comparison(selected=names[selected], runner_up=names[rows[next_best]], gaps=gaps)


def _silent(decision: Decision, row: int, other: int) -> str:
    return ""


def _usage(decision: Decision, row: int, other: int) -> str:
    """How full the nodes would be, of the resources that the profile scores."""
    return usage_gap(_score_state(decision, "NodeResourcesFit"), row, other, decision.cluster)


def _soft_taints(decision: Decision, row: int, other: int) -> str:
    """The soft taints that count against either node."""
    tolerations = decision.pod.pod.spec.tolerations
    parts = []
    for r in (other, row):
        node = decision.cluster.nodes.objects[r]
        taints = [
            str(taint)
            for taint in node.spec.taints
            if taint.effect == "PreferNoSchedule" and not is_tolerated(tolerations, taint)
        ]
        if taints:
            parts.append(f"{node.name} has taint {', '.join(taints)}")
    return "; ".join(parts)


def _preferences(decision: Decision, row: int, other: int) -> str:
    """The preferred terms that only one of the nodes matches."""
    affinity = decision.pod.pod.spec.affinity
    preferred = affinity.node_affinity.preferred if affinity and affinity.node_affinity else ()
    nodes = decision.cluster.nodes
    parts = []
    for weight, term in parse_preferred_terms(preferred):
        here, there = (term.matches(nodes.labels(r), nodes.names[r]) for r in (row, other))
        if here != there:
            wish = " and ".join(map(_wish, (*term.expressions, *term.fields)))
            parts.append(f"{nodes.names[row if here else other]} has {wish}, weight {weight}")
    return "; ".join(parts)


def _wish(wanted: Requirement) -> str:
    if wanted.operator == "In" and len(wanted.values) == 1:
        return f"{wanted.key}={wanted.values[0]}"
    values = f" [{', '.join(wanted.values)}]" if wanted.values else ""
    return f"{wanted.key} {wanted.operator}{values}"


def _images(decision: Decision, row: int, other: int) -> str:
    """The images that only one of the nodes holds."""
    assert decision.framework is not None
    nodes = decision.cluster.nodes
    parts = []
    for name in dict.fromkeys(
        images_of(decision.pod.pod.spec, decision.framework.version.facts.image_volumes)
    ):
        spread = nodes.images.get(name)
        holding = [nodes.names[r] for r in (row, other) if spread is not None and r in spread.rows]
        if len(holding) == 1:
            parts.append(f"{holding[0]} holds {name}")
    return "; ".join(parts)


def _spread(decision: Decision, row: int, other: int) -> str:
    """How many pods count for either node."""
    return spread_gap(_score_state(decision, "PodTopologySpread"), row, other, decision.cluster)


def _affinity(decision: Decision, row: int, other: int) -> str:
    """The sums of the weights of the terms that are met, of both sides."""
    raw = _score_state(decision, "InterPodAffinity")
    return f"weights met {int(raw[row])}, {decision.cluster.nodes.names[other]} {int(raw[other])}"


def _score_state(decision: Decision, plugin: str) -> Any:
    """What PreScore of a plugin left, made anew."""
    assert decision.framework is not None
    assert decision.scores is not None
    scoring = decision.framework.plugin(plugin)
    return scoring.pre_score(decision.pod, decision.cluster, decision.scores.feasible).state


_REASONS: Final[Mapping[str, Callable[[Decision, int, int], str]]] = MappingProxyType(
    {
        "NodeResourcesFit": _usage,
        "TaintToleration": _soft_taints,
        "NodeAffinity": _preferences,
        "ImageLocality": _images,
        "PodTopologySpread": _spread,
        "InterPodAffinity": _affinity,
    }
)
