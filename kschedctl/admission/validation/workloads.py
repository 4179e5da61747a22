"""Rules for workloads, as far as they tell which pods there are: how many, whose, and how they are replaced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kschedctl.admission.invalid import FieldProblem
from kschedctl.admission.validation.field import Field, Problems, not_negative
from kschedctl.objects.apps import (
    CronJob,
    DaemonSet,
    Deployment,
    DeploymentStrategy,
    Job,
    JobSpec,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedctl.objects.meta import LabelSelector
from kschedctl.objects.selectors import Requirement, Selector, SelectorError, parse_label_selector

Workload = Deployment | ReplicaSet | StatefulSet | DaemonSet | Job | CronJob | ReplicationController


def workload_problems(workload: Workload) -> Problems:
    """What the API server has against the numbers, the selector and the rollout of a new workload.

    Its pods are validated one by one, as they are made.
    """
    match workload:
        case Job():
            yield from _job_numbers(workload.spec, "spec")
        case CronJob():
            yield from _job_numbers(workload.spec.job_template.spec, "spec.jobTemplate.spec")
        case ReplicationController():
            yield from not_negative(Field("spec.replicas", workload.spec.replicas))
            labels = workload.spec.template.metadata.labels
            selected = workload.spec.selector or labels  # its default
            if not selected:
                yield Field("spec.selector").required()
            else:
                wanted = Selector(tuple(Requirement(key, "In", (value,)) for key, value in selected.items()))
                yield from _not_selected(wanted, labels)
        case _:
            if not isinstance(workload, DaemonSet):
                yield from not_negative(Field("spec.replicas", workload.spec.replicas))
            labels = workload.spec.template.metadata.labels
            yield from _selector_problems(workload.spec.selector, labels, workload.kind.lower())
            if isinstance(workload, Deployment):
                yield from _rollout_problems(workload.spec.strategy)


def _rollout_problems(strategy: DeploymentStrategy | None) -> Problems:
    """A rolling update that may neither add a pod nor miss one would never begin."""
    rolling = None if strategy is None or strategy.type == "Recreate" else strategy.rolling_update
    if rolling is not None and {rolling.max_surge, rolling.max_unavailable} <= {0, "0%"}:
        field = Field("spec.strategy.rollingUpdate.maxUnavailable", rolling.max_unavailable)
        yield field.invalid("may not be 0 when `maxSurge` is 0")


def _job_numbers(spec: JobSpec, path: str) -> Problems:
    yield from not_negative(Field(f"{path}.parallelism", spec.parallelism))
    yield from not_negative(Field(f"{path}.completions", spec.completions))


def _selector_problems(selector: LabelSelector | None, labels: Mapping[str, str], kind: str) -> Problems:
    field = Field("spec.selector")
    if selector is None:
        yield field.required()
    elif selector.empty:
        yield field.invalid_as({}, f"empty selector is invalid for {kind}")
    else:
        try:
            parsed = parse_label_selector(selector)
        except SelectorError as error:
            yield field.invalid_as("", str(error))
        else:
            yield from _not_selected(parsed, labels)


def _not_selected(selector: Selector, labels: Mapping[str, str]) -> Iterator[FieldProblem]:
    if not selector.matches(labels):
        field = Field("spec.template.metadata.labels", dict(sorted(labels.items())))
        yield field.invalid("`selector` does not match template `labels`")
