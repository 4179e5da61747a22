"""What decides among nodes without being written in the pod, or decides nothing where it seems to: scores."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

import numpy as np

from kschedctl.cluster.resources import CPU, MEMORY
from kschedctl.framework.configuration import PodTopologySpreadArgs
from kschedctl.framework.configuration.args import (
    LEAST_ALLOCATED,
    MOST_ALLOCATED,
    SYSTEM_DEFAULTING,
    NodeAffinityArgs,
    NodeResourcesFitArgs,
)
from kschedctl.framework.scoring import MAX_SCORE, ScoreColumn
from kschedctl.objects.phrases import names_text
from kschedctl.objects.selectors import parse_node_selector
from kschedctl.objects.units import amount_text
from kschedctl.plugins.explanations.node_labels import terms_text
from kschedctl.plugins.image_locality import ImageLocality
from kschedctl.plugins.node_affinity import NodeAffinity
from kschedctl.plugins.node_resources_fit import NodeResourcesFit
from kschedctl.plugins.pod_topology_spread import PodTopologySpread
from kschedctl.scheduling.decision import Decision

_MOST: Final = 3
_ASSUMED: Final = [CPU, MEMORY]
_BY_USE: Final = MappingProxyType({LEAST_ALLOCATED: 1, MOST_ALLOCATED: -1})
"""Strategy -> whether use costs a node points, or brings it some."""


def silent_scores(decision: Decision) -> Iterator[str]:
    """A sentence for each, of a pod that finds a node."""
    yield from _default_spread(decision)
    yield from _added_affinity(decision)
    yield from _assumed_requests(decision)
    yield from _images(decision)
    yield from _unscored(decision)


def _column(decision: Decision, plugin: str) -> ScoreColumn | None:
    columns = () if decision.scores is None else decision.scores.columns
    return next((column for column in columns if column.plugin == plugin), None)


def _args(decision: Decision, plugin: str) -> object:
    assert decision.framework is not None
    return decision.framework.profile.args(plugin)


def _default_spread(decision: Decision) -> Iterator[str]:
    """Constraints that nobody wrote, where they make a difference."""
    name = PodTopologySpread.spec.name
    args, column = _args(decision, name), _column(decision, name)
    if (
        decision.pod.pod.spec.topology_spread_constraints
        or not isinstance(args, PodTopologySpreadArgs)
        or args.defaulting_type != SYSTEM_DEFAULTING
        or column is None
        or not np.ptp(column.weighted)
    ):
        return
    yield (
        "the pod has no spread constraint of its own: the defaults of the cluster spread it, as a wish, over "
        "kubernetes.io/hostname and topology.kubernetes.io/zone among the pods of its services and its controller"
    )


def _added_affinity(decision: Decision) -> Iterator[str]:
    """Node affinity of the profile: nodes that it closes, and nodes that it prefers."""
    args = _args(decision, NodeAffinity.spec.name)
    added = args.added_affinity if isinstance(args, NodeAffinityArgs) else None
    if added is None:
        return
    nodes = decision.cluster.nodes
    if added.required is not None:
        closed = int((~nodes.mask_of_terms(parse_node_selector(added.required))).sum())
        if closed:
            wanted = terms_text(added.required.node_selector_terms)
            yield (
                f"the scheduler profile adds a node affinity to every pod, {wanted}, which closes {closed} of "
                f"{nodes.count} nodes"
            )
    for wish in added.preferred if decision.scores is not None else ():
        yield (
            f"the scheduler profile adds a wish to every pod: nodes with {terms_text((wish.preference,))} "
            f"(weight {wish.weight})"
        )


def _assumed_requests(decision: Decision) -> Iterator[str]:
    """Pods that ask for nothing and yet count, where the node that is taken leads by them alone."""
    name = NodeResourcesFit.spec.name
    phase, column, args = decision.scores, _column(decision, name), _args(decision, name)
    if phase is None or column is None or decision.made_up or not isinstance(args, NodeResourcesFitArgs):
        return
    sign = _BY_USE.get(args.scoring_strategy.type)
    if sign is None or len(phase.feasible) < 2:
        return
    chosen = int(np.flatnonzero(phase.feasible == decision.selected)[0])
    rival = int(next(place for place in np.argsort(-phase.totals, kind="stable") if place != chosen))
    rows = phase.feasible[[chosen, rival]]
    usage, allocatable = decision.cluster.usage, decision.cluster.nodes.allocatable
    assumed = np.maximum(usage.non_zero - usage.requested[:, _ASSUMED], 0)[rows]
    shares = (assumed / np.maximum(allocatable[rows][:, _ASSUMED], 1)).mean(axis=1)
    points = sign * float(shares[1] - shares[0]) * MAX_SCORE * column.weight
    lead = int(phase.totals[chosen] - phase.totals[rival])
    if 0 < lead < points + column.weight:  # scores are cut to whole numbers
        told = [
            f"{_together(a.tolist())} on {decision.names[int(r)]}" for a, r in zip(assumed, rows, strict=True)
        ]
        yield (
            "containers without requests count in scores (not in what fits) as 0.1 cpu and 200Mi each: "
            f"{', '.join(told)}, which decides"
        )


def _together(amounts: list[int]) -> str:
    cpu, memory = amounts
    parts = [f"{amount_text('cpu', cpu)} cpu"] * bool(cpu) + [amount_text("memory", memory)] * bool(memory)
    return " and ".join(parts) or "none"


def _images(decision: Decision) -> Iterator[str]:
    """An image that lies on nodes and counts nothing: it is too small, or on too few of them."""
    column = _column(decision, ImageLocality.spec.name)
    if column is None or column.weighted.any():
        return
    spread = decision.cluster.nodes.images
    spec = decision.pod.pod.spec
    names = {c.image for c in (*spec.init_containers, *spec.containers) if c.image}
    there = sorted(name for name in names if _normalized(name) in spread)
    if there:
        yield (
            f"image {names_text(there, _MOST)} is on some node and counts 0: its size, times the share of nodes "
            "that have it, is below the threshold"
        )


def _normalized(image: str) -> str:
    return image if ":" in image.rpartition("/")[2] else f"{image}:latest"


def _unscored(decision: Decision) -> Iterator[str]:
    """A strategy over resources of which the pod asks for none gives all nodes the same."""
    name = NodeResourcesFit.spec.name
    args, column = _args(decision, name), _column(decision, name)
    if column is None or len(column.weighted) < 2 or column.weighted.any():
        return
    if not isinstance(args, NodeResourcesFitArgs):
        return
    scored = [resource.name for resource in args.scoring_strategy.resources]
    if scored and not any(resource in decision.pod.pod_class.requests for resource in scored):
        listed = names_text(scored, _MOST)
        yield f"all nodes get 0 points from {name}: the pod asks for none of what it scores ({listed})"
