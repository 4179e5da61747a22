"""What a person should know of rolling updates, and what would let them end well: tried in another simulation."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from kschedctl.objects.apps import Deployment, DeploymentStrategy, RollingUpdateDeployment
from kschedctl.objects.meta import TopLevel
from kschedctl.questions.cluster import Cluster
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.simulate import Plan, SimulationResult
from kschedctl.whatif.simulate import simulate as run_plan
from kschedctl.whatif.updates.kept_spread import SpreadAtEnd, broken_spreads, by_revision, spreads_at_end
from kschedctl.whatif.updates.rolling_deployment import surge_and_unavailable
from kschedctl.workloads import WorkloadKey, key_of, replicas_of
from kschedctl.workloads.replicated import HASH_LABEL

_DEPLOYMENT: Final = "Deployment"


def rollout_notes(
    cluster: Cluster, options: SchedulingOptions, plan: Plan, found: SimulationResult
) -> list[str]:
    """Spread constraints that are left broken, updates that wait for themselves, and what avoids it.

    Args:
        cluster: the cluster as loaded.
        options: of the simulation.
        plan: what was simulated.
        found: what came of it.
    """
    spreads = spreads_at_end(found.session, found.tasks, found.rollouts)
    return [
        *_of_spread(cluster, options, plan, [one for one in spreads if one.broken]),
        *_of_both_revisions(found, spreads),
        *_of_surge(cluster, options, plan, found),
    ]


def _of_spread(
    cluster: Cluster, options: SchedulingOptions, plan: Plan, broken: Sequence[SpreadAtEnd]
) -> list[str]:
    if not broken:
        return []
    manifests = by_revision(plan.manifests, [one.workload for one in broken])
    avoided: set[tuple[WorkloadKey, str]] = set()
    if manifests != list(plan.manifests):
        again = run_plan(cluster.session, options, replace(plan, manifests=manifests))
        left = {(b.workload, b.key) for b in broken_spreads(again.session, again.tasks, again.rollouts)}
        if not again.pending and not again.stuck:
            avoided = {(b.workload, b.key) for b in broken} - left
    return [
        f"{one.workload} no longer keeps its spread over {one.key}: {', '.join(map(str, one.counts))} pods (skew "
        f"{one.skew}, maxSkew {one.max_skew}), as the old pods were counted while the new ones were placed"
        + (
            "; matchLabelKeys: [pod-template-hash] in the constraint avoids it, as was tried"
            if (one.workload, one.key) in avoided
            else ""
        )
        for one in broken
    ]


def _of_both_revisions(found: SimulationResult, spreads: Sequence[SpreadAtEnd]) -> Iterator[str]:
    """Constraints that this update keeps, and that another one may not: which pods go first is not theirs to say."""
    replacing = {update.workload for update in found.rollouts if update.steps > 1}
    for one in spreads:
        if (
            one.workload in replacing
            and not one.broken
            and not one.own_revision
            and one.workload.kind == _DEPLOYMENT
        ):
            yield (
                f"{one.workload}: its spread over {one.key} counts the old pods as long as they are there, so that an "
                f"update may end uneven; this one ends {', '.join(map(str, one.counts))} (skew {one.skew}, maxSkew "
                f"{one.max_skew}); matchLabelKeys: [{HASH_LABEL}] counts each revision by itself"
            )


def _of_surge(cluster: Cluster, options: SchedulingOptions, plan: Plan, found: SimulationResult) -> list[str]:
    """Updates of deployments whose new pods wait for the old ones, which wait for them."""
    stuck = {update.workload for update in found.stuck}
    manifests = [_without_surge(obj, stuck) for obj in plan.manifests]
    if not stuck or manifests == list(plan.manifests):
        return []
    again = run_plan(cluster.session, options, replace(plan, manifests=manifests))
    left = {update.workload for update in again.stuck}
    changed = [key_of(new) for new, old in zip(manifests, plan.manifests, strict=True) if new is not old]
    return [
        f"{key} waits for itself: with maxSurge: 0 and maxUnavailable: 1 an old pod goes first, and its rolling "
        "update ends, as was tried"
        for key in changed
        if key not in left
    ]


def _without_surge(obj: TopLevel, stuck: Collection[WorkloadKey]) -> TopLevel:
    """A deployment whose rolling update takes an old pod away before it makes a new one."""
    if not isinstance(obj, Deployment) or key_of(obj) not in stuck:
        return obj
    if not surge_and_unavailable(obj, replicas_of(obj) or 0)[0]:
        return obj
    update = RollingUpdateDeployment(max_surge=0, max_unavailable=1)
    strategy = DeploymentStrategy(type="RollingUpdate", rolling_update=update)
    return replace(obj, spec=replace(obj.spec, strategy=strategy))
