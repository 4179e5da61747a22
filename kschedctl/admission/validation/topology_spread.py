"""Rules for topology spread constraints (spec 03 1.2)."""

from __future__ import annotations

from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.validation.field import Field, Problems, one_of
from kschedctl.admission.validation.labels import (
    validate_label_selector,
    validate_merged_keys,
    validate_unmerged_keys,
)

_ACTIONS = ("DoNotSchedule", "ScheduleAnyway")
_POLICIES = ("Honor", "Ignore")
_NOT_POSITIVE = "must be greater than zero"


def validate_spread_constraints(constraints: Field, gates: AdmissionGates) -> Problems:
    """All constraints of a pod; no key may be spread twice with the same action."""
    kinds = [(c["topologyKey"].text, c["whenUnsatisfiable"].text) for c in constraints.items]
    for i, constraint in enumerate(constraints.items):
        if constraint["maxSkew"].number <= 0:
            yield constraint["maxSkew"].invalid_as(constraint["maxSkew"].number, _NOT_POSITIVE)
        if not constraint["topologyKey"].text:
            yield constraint["topologyKey"].required("can not be empty")
        if constraint["whenUnsatisfiable"].text not in _ACTIONS:
            yield constraint["whenUnsatisfiable"].unsupported(_ACTIONS)
        if kinds[i] in kinds[i + 1 :]:
            yield constraint["{topologyKey, whenUnsatisfiable}"].duplicate(
                f"{{{kinds[i][0]}, {kinds[i][1]}}}"
            )
        yield from _validate_min_domains(constraint["minDomains"], kinds[i][1])
        yield from one_of(constraint["nodeAffinityPolicy"], _POLICIES)
        yield from one_of(constraint["nodeTaintsPolicy"], _POLICIES)
        validate_keys = validate_merged_keys if gates.merge_spread_selectors else validate_unmerged_keys
        yield from validate_keys(constraint, gates)
        yield from validate_label_selector(constraint["labelSelector"], gates)


def _validate_min_domains(domains: Field, action: str) -> Problems:
    if not domains.is_set:
        return
    if domains.number <= 0:
        yield domains.invalid(_NOT_POSITIVE)
    if action != "DoNotSchedule":
        yield domains.invalid(f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}")
