"""Manifests that a question is about, without workloads and groups that the API server would refuse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from kschedctl.admission.groups import problems_of_group
from kschedctl.admission.invalid import FieldProblem
from kschedctl.admission.validation.workloads import workload_problems
from kschedctl.errors import InputError, Place
from kschedctl.framework.versions.served import served_problem
from kschedctl.objects.groups import CompositePodGroup, PodGroup, Workload
from kschedctl.objects.meta import TopLevel
from kschedctl.observer import SILENT, Observer
from kschedctl.questions.cluster import Cluster
from kschedctl.sources.document import raise_all
from kschedctl.sources.held_template import held_at
from kschedctl.whatif.judgement.candidates import no_matches
from kschedctl.whatif.manifests import Release, load_release
from kschedctl.whatif.session import admission_context
from kschedctl.workloads import WORKLOADS


def read_manifests(
    cluster: Cluster,
    paths: Sequence[str],
    *,
    namespace: str | None = None,
    stdin: BinaryIO | None = None,
    observer: Observer = SILENT,
) -> Release:
    """Read manifests; a pod that would be refused is an answer, a workload or group that would be makes them unusable.

    Args:
        cluster: where they are to be applied.
        paths: as for `sources.load`.
        namespace: of objects that state none, as with `kubectl -n`.
        stdin: the stream.
        observer: is told what is skipped.

    Raises:
        InputError: they cannot be used.
        InputErrors: several problems.
        UsageError: a priority is to be changed of what is neither in them nor in the cluster.
    """
    templates = cluster.pod_templates
    release = load_release(
        paths, namespace=namespace, pod_templates=templates, stdin=stdin, observer=observer
    )
    raise_all(no_matches(release))
    raise_all(list(_refused_workloads(release)))
    if cluster.priorities and paths:
        from kschedctl.questions.prioritized import prioritized  # loaded only where something is changed

        release = prioritized(release, cluster)
    if cluster.scheduler.gates.enabled("GenericWorkload"):
        raise_all(list(_refused_groups(release, cluster)))
    return release


def _is_of_another_version(obj: PodGroup | CompositePodGroup | Workload, cluster: Cluster) -> bool:
    """Whether a workload is written as one of another version, which has other fields; a caveat says so."""
    version = cluster.scheduler.version
    return isinstance(obj, Workload) and bool(served_problem("Workload", obj.api_version, version))


def _refused_workloads(release: Release) -> Iterator[InputError]:
    for obj, place in zip(release.objects, release.at, strict=True):
        if isinstance(obj, WORKLOADS) and held_at(obj) is None:
            for problem in workload_problems(obj):
                yield _refused(obj, problem, place)


def _refused(obj: TopLevel, problem: FieldProblem, place: Place) -> InputError:
    return InputError(
        f"the API server would refuse {obj.kind} {obj.full_name}: {problem.message}",
        place=Place(place.file, place.document, place.line, problem.path or None, place.template),
        hint=problem.hint,
    )


def _refused_groups(release: Release, cluster: Cluster) -> Iterator[InputError]:
    placed = [
        (obj, place)
        for obj, place in zip(release.objects, release.at, strict=True)
        if isinstance(obj, PodGroup | CompositePodGroup | Workload)
        and not _is_of_another_version(obj, cluster)
    ]
    if not placed:
        return
    context = admission_context([*cluster.objects, *release.objects], cluster.scheduler.gates)
    for group, place in placed:
        for problem in problems_of_group(group, context):
            yield _refused(group, problem, place)
