"""What a cycle changed in the claims for devices, written to the API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.resource import DeviceClass, ResourceClaim
from kschedctl.run.api_server import ApiServer

ClaimsByKey = Mapping[tuple[str, str], ResourceClaim]
ClaimChange = tuple[ResourceClaim | None, ResourceClaim | None]
"""A claim before and after; None where it was not there, or is not any more."""


def changed_claims(pod: PodRecord, cluster: ClusterState, api: ApiServer) -> list[ClaimChange]:
    """The claims that the scheduler has otherwise than the API since the cycle of a pod."""
    if not pod.pod.spec.resource_claims and not cluster.objects.all(DeviceClass):
        return []
    from kschedctl.dra.cluster_devices import ClusterDevices  # loaded only where devices are

    ours = {(claim.namespace, claim.name): claim for claim in ClusterDevices.of(cluster).claims()}
    theirs = api.objects.all(ResourceClaim)
    return list(_differences(theirs, ours))


def _differences(known: ClaimsByKey, after: ClaimsByKey) -> Iterator[ClaimChange]:
    for key, claim in after.items():
        if claim is not known.get(key):
            yield known.get(key), claim
    for key, claim in known.items():
        if key not in after:
            yield claim, None


def write_claims(changes: list[ClaimChange], api: ApiServer) -> None:
    """Write what changed."""
    for old, new in changes:
        if new is not None:
            api.put_object(new, old)
        elif old is not None:
            api.remove_object(old)


def write_unreserved(changes: list[ClaimChange], api: ApiServer) -> None:
    """Write what stays of changed claims when the pod cannot be bound: devices are kept, the pod's use is not."""
    for old, new in changes:
        if old is None or new is None:
            continue
        kept = replace(new, status=replace(new.status, reserved_for=old.status.reserved_for))
        api.put_object(kept, new)
