"""Priority and preemption policy of a pod, from its class (spec 02 E.3).

A priority that a spec states without naming a class is kept: pods of a snapshot carry what admission computed
when they were made, and a hypothetical pod may state what it is to be judged with.
"""

from __future__ import annotations

from msgspec.structs import replace

from kschedctl.admission.context import AdmissionContext
from kschedctl.admission.invalid import FieldProblem
from kschedctl.objects.core import PriorityClass
from kschedctl.objects.phrases import missing_text
from kschedctl.objects.pod import PodSpec

DEFAULT_POLICY = "PreemptLowerPriority"


def resolve_priority(spec: PodSpec, context: AdmissionContext) -> PodSpec:
    """The spec with priority, policy and class name; a class that does not exist counts as none."""
    priority_class = context.priority_classes.get(spec.priority_class_name)
    if priority_class is None and not spec.priority_class_name and spec.priority is None:
        priority_class = context.default_priority_class
    if priority_class is None:
        return replace(spec, priority=spec.priority or 0, preemption_policy=_stated(spec, DEFAULT_POLICY))
    return replace(
        spec,
        priority_class_name=priority_class.name,
        priority=spec.priority if spec.priority is not None else priority_class.value,
        preemption_policy=_stated(spec, _policy(priority_class)),
    )


def priority_problems(spec: PodSpec, context: AdmissionContext) -> list[FieldProblem]:
    """Why the priority of a new pod is refused: no such class, or a figure that is not the class's."""
    name = spec.priority_class_name
    if not name:
        return []
    priority_class = context.priority_classes.get(name)
    if priority_class is None and not context.missing_classes_refuse:
        return []
    if priority_class is None:
        text = f"no PriorityClass with name {name} was found"
        return [FieldProblem("spec.priorityClassName", text, missing_text("PriorityClass", name))]
    problems = []
    if spec.priority is not None and spec.priority != priority_class.value:
        text = _conflict(f"the integer value of priority ({spec.priority})", str(priority_class.value))
        problems.append(FieldProblem("spec.priority", text))
    policy = _policy(priority_class)
    if spec.preemption_policy is not None and spec.preemption_policy != policy:
        text = _conflict(f"the string value of PreemptionPolicy ({spec.preemption_policy})", policy)
        problems.append(FieldProblem("spec.preemptionPolicy", text))
    return problems


def _stated(spec: PodSpec, default: str) -> str:
    """The policy that a spec states, even an empty one, which validation refuses."""
    return default if spec.preemption_policy is None else spec.preemption_policy


def _policy(priority_class: PriorityClass) -> str:
    return priority_class.preemption_policy or DEFAULT_POLICY


def _conflict(stated: str, computed: str) -> str:
    return (
        f"{stated} must not be provided in pod spec; priority admission controller computed {computed} "
        "from the given PriorityClass name"
    )
