"""Spread constraints: a larger skew, fewer domains, other nodes that count, or a wish in place of a demand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec
import numpy as np
from msgspec.structs import replace

from kschedctl.advice.json_patch import Operation, add, add_within, remove
from kschedctl.advice.measure import Measure, PodPatch
from kschedctl.advice.obstacles.node_affinity import labelled
from kschedctl.advice.situation import Ints, Situation
from kschedctl.objects.constraints import TopologySpreadConstraint
from kschedctl.objects.meta import LabelSelector
from kschedctl.objects.well_known import HOSTNAME, REGION, ZONE
from kschedctl.plugins.spread_constraints import HARD, SOFT
from kschedctl.plugins.spread_counts import PLUGIN, HardCounts
from kschedctl.workloads.replicated import HASH_LABEL

_FIELD: Final = "topologySpreadConstraints"
_GIVEN: Final = (HOSTNAME, ZONE, REGION)


def spread(situation: Situation, rows: Ints) -> Iterator[Measure]:
    """Each hard constraint that refuses some of the nodes, relaxed in every way that there is."""
    state: tuple[HardCounts, ...] | None = situation.phase.states.get(PLUGIN)
    if not state:
        return
    own = situation.spec.topology_spread_constraints
    if not own:
        yield from _of_defaults(situation)
        return
    places = [at for at, constraint in enumerate(own) if constraint.when_unsatisfiable == HARD]
    refusing = [(at, hard) for at, hard in zip(places, state, strict=True) if _refuses(hard, situation, rows)]
    for at, hard in refusing:
        yield from _relaxed(situation, own[at], at, hard, rows)
    if len(refusing) > 1:
        yield _wished(situation, [at for at, _ in refusing])
    yield from _labels(situation, [hard for _, hard in refusing], rows)


def _refuses(hard: HardCounts, situation: Situation, rows: Ints) -> bool:
    codes = hard.constraint.column.codes[rows]
    skew = hard.skew(situation.rows, None)[rows]
    return bool(((codes < 0) | (skew > hard.constraint.max_skew)).any())


def _relaxed(
    situation: Situation, constraint: TopologySpreadConstraint, at: int, hard: HardCounts, rows: Ints
) -> Iterator[Measure]:
    over = f"the spread over {constraint.topology_key}"
    place = ("spec", _FIELD, at)
    codes = hard.constraint.column.codes[rows]
    skews = hard.skew(situation.rows, None)[rows][codes >= 0]
    beyond = skews[skews > constraint.max_skew]
    for skew in np.unique(beyond)[:2].tolist():
        text = f"maxSkew >= {skew} for {over}"
        size = 1 + 0.1 * (skew - constraint.max_skew)
        yield Measure("spread-relax", text, (PodPatch((add(skew, *place, "maxSkew"),)),), size=round(size, 2))
    domains = int(hard.present.sum())
    if constraint.min_domains and constraint.min_domains > max(domains, 1):
        text = f"minDomains <= {max(domains, 1)} for {over}"
        yield Measure("spread-relax", text, (PodPatch((add(max(domains, 1), *place, "minDomains"),)),))
    for field, value in (
        ("nodeTaintsPolicy", constraint.node_taints_policy),
        ("nodeAffinityPolicy", constraint.node_affinity_policy),
    ):
        if value != "Honor" and not (field == "nodeAffinityPolicy" and value is None):
            text = f"{field}: Honor for {over}"
            yield Measure("spread-relax", text, (PodPatch((add("Honor", *place, field),)),))
    hashed = HASH_LABEL in situation.record.pod.labels and HASH_LABEL not in constraint.match_label_keys
    if hashed:
        text = f"matchLabelKeys: [{HASH_LABEL}] for {over}"
        op = add_within(situation.document, HASH_LABEL, *place, "matchLabelKeys", "-")
        yield Measure("spread-relax", text, (PodPatch((op,)),))
    yield _wished(situation, [at])


def _wished(situation: Situation, places: list[int]) -> Measure:
    own = situation.spec.topology_spread_constraints
    ops: list[Operation] = []
    for at in places:
        if own[at].min_domains is not None:
            ops.append(remove("spec", _FIELD, at, "minDomains"))
        ops.append(add(SOFT, "spec", _FIELD, at, "whenUnsatisfiable"))
    keys = " and over ".join(own[at].topology_key for at in places)
    text = f"whenUnsatisfiable: {SOFT} for the spread over {keys}"
    return Measure("spread-drop", text, (PodPatch(tuple(ops)),), size=len(places))


def _of_defaults(situation: Situation) -> Iterator[Measure]:
    """Constraints of the scheduler's configuration hold for pods without any of their own."""
    wanted = situation.framework.profile.args(PLUGIN)
    defaults = getattr(wanted, "default_constraints", ())
    own: list[Any] = [
        msgspec.to_builtins(replace(c, when_unsatisfiable=SOFT, label_selector=_own_labels(situation)))
        for c in defaults
    ]
    if own:
        op = add_within(situation.document, own, "spec", _FIELD)
        text = "own spread constraints (ScheduleAnyway) in place of the scheduler's defaults"
        yield Measure("spread-drop", text, (PodPatch((op,)),))


def _own_labels(situation: Situation) -> LabelSelector:
    return LabelSelector(match_labels=dict(situation.record.pod.labels))


def _labels(situation: Situation, refusing: list[HardCounts], rows: Ints) -> Iterator[Measure]:
    """A node that lacks the key gets it, as a domain of its own or one that there is."""
    for hard in refusing:
        constraint = hard.constraint
        if constraint.key in _GIVEN[1:]:
            continue
        lacking = rows[constraint.column.codes[rows] < 0]
        for row in situation.nearest(lacking, 2).tolist():
            node = situation.cluster.nodes.objects[row]
            values = constraint.column.values
            if constraint.key == HOSTNAME:
                yield labelled(node, row, {constraint.key: node.name})
                continue
            least = int(hard.counts.argmin()) if len(values) else -1
            options = dict.fromkeys([values[least], node.name] if len(values) else [node.name])
            for value in options:
                yield labelled(node, row, {constraint.key: value})
