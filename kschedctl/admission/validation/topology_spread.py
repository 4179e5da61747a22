"""Rules for topology spread constraints (spec 03 1.2)."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.objects.pod import TopologySpreadConstraint

from .labels import validate_keys_not_selected, validate_label_keys, validate_label_selector
from .problems import Problems, duplicate, invalid, required, unsupported

_ACTIONS = ("DoNotSchedule", "ScheduleAnyway")
_POLICIES = ("Honor", "Ignore")
_NOT_POSITIVE = "must be greater than zero"


def validate_spread_constraints(path: str, constraints: Sequence[TopologySpreadConstraint]) -> Problems:
    """All constraints of a pod; no key may be spread twice with the same action."""
    kinds = [(c.topology_key, c.when_unsatisfiable) for c in constraints]
    for i, constraint in enumerate(constraints):
        at = f"{path}[{i}]"
        yield from _validate_constraint(at, constraint)
        if kinds[i] in kinds[i + 1 :]:
            key, action = kinds[i]
            yield duplicate(f"{at}.{{topologyKey, whenUnsatisfiable}}", f"{{{key}, {action}}}")


def _validate_constraint(path: str, constraint: TopologySpreadConstraint) -> Problems:
    if constraint.max_skew <= 0:
        yield invalid(f"{path}.maxSkew", constraint.max_skew, _NOT_POSITIVE)
    if not constraint.topology_key:
        yield required(f"{path}.topologyKey", "can not be empty")
    if constraint.when_unsatisfiable not in _ACTIONS:
        yield unsupported(f"{path}.whenUnsatisfiable", constraint.when_unsatisfiable, _ACTIONS)
    yield from _validate_min_domains(f"{path}.minDomains", constraint)
    for field, policy in (
        ("nodeAffinityPolicy", constraint.node_affinity_policy),
        ("nodeTaintsPolicy", constraint.node_taints_policy),
    ):
        if policy is not None and policy not in _POLICIES:
            yield unsupported(f"{path}.{field}", policy, _POLICIES)
    keys_path = f"{path}.matchLabelKeys"
    yield from validate_label_keys(keys_path, constraint.match_label_keys, constraint.label_selector)
    yield from validate_keys_not_selected(keys_path, constraint.match_label_keys, constraint.label_selector)
    yield from validate_label_selector(f"{path}.labelSelector", constraint.label_selector)


def _validate_min_domains(path: str, constraint: TopologySpreadConstraint) -> Problems:
    domains, action = constraint.min_domains, constraint.when_unsatisfiable
    if domains is None:
        return
    if domains <= 0:
        yield invalid(path, domains, _NOT_POSITIVE)
    if action != "DoNotSchedule":
        detail = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
        yield invalid(path, domains, detail)
