"""Job and CronJob (spec 02 E.1)."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from itertools import islice

from msgspec.structs import replace

from kschedctl.objects.apps import CronJob, Job
from kschedctl.objects.meta import ObjectMeta
from kschedctl.objects.pod import Pod
from kschedctl.workloads.limits import pods_made
from kschedctl.workloads.names import generated_names
from kschedctl.workloads.template import pod_from
from kschedctl.workloads.workload import Expansion, controlled_by, uid_of

INDEX_KEY = "batch.kubernetes.io/job-completion-index"
_NAME_LABELS = ("job-name", "batch.kubernetes.io/job-name")
_UID_LABELS = ("controller-uid", "batch.kubernetes.io/controller-uid")
_PREFIX_LIMIT = 58
_INTERVAL = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18}))?", re.ASCII)
_FAILURES = frozenset({"Failed", "FailureTarget"})
_SUCCESSES = frozenset({"Complete", "SuccessCriteriaMet"})


def why_idle(job: Job) -> str:
    """Why a job runs no pods, empty where it does."""
    if job.spec.suspend:
        return "it is suspended"
    met = {condition.type for condition in job.status.conditions if condition.status == "True"}
    if met & _FAILURES:
        return "it has failed"
    return "it is complete" if met & _SUCCESSES else ""


def replaces_ended_only(job: Job) -> bool:
    """Whether a pod that is terminating has to be gone before another takes its place."""
    return job.spec.pod_replacement_policy == "Failed"


def expand_job(job: Job, taken: Container[str] = frozenset(), most: int | None = None) -> Expansion:
    """The pods that a job runs at once.

    Args:
        job: the job.
        taken: names that other pods of its namespace have.
        most: see `pods_made`.
    """
    if why_idle(job):
        return Expansion()
    labels = dict.fromkeys(_NAME_LABELS, job.name)
    if not job.spec.manual_selector:
        labels |= dict.fromkeys(_UID_LABELS, uid_of(job))
    count, counted = pods_made(concurrent_pods(job), most, job)
    if job.spec.completion_mode == "Indexed":
        pods = tuple(_indexed(job, index, labels) for index in _open_indexes(job, count))
        return Expansion(pods, counted=counted)
    names = islice(generated_names(f"{job.name}-", taken), count)
    pods = tuple(pod_from(job.spec.template, job, name, labels=labels) for name in names)
    return Expansion(pods, counted=counted)


def concurrent_pods(job: Job) -> int:
    """How many pods of a job run at once: its parallelism, but no more than it still has to complete."""
    parallelism = 1 if job.spec.parallelism is None else job.spec.parallelism
    completions, succeeded = job.spec.completions, job.status.succeeded
    if completions is None:
        if job.spec.parallelism is None:
            return min(1, max(1 - succeeded, 0))
        return 0 if succeeded else parallelism
    return max(min(parallelism, completions - succeeded), 0)


def expand_cron_job(cron_job: CronJob, most: int | None = None) -> Expansion:
    """The next job of a cron job, and its pods; `most`: see `pods_made`."""
    if cron_job.spec.suspend:
        return Expansion()
    template = cron_job.spec.job_template
    job = Job(
        api_version="batch/v1",
        kind="Job",
        metadata=ObjectMeta(
            # The real name ends with the minute of the tick, and there is no clock here.
            name=f"{cron_job.name}-0",
            namespace=cron_job.namespace,
            labels=template.metadata.labels,
            annotations=template.metadata.annotations,
            owner_references=controlled_by(cron_job),
        ),
        spec=template.spec,
    )
    found = expand_job(job, most=most)
    return Expansion(found.pods, (job,), found.counted)


def _indexed(job: Job, index: int, labels: dict[str, str]) -> Pod:
    number = {INDEX_KEY: str(index)}
    prefix = f"{job.name}-{index}-"
    if len(prefix) > _PREFIX_LIMIT:
        tail = f"-{index}-"
        prefix = job.name[: _PREFIX_LIMIT - len(tail)] + tail
    name = next(generated_names(prefix))
    spec = job.spec.template.spec
    spec = replace(spec, hostname=f"{job.name}-{index}")
    return pod_from(job.spec.template, job, name, labels={**labels, **number}, annotations=number, spec=spec)


def _open_indexes(job: Job, count: int) -> list[int]:
    """The lowest indexes that have neither succeeded nor failed for good."""
    done = [*_intervals(job.status.completed_indexes), *_intervals(job.status.failed_indexes)]
    return list(islice(_gaps(sorted(done), job.spec.completions or 0), count))


def _gaps(intervals: Iterable[tuple[int, int]], end: int) -> Iterator[int]:
    """What lies before `end` and in none of the intervals, which are sorted."""
    position = 0
    for first, last in intervals:
        yield from range(position, min(first, end))
        position = max(position, last + 1)
    yield from range(position, end)


def _intervals(text: str) -> Iterator[tuple[int, int]]:
    """`0,3-5` -> (0, 0), (3, 5); like the controller, this passes over what is none."""
    for part in text.split(","):
        match = _INTERVAL.fullmatch(part)
        if match is not None and (first := int(match[1])) <= (last := int(match[2] or first)):
            yield first, last
