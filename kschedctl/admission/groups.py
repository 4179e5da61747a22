"""What the API server makes of a new group: fields whose gate is off go, priority and defaults come (spec 07 §3).

A group of a cluster has been through it; what it lacks is supplied, as for pods.
"""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from kschedctl.admission.context import AdmissionContext
from kschedctl.admission.invalid import FieldProblem
from kschedctl.admission.priority import DEFAULT_POLICY
from kschedctl.admission.validation.groups import group_problems
from kschedctl.objects.core import PriorityClass
from kschedctl.objects.groups import CompositePodGroup, GroupSpec, PodGroup, Workload
from kschedctl.objects.phrases import missing_text

Spec = TypeVar("Spec", bound=GroupSpec)


def problems_of_group(
    group: PodGroup | CompositePodGroup | Workload, context: AdmissionContext
) -> tuple[FieldProblem, ...]:
    """Why the API server would refuse a new group or workload: its priority, or else its fields."""
    match group:
        case PodGroup():
            group, refusal = admit_pod_group(group, context), _priority_refusal(group, "pod group", context)
        case CompositePodGroup():
            refusal = _priority_refusal(group, "composite pod group", context)
            group = admit_composite_pod_group(group, context)
        case _:
            refusal = None
    return (refusal,) if refusal is not None else tuple(group_problems(group, context.gates))


def _priority_refusal(
    group: PodGroup | CompositePodGroup, kind: str, context: AdmissionContext
) -> FieldProblem | None:
    """A class that does not exist, or a priority that is not that of the class."""
    spec = group.spec
    if not context.gates.groups.priority:
        return None
    found = _class_of(spec, context)
    if found is None and spec.priority_class_name:
        if not context.missing_classes_refuse:
            return None
        name = spec.priority_class_name
        hint = missing_text("PriorityClass", name)
        return FieldProblem("", f"no PriorityClass with name {name} was found", hint)
    computed = 0 if found is None else found.value
    if spec.priority is None or spec.priority == computed:
        return None
    return FieldProblem(
        "",
        f"priority set in the {kind} ({spec.priority}) must match the priority computed ({computed}) based on the "
        "priority class set in the spec",
    )


def admit_pod_group(group: PodGroup, context: AdmissionContext) -> PodGroup:
    """The group as the scheduler sees it."""
    spec = _admitted(group.spec, context)
    gates = context.gates.groups
    if not gates.claims:
        spec = replace(spec, resource_claims=())
    if not gates.topology:
        spec = replace(spec, scheduling_constraints=None)
    if not gates.composite:
        spec = replace(spec, parent_composite_pod_group_name=None)
    return replace(group, spec=spec)


def admit_composite_pod_group(group: CompositePodGroup, context: AdmissionContext) -> CompositePodGroup:
    """The same for a composite group."""
    return replace(group, spec=_admitted(group.spec, context))


def _admitted(spec: Spec, context: AdmissionContext) -> Spec:
    if not context.gates.groups.priority:
        return replace(
            spec, disruption_mode=None, priority_class_name="", priority=None, preemption_policy=None
        )
    named = _class_of(spec, context)
    priority = spec.priority
    if priority is None:
        priority = 0 if named is None else named.value
    policy = None
    if context.gates.groups.preemption_policy:
        of_class = None if named is None else named.preemption_policy
        policy = spec.preemption_policy or of_class or DEFAULT_POLICY
    name = spec.priority_class_name if named is None else named.name
    return replace(spec, priority_class_name=name, priority=priority, preemption_policy=policy)


def _class_of(spec: GroupSpec, context: AdmissionContext) -> PriorityClass | None:
    """The priority class that a group names, the default one where it names none."""
    if spec.priority_class_name:
        return context.priority_classes.get(spec.priority_class_name)
    return context.default_priority_class
