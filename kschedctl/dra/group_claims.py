"""Claims that the members of a group share (spec 07 §10)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.dra.ledger import ClaimLedger
from kschedctl.objects.groups import PodGroup
from kschedctl.objects.pod import PodResourceClaim
from kschedctl.objects.resource import ResourceClaim, ResourceClaimConsumer


class GroupClaims(Struct, frozen=True):
    """The group of a pod as far as it concerns claims."""

    group: PodGroup

    @property
    def uid(self) -> str:
        """`metadata.uid`, `namespace/name` where none is written."""
        return self.group.metadata.uid or self.group.full_name

    @property
    def consumer(self) -> ResourceClaimConsumer:
        """The entry with which a claim is reserved for all members at once."""
        return ResourceClaimConsumer(
            api_group="scheduling.k8s.io", resource="podgroups", name=self.group.name, uid=self.uid
        )

    def has(self, entry: PodResourceClaim) -> bool:
        """Whether the claim of a pod's entry belongs to the group: the group has the same entry."""
        return entry in self.group.spec.resource_claims

    def claims(self, ledger: ClaimLedger) -> Iterator[ResourceClaim]:
        """The claims of the group that are there, in the order of its entries."""
        generated = {s.name: s.resource_claim_name for s in self.group.status.resource_claim_statuses}
        for entry in self.group.spec.resource_claims:
            own = entry.resource_claim_name or generated.get(entry.name)
            claim = None if own is None else ledger.find(self.group.namespace, own)
            owner = None if claim is None else claim.metadata.controller
            if claim is None or (
                entry.resource_claim_name is None and (owner is None or owner.uid != self.uid)
            ):
                continue
            yield claim

    def reserved(self, ledger: ClaimLedger) -> ResourceClaim | None:
        """The first claim that has devices by the API and is reserved for the group."""
        for claim in self.claims(ledger):
            held = any(consumer.uid == self.uid for consumer in claim.status.reserved_for)
            found = (
                claim.status.allocation is not None and (claim.namespace, claim.name) not in ledger.in_flight
            )
            if found and held:
                return claim
        return None


def pod_consumer(pod: AdmittedPod) -> ResourceClaimConsumer:
    """The entry with which a claim is reserved for a pod."""
    return ResourceClaimConsumer(resource="pods", name=pod.name, uid=pod.uid)
