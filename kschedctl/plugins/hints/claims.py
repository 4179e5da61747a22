"""What may help a pod that DynamicResources rejected or keeps out of the queue."""

from __future__ import annotations

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.dra.rules import DeviceRules
from kschedctl.framework.cluster_event import Action, ClusterEvent, Interest, Resource
from kschedctl.objects.resource import ResourceClaim


def claim_interests(rules: DeviceRules, *, deletions: bool) -> tuple[Interest, ...]:
    """Claims, classes, slices and nodes.

    Args:
        rules: how claims of pods are found.
        deletions: whether deleted claims are heard of.
    """

    def helps(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
        return _claim_helps(event, _claims(pod, cluster, rules))

    def has_its_claims(pod: PodRecord, event: ClusterEvent, cluster: ClusterState) -> bool:
        return _claims(event.new, cluster, rules) is not None

    claims = Action.ADD | Action.UPDATE | (Action.DELETE if deletions else Action(0))
    made_or_changed = Action.ADD | Action.UPDATE
    node = Action.ADD | Action.UPDATE_NODE_LABEL | Action.UPDATE_NODE_ALLOCATABLE
    return (
        Interest(Resource.NODE, node),
        Interest(Resource.RESOURCE_CLAIM, claims, helps),
        Interest(Resource.TARGET_POD, Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM, has_its_claims),
        Interest(Resource.DEVICE_CLASS, made_or_changed),
        Interest(Resource.RESOURCE_SLICE, made_or_changed),
    )


def _claim_helps(event: ClusterEvent, own: tuple[ResourceClaim, ...] | None) -> bool:
    """Devices are freed, or a claim of the pod, which has all its claims, came or got another status.

    Args:
        event: what happened to a claim.
        own: the claims of the pod, None where one is missing.
    """
    old: ResourceClaim | None = event.old
    new: ResourceClaim | None = event.new
    if new is None:
        return old is not None and old.status.allocation is not None
    if own is None:
        return False
    if old is not None and old.status.allocation is not None and new.status.allocation is None:
        return True
    if (new.namespace, new.name) not in {(claim.namespace, claim.name) for claim in own}:
        return False
    return old is None or old.status != new.status


def _claims(pod: PodRecord, cluster: ClusterState, rules: DeviceRules) -> tuple[ResourceClaim, ...] | None:
    """The claims of a pod, None where one is missing or not its own."""
    from kschedctl.dra.claims import DeviceClaimProblem, resolve
    from kschedctl.dra.cluster_devices import ClusterDevices

    claims = {(c.namespace, c.name): c for c in ClusterDevices.of(cluster).claims()}
    found = resolve(pod.pod, lambda namespace, name: claims.get((namespace, name)), rules)
    return None if isinstance(found, DeviceClaimProblem) else found
