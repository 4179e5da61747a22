"""From the entries of a pod to its claims: every text with which that fails."""

from __future__ import annotations

from typing import Any

import pytest
from dra_builders import IN_1_34, IN_1_36, claim, exactly, ledger, pod

from kschedctl.dra.claims import DeviceClaimProblem, resolve, unresolvable
from kschedctl.objects.resource import ResourceClaim

TEMPLATE = {"name": "e", "resourceClaimTemplateName": "t"}
CREATED = {"resourceClaimStatuses": [{"name": "e", "resourceClaimName": "C"}]}
OWNED = {"ownerReferences": [{"kind": "Pod", "name": "p", "uid": "p", "controller": True}]}
FOREIGN = {"ownerReferences": [{"kind": "Pod", "name": "q", "uid": "q", "controller": True}]}


def resolved(
    entry: dict[str, Any], status: dict[str, Any], *claims: ResourceClaim
) -> tuple[str, ...] | DeviceClaimProblem:
    who = pod("p", spec={"resourceClaims": [entry]}, status=status)
    found = resolve(who, ledger(*claims).find, IN_1_36.rules)
    return found if isinstance(found, DeviceClaimProblem) else tuple(c.name for c in found)


@pytest.mark.parametrize(
    ("entry", "status", "meta", "expected"),
    [
        ({"name": "e", "resourceClaimName": "C"}, {}, FOREIGN, ("C",)),
        (TEMPLATE, CREATED, OWNED, ("C",)),
        (TEMPLATE, {"resourceClaimStatuses": [{"name": "e"}]}, OWNED, ()),
        (TEMPLATE, {}, OWNED, 'pod "d/p": ResourceClaim not created yet'),
        ({"name": "e"}, {}, {}, 'pod "d/p", spec.resourceClaim "e": none of the supported fields are set'),
        ({"name": "e", "resourceClaimName": "X"}, {}, {}, 'could not find ResourceClaim "d/X"'),
        (
            {"name": "e", "resourceClaimName": "C"},
            {},
            {"deletionTimestamp": "2026-01-01T00:00:00Z"},
            'resourceclaim "C" is being deleted',
        ),
        (
            TEMPLATE,
            CREATED,
            FOREIGN,
            "ResourceClaim d/C was not created for Pod d/p (Pod is not owner)",
        ),
    ],
    ids=["name", "template", "no-claim", "not-created", "neither", "missing", "deleted", "not-owner"],
)
def test_resolve(
    entry: dict[str, Any], status: dict[str, Any], meta: dict[str, Any], expected: str | tuple[str, ...]
) -> None:
    found = resolved(entry, status, claim("C", exactly(), meta=meta))
    assert found == (unresolvable(expected) if isinstance(expected, str) else expected)


def test_how_1_34_writes_that_a_claim_is_of_another_pod() -> None:
    who = pod("p", spec={"resourceClaims": [TEMPLATE]}, status=CREATED)
    found = resolve(who, ledger(claim("C", exactly(), meta=FOREIGN)).find, IN_1_34.rules)
    assert found == unresolvable("ResourceClaim d/C was not created for pod d/p (pod is not owner)")


def test_the_first_entry_with_a_problem_counts() -> None:
    found = resolve(pod("p", "X", "Y"), ledger().find, IN_1_36.rules)
    assert found == unresolvable('could not find ResourceClaim "d/X"')
