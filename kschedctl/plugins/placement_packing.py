"""How full a placement would get: NodeResourcesFit's score of a set of nodes (spec 07 §6.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kschedctl.cluster.resources import CPU, EPHEMERAL_STORAGE, MEMORY
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.placement import PlacementTrial
from kschedctl.objects.go import wrap_int64
from kschedctl.objects.pod_requests import fit_score_requests, to_resource_units
from kschedctl.plugins.packing import MAX_SCORE

if TYPE_CHECKING:
    from kschedctl.framework.configuration.args import ResourceSpec


def placement_score(trial: PlacementTrial, resources: Sequence[ResourceSpec], cluster: ClusterState) -> int:
    """The fuller the better, whatever the strategy for single nodes.

    Args:
        trial: the placement and the pods that would go there.
        resources: names and weights, those of the plugin's strategy.
        cluster: the cluster before the cycle.
    """
    total = weights = 0
    for resource in resources:
        column = cluster.resources.column(resource.name)
        asked = sum(_asked(trial, resource.name))
        if column is None or (column > EPHEMERAL_STORAGE and not asked):
            continue
        rows = trial.placement.rows
        allocatable = cluster.nodes.allocatable[rows, column]
        usage = cluster.usage.non_zero if column in (CPU, MEMORY) else cluster.usage.requested
        capacity = int(allocatable.sum())
        if not capacity:
            continue
        wanted = asked + int(usage[rows, column][allocatable != 0].sum())
        total += resource.weight * (min(wanted, capacity) * MAX_SCORE // capacity)
        weights += resource.weight
    return total // weights if weights else 0


def _asked(trial: PlacementTrial, name: str) -> list[int]:
    """What each placed pod requests of a resource, in resource units."""
    found = []
    for pod in trial.placed:
        quantity = fit_score_requests(pod.pod.spec).get(name)
        found.append(0 if quantity is None else wrap_int64(to_resource_units(name, quantity)))
    return found
