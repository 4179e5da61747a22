"""`matchLabelKeys` and `mismatchLabelKeys`, merged into the selectors beside them (spec 03 1.2, 2.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from kschedctl.objects.constraints import Affinity, PodAffinity, PodAffinityTerm, TopologySpreadConstraint
from kschedctl.objects.meta import LabelSelector, LabelSelectorRequirement
from kschedctl.objects.pod import PodSpec


def has_label_keys(spec: PodSpec) -> bool:
    """Whether the spec depends on the pod's labels at all."""
    if any(constraint.match_label_keys for constraint in spec.topology_spread_constraints):
        return True
    if spec.affinity is None:
        return False
    sides = (spec.affinity.pod_affinity, spec.affinity.pod_anti_affinity)
    return any(
        term.match_label_keys or term.mismatch_label_keys
        for side in sides
        if side is not None
        for term in (*side.required, *(weighted.pod_affinity_term for weighted in side.preferred))
    )


def merge_label_keys(spec: PodSpec, labels: Mapping[str, str], *, once: bool, spread: bool = True) -> PodSpec:
    """The spec with the keys that the pod has as requirements on their values.

    Args:
        spec: the pod's spec.
        labels: the pod's labels.
        once: leave alone what was merged when the pod was made, even if its labels were changed since.
        spread: whether the keys of spread constraints are merged as well as those of affinity terms.
    """
    if not has_label_keys(spec):
        return spec
    constraints = spec.topology_spread_constraints
    if spread:
        constraints = tuple(_merge_constraint(c, labels, once) for c in constraints)
    affinity = spec.affinity and _merge_affinity(spec.affinity, labels, once)
    return replace(spec, topology_spread_constraints=constraints, affinity=affinity)


def _merge_constraint(
    constraint: TopologySpreadConstraint, labels: Mapping[str, str], once: bool
) -> TopologySpreadConstraint:
    selector = constraint.label_selector
    if selector is None:
        return constraint
    added = _requirements("In", constraint.match_label_keys, labels, selector if once else None)
    return replace(constraint, label_selector=_extended(selector, added))


def _merge_affinity(affinity: Affinity, labels: Mapping[str, str], once: bool) -> Affinity:
    return replace(
        affinity,
        pod_affinity=affinity.pod_affinity and _merge_side(affinity.pod_affinity, labels, once),
        pod_anti_affinity=affinity.pod_anti_affinity
        and _merge_side(affinity.pod_anti_affinity, labels, once),
    )


def _merge_side(side: PodAffinity, labels: Mapping[str, str], once: bool) -> PodAffinity:
    required = tuple(_merge_term(term, labels, once) for term in side.required)
    preferred = tuple(
        replace(weighted, pod_affinity_term=_merge_term(weighted.pod_affinity_term, labels, once))
        for weighted in side.preferred
    )
    return PodAffinity(
        required_during_scheduling_ignored_during_execution=required,
        preferred_during_scheduling_ignored_during_execution=preferred,
    )


def _merge_term(term: PodAffinityTerm, labels: Mapping[str, str], once: bool) -> PodAffinityTerm:
    selector = term.label_selector
    if selector is None:
        return term
    merged = selector if once else None
    added = _requirements("In", term.match_label_keys, labels, merged)
    added += _requirements("NotIn", term.mismatch_label_keys, labels, merged)
    return replace(term, label_selector=_extended(selector, added))


def _requirements(
    operator: str, keys: Sequence[str], labels: Mapping[str, str], merged: LabelSelector | None
) -> list[LabelSelectorRequirement]:
    """A requirement on the pod's own value of each key it has, but for keys that `merged` shows as done."""
    done = set[str]()
    if merged is not None:
        done = {e.key for e in merged.match_expressions if e.operator == operator}
    return [
        LabelSelectorRequirement(key=key, operator=operator, values=(labels[key],))
        for key in keys
        if key in labels and key not in done
    ]


def _extended(selector: LabelSelector, added: Sequence[LabelSelectorRequirement]) -> LabelSelector:
    if not added:
        return selector
    return replace(selector, match_expressions=(*selector.match_expressions, *added))
