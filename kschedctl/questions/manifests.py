"""Manifests that a question is about, without groups that the API server would refuse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from msgspec.structs import replace

from kschedctl.admission.groups import problems_of_group
from kschedctl.errors import InputError, Place
from kschedctl.framework.versions.served import served_problem
from kschedctl.objects.groups import CompositePodGroup, PodGroup, Workload
from kschedctl.observer import SILENT, Observer
from kschedctl.questions.cluster import Cluster
from kschedctl.sources.document import raise_all
from kschedctl.whatif.judgement.candidates import no_matches
from kschedctl.whatif.manifests import Release, load_release
from kschedctl.whatif.session import admission_context
from kschedctl.whatif.world.changes import Prioritize
from kschedctl.whatif.world.priorities import check_priority, with_priority
from kschedctl.whatif.world.targets import find_object, is_there
from kschedctl.whatif.world.world import World


def read_manifests(
    cluster: Cluster,
    paths: Sequence[str],
    *,
    namespace: str | None = None,
    stdin: BinaryIO | None = None,
    observer: Observer = SILENT,
) -> Release:
    """Read manifests; a pod that would be refused is an answer, a group that would be makes them unusable.

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
    for change in cluster.priorities if paths else ():
        release = _with_priority(release, change, cluster)
    if cluster.scheduler.gates.enabled("GenericWorkload"):
        raise_all(list(_refused_groups(release, cluster)))
    return release


def _with_priority(release: Release, change: Prioritize, cluster: Cluster) -> Release:
    """The manifests with another priority of a pod or workload in them."""
    check_priority(change.priority, [*cluster.objects, *release.objects])
    world = World(release.objects)
    if not is_there(world, change.reference):
        find_object(World(cluster.objects), change.reference)
        return release
    found = find_object(world, change.reference)
    key = (type(found), found.namespace, found.name)
    objects = tuple(
        with_priority(obj, change.priority) if (type(obj), obj.namespace, obj.name) == key else obj
        for obj in release.objects
    )
    return replace(release, objects=objects)


def _is_of_another_version(obj: PodGroup | CompositePodGroup | Workload, cluster: Cluster) -> bool:
    """Whether a workload is written as one of another version, which has other fields; a caveat says so."""
    version = cluster.scheduler.version
    return isinstance(obj, Workload) and bool(served_problem("Workload", obj.api_version, version))


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
            yield InputError(
                f"the API server would refuse {group.kind} {group.full_name}: {problem.message}",
                place=Place(place.file, place.document, place.line, problem.path or None, place.template),
                hint=problem.hint,
            )
