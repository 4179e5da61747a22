"""Manifests in which pods have another priority."""

from __future__ import annotations

from msgspec.structs import replace

from kschedctl.questions.cluster import Cluster
from kschedctl.whatif.manifests import Release
from kschedctl.whatif.world.changes import Prioritize
from kschedctl.whatif.world.priorities import check_priority, with_priority
from kschedctl.whatif.world.targets import find_object, is_there
from kschedctl.whatif.world.world import World


def prioritized(release: Release, cluster: Cluster) -> Release:
    """Manifests with the priorities that are asked for of the cluster.

    Raises:
        UsageError: a priority is to be changed of what is neither in them nor in the cluster.
    """
    for change in cluster.priorities:
        release = _with_priority(release, change, cluster)
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
