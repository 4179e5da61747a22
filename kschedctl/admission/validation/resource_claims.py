"""Rules for `spec.resourceClaims`."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.objects.names import dns_label_problems, dns_subdomain_problems
from kschedctl.objects.pod import PodResourceClaim

from .problems import Problems, duplicate, invalid, invalid_each, required


def validate_resource_claims(path: str, claims: Sequence[PodResourceClaim]) -> Problems:
    """All entries: no name twice, each with a claim or a template, never both."""
    names: set[str] = set()
    for i, claim in enumerate(claims):
        at = f"{path}[{i}]"
        if claim.name in names:
            yield duplicate(f"{at}.name", claim.name)
        names.add(claim.name)
        yield from _validate_claim(at, claim)


def _validate_claim(path: str, claim: PodResourceClaim) -> Problems:
    if not claim.name:
        yield required(f"{path}.name")
    else:
        yield from invalid_each(f"{path}.name", claim.name, dns_label_problems(claim.name))
    direct, template = claim.resource_claim_name, claim.resource_claim_template_name
    if direct is not None and template is not None:
        detail = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
        yield invalid(path, _shown(claim), detail)
    if direct is None and template is None:
        detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
        yield invalid(path, _shown(claim), detail)
    if direct is not None:
        yield from invalid_each(f"{path}.resourceClaimName", direct, dns_subdomain_problems(direct))
    if template is not None:
        at = f"{path}.resourceClaimTemplateName"
        yield from invalid_each(at, template, dns_subdomain_problems(template))


def _shown(claim: PodResourceClaim) -> dict[str, object]:
    """The claim with the internal field names, which is how the API server prints it."""
    return {
        "Name": claim.name,
        "ResourceClaimName": claim.resource_claim_name,
        "ResourceClaimTemplateName": claim.resource_claim_template_name,
    }
