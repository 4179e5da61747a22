"""Overhead and placement that a pod's RuntimeClass brings (spec 02 E.4)."""

from __future__ import annotations

from msgspec.structs import replace

from kschedctl.admission.context import AdmissionContext
from kschedctl.admission.invalid import FieldProblem
from kschedctl.admission.tolerations import merge_tolerations
from kschedctl.objects.core import RuntimeClass
from kschedctl.objects.phrases import missing_text
from kschedctl.objects.pod import PodSpec
from kschedctl.objects.pod_requests import quantities

_PATH = "spec.runtimeClassName"


def apply_runtime_class(spec: PodSpec, context: AdmissionContext) -> PodSpec | FieldProblem:
    """The spec with its runtime's overhead, node selector and tolerations, or why it is refused.

    A pod that names no class keeps the overhead it states.
    """
    name = spec.runtime_class_name
    if name is None:
        return spec
    runtime_class = context.runtime_classes.get(name)
    if runtime_class is None and not context.missing_classes_refuse:
        return spec
    if runtime_class is None:
        text = f'pod rejected: RuntimeClass "{name}" not found'
        return FieldProblem(_PATH, text, missing_text("RuntimeClass", name))
    problem = _overhead_problem(spec, runtime_class)
    if problem is not None:
        return FieldProblem("spec.overhead", f"pod rejected: {problem}")
    if runtime_class.overhead is not None:
        spec = replace(spec, overhead=runtime_class.overhead.pod_fixed)
    return _placed(spec, runtime_class)


def _overhead_problem(spec: PodSpec, runtime_class: RuntimeClass) -> str | None:
    if not spec.overhead:
        return None
    if runtime_class.overhead is None:
        return "Pod Overhead set without corresponding RuntimeClass defined Overhead"
    if quantities(spec.overhead) != quantities(runtime_class.overhead.pod_fixed):
        return "Pod's Overhead doesn't match RuntimeClass's defined Overhead"
    return None


def _placed(spec: PodSpec, runtime_class: RuntimeClass) -> PodSpec | FieldProblem:
    scheduling = runtime_class.scheduling
    if scheduling is None:
        return spec
    selector = dict(spec.node_selector or {})
    for key, value in scheduling.node_selector.items():
        if selector.setdefault(key, value) != value:
            return FieldProblem(
                f"spec.nodeSelector[{key}]",
                f"conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; "
                f"pod.spec.nodeSelector[{key}] = {selector[key]}",
            )
    tolerations = spec.tolerations
    if scheduling.tolerations:
        tolerations = merge_tolerations(tolerations, scheduling.tolerations)
    return replace(spec, node_selector=selector or spec.node_selector, tolerations=tolerations)
