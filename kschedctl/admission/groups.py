"""What the API server makes of a new group: fields whose gate is off go, priority and defaults come (spec 07 §3).

A group of a cluster has been through it; what it lacks is supplied, as for pods.
"""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from kschedctl.admission.context import AdmissionContext
from kschedctl.admission.priority import DEFAULT_POLICY
from kschedctl.objects.groups import CompositePodGroup, GroupSpec, PodGroup

Spec = TypeVar("Spec", bound=GroupSpec)


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
    named = context.priority_classes.get(spec.priority_class_name)
    if not spec.priority_class_name:
        named = context.default_priority_class
    priority = spec.priority
    if priority is None:
        priority = 0 if named is None else named.value
    policy = None
    if context.gates.groups.preemption_policy:
        of_class = None if named is None else named.preemption_policy
        policy = spec.preemption_policy or of_class or DEFAULT_POLICY
    name = spec.priority_class_name if named is None else named.name
    return replace(spec, priority_class_name=name, priority=priority, preemption_policy=policy)
