"""Why the selected node and not the next best: the plugins that tell them apart, with what they saw."""

from __future__ import annotations

from kschedctl.reports.explain.model import Comparison, ScoreGap
from kschedctl.reports.explain.reasons import natural_key
from kschedctl.scheduling.decision import Decision


def comparison_of(decision: Decision) -> Comparison | None:
    """The selected node against the one with the next highest total that is not equal, None where there is none."""
    phase, selected, framework = decision.scores, decision.selected, decision.framework
    if (
        phase is None
        or framework is None
        or selected is None
        or len(phase.feasible) < 2
        or decision.made_up  # of which plugins know nothing
    ):
        return None
    names = decision.cluster.nodes.names
    rows, totals = phase.feasible.tolist(), phase.totals.tolist()
    best = rows.index(selected)
    places = [place for place in range(len(rows)) if place != best and totals[place] < totals[best]]
    if not places:
        return None
    next_best = min(places, key=lambda place: (-totals[place], natural_key(names[rows[place]])))
    gaps = []
    for column in phase.columns:
        points = int(column.weighted[best] - column.weighted[next_best])
        if points:
            why = ""  # nobody knows why an extender scores as it does
            if framework.has(column.plugin):
                plugin = framework.plugin(column.plugin)
                why = plugin.score_gap(
                    decision.pod, decision.cluster, phase.feasible, selected, rows[next_best]
                )
            gaps.append(ScoreGap(plugin=column.plugin, points=points, why=why))
    gaps.sort(key=lambda gap: -gap.points)
    return Comparison(selected=names[selected], runner_up=names[rows[next_best]], gaps=gaps)
