"""Rules for groups of pods and for the workloads whose templates they are made from (spec 07 §3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.invalid import FieldProblem
from kschedctl.admission.validation.field import Field, Problems, one_of
from kschedctl.admission.validation.labels import label_key
from kschedctl.admission.validation.syntax import dns_subdomain
from kschedctl.objects.groups import CompositePodGroup, PodGroup, Workload
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.names import dns_label_problems, dns_subdomain_problems

_HIGHEST_PRIORITY = 1_000_000_000
_UNIT = "bytes"
"""In which limits of names are told, but for that of the group itself."""
_POLICIES = ("Never", "PreemptLowerPriority")
_MODES = ("Pod", "PodGroup")
_MOST_CLAIMS = 4
_MOST_TEMPLATES = 8
_DEEPEST = 4
"""Levels of templates, that of pod groups among them."""
_LEAVES, _NESTED = "podGroupTemplates", "compositePodGroupTemplates"


def group_problems(group: PodGroup | CompositePodGroup | Workload, gates: AdmissionGates) -> Problems:
    """What the API server has against a new group, or against a workload."""
    yield from _validate_name(group)
    spec = Field("spec", msgspec.to_builtins(group).get("spec"))
    match group:
        case Workload() if gates.facts.group_is_a_label:
            yield from _validate_gangs(spec["podGroups"])
        case Workload():
            yield from _validate_workload(spec, gates)
        case PodGroup():
            if spec["parentCompositePodGroupName"].is_set and not spec["workloadRef"].is_set:
                yield spec["workloadRef"].required("must be set when parentCompositePodGroupName is set")
            yield from _validate_references(spec)
            yield from _validate_group(spec, "minCount", gates)
        case CompositePodGroup():
            yield from _validate_references(spec, required=True)
            yield from _validate_group(spec, "minGroupCount", gates)


def _validate_name(obj: TopLevel) -> Problems:
    name = Field("metadata.name", obj.name)
    if name.text:
        yield from dns_subdomain(name)
    elif not obj.metadata.generate_name:
        yield name.required("name or generateName is required")


def _validate_references(spec: Field, *, required: bool = False) -> Problems:
    """The group above, and the template that the group was made from."""
    parent, workload = spec["parentCompositePodGroupName"], spec["workloadRef"]
    if parent.is_set:
        yield from _subdomain(parent)
    if required and not workload.is_set:
        yield workload.required()
    if workload.is_set:
        yield from _required_name(workload["workloadName"], label=False)
        yield from _required_name(workload["templateName"])


def _validate_group(group: Field, count: str, gates: AdmissionGates) -> Problems:
    """What groups and the templates of groups have in common; `count` names the minimum of a gang."""
    yield from _one_member(group["schedulingPolicy"], ("basic", "gang"))
    gang = group["schedulingPolicy"]["gang"]
    if gang.is_set and not group["schedulingPolicy"]["basic"].is_set:
        yield from _validate_minimum(gang[count])
    yield from _validate_topology(group["schedulingConstraints"]["topology"], gates)
    yield from _validate_claims(group["resourceClaims"])
    yield from _validate_mode(group["disruptionMode"])
    if group["priorityClassName"].text:
        yield from _subdomain(group["priorityClassName"])
    if group["priority"].number > _HIGHEST_PRIORITY:
        yield group["priority"].invalid(f"must be less than or equal to {_HIGHEST_PRIORITY}")
    yield from one_of(group["preemptionPolicy"], _POLICIES)


def _validate_minimum(count: Field) -> Problems:
    if count.number == 0:
        yield count.required()
    elif count.number < 0:
        yield count.invalid("must be greater than or equal to 1")


def _validate_topology(topology: Field, gates: AdmissionGates) -> Problems:
    if len(topology.items) > 1:
        yield FieldProblem(topology.path, f"Too many: {len(topology.items)}: must have at most 1 item")
        return
    for entry in topology.items:
        if entry["key"].text:
            yield from label_key(entry["key"], gates)
        else:
            yield entry["key"].required()


def _validate_claims(claims: Field) -> Problems:
    if len(claims.items) > _MOST_CLAIMS:
        yield claims.too_many(_MOST_CLAIMS)
        return
    yield from _no_name_twice(claims)
    for claim in claims.items:
        yield from _one_member(claim, ("resourceClaimName", "resourceClaimTemplateName"))
        yield from _required_name(claim["name"])
        for name in (claim["resourceClaimName"], claim["resourceClaimTemplateName"]):
            if name.is_set:
                yield from _subdomain(name)


def _validate_mode(mode: Field) -> Problems:
    """1.36 writes a word, later versions a field of that name."""
    if isinstance(mode.value, str):
        yield from one_of(mode, _MODES)
    elif mode.is_set:
        yield from _one_member(mode, ("single", "all"))


def _validate_gangs(groups: Field) -> Problems:
    """The groups that a workload of 1.35 holds itself."""
    if not groups.items:
        yield groups.required("must have at least one item")
    if len(groups.items) > _MOST_TEMPLATES:
        yield groups.too_many(_MOST_TEMPLATES)
        return
    names: set[str] = set()
    for group in groups.items:
        name, policy = group["name"], group["policy"]
        yield from name.invalid_each(dns_label_problems(name.text))
        if name.text in names:
            yield name.duplicate()
        names.add(name.text)
        yield from _validate_gang_policy(policy)


def _validate_gang_policy(policy: Field) -> Problems:
    found = [f"`{name}`" for name in ("basic", "gang") if policy[name].is_set]
    choice = "exactly one of `basic`, `gang` is required"
    if not found:
        yield policy.required(choice)
    elif len(found) > 1:
        yield policy.invalid_as(f"{{{', '.join(found)}}}", f"{choice}, but multiple fields are set")
    elif policy["gang"].is_set and policy["gang"]["minCount"].number <= 0:
        yield policy["gang"]["minCount"].invalid("must be greater than zero")


def _validate_workload(spec: Field, gates: AdmissionGates) -> Problems:
    leaves, nested = spec[_LEAVES], spec[_NESTED]
    yield from _names_used_before(spec, {leaf["name"].text for leaf in leaves.items})
    for template in nested.items:
        if _depth(template) >= _DEEPEST:
            yield template.replaced(template[_NESTED]).invalid(
                f"maximum template hierarchy depth is {_DEEPEST}"
            )
    yield from _validate_priorities(spec)
    for template in _composites(nested):
        if not template[_LEAVES].items and not template[_NESTED].items:
            detail = "must have at least one child PodGroupTemplate or CompositePodGroupTemplate"
            yield template.invalid_as(template["name"].text, detail)
    yield from _one_member(spec, (_LEAVES, _NESTED))
    yield from _validate_templates(leaves, nested, gates)


def _validate_templates(leaves: Field, nested: Field, gates: AdmissionGates) -> Problems:
    for templates, count in ((leaves, "minCount"), (nested, "minGroupCount")):
        if len(templates.items) > _MOST_TEMPLATES:
            yield templates.too_many(_MOST_TEMPLATES)
            continue
        yield from _no_name_twice(templates)
        for template in templates.items:
            yield from _required_name(template["name"])
            yield from _validate_group(template, count, gates)
            yield from _validate_templates(template[_LEAVES], template[_NESTED], gates)


def _names_used_before(above: Field, names: set[str]) -> Problems:
    """Templates with a name that one has which stands elsewhere; names twice in one list are told there."""
    nested = above[_NESTED].items
    yield from _duplicates(nested, names)
    for template in nested:
        yield from _duplicates(template[_LEAVES].items, names)
        yield from _names_used_before(template, names)


def _duplicates(templates: Sequence[Field], names: set[str]) -> Problems:
    for template in templates:
        if template["name"].text in names:
            yield template["name"].duplicate()
    names.update(template["name"].text for template in templates)


def _depth(template: Field) -> int:
    return 1 + max((_depth(child) for child in template[_NESTED].items), default=0)


def _composites(templates: Field) -> Iterator[Field]:
    for template in templates.items:
        yield template
        yield from _composites(template[_NESTED])


def _validate_priorities(spec: Field) -> Problems:
    """All templates of a workload have one priority."""
    found = [_priority(leaf) for leaf in spec[_LEAVES].items]
    if len(set(found)) > 1:
        yield FieldProblem("spec", "Invalid value: null: detected multiple priority configurations")
        return
    for template in _composites(spec[_NESTED]):
        found += [_priority(template), *(_priority(leaf) for leaf in template[_LEAVES].items)]
    if len(set(found)) > 1:
        detail = "all priority and priorityClassName values must be identical, detected multiple values"
        yield FieldProblem("spec", f"Invalid value: null: {detail}")


def _priority(template: Field) -> tuple[str, object]:
    return template["priorityClassName"].text, template["priority"].value


def _one_member(union: Field, members: Sequence[str]) -> Problems:
    """Exactly one of some fields must be set."""
    found = [name for name in members if union[name].is_set and union[name].value != []]
    choice = ", ".join(f"`{name}`" for name in members)
    if not found:
        yield union.invalid_as("", f"must specify one of: {choice}")
    elif len(found) > 1:
        yield union.invalid_as(f"{{{', '.join(found)}}}", f"must specify exactly one of: {choice}")


def _required_name(name: Field, *, label: bool = True) -> Problems:
    if not name.text:
        yield name.required()
    else:
        yield from (_label if label else _subdomain)(name)


def _label(name: Field) -> Problems:
    yield from name.invalid_each(dns_label_problems(name.text, unit=_UNIT))


def _subdomain(name: Field) -> Problems:
    yield from name.invalid_each(dns_subdomain_problems(name.text, unit=_UNIT))


def _no_name_twice(entries: Field) -> Problems:
    names: set[str] = set()
    for entry in entries.items:
        if entry["name"].text in names:
            shown = msgspec.json.encode(entry.value).decode()
            yield FieldProblem(entry.path, f"Duplicate value: {shown}")
        names.add(entry["name"].text)
