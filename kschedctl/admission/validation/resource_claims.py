"""Rules for `spec.resourceClaims`."""

from __future__ import annotations

from kschedctl.admission.validation.field import Field, Problems
from kschedctl.admission.validation.syntax import dns_label, dns_subdomain

_MIRROR = "kubernetes.io/config.mirror"


def validate_resource_claims(claims: Field, annotations: Field) -> Problems:
    """All entries: no name twice, each with a claim or a template, never both."""
    names: set[str] = set()
    for claim in claims.items:
        if _MIRROR in annotations.entries:
            yield Field("[]").forbidden("static pods do not support resource claims")
            continue
        yield from _validate_name(claim["name"], names)
        direct, template = claim["resourceClaimName"], claim["resourceClaimTemplateName"]
        if direct.is_set and template.is_set:
            detail = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            yield claim.invalid_as(_shown(claim), detail)
        if not direct.is_set and not template.is_set:
            detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
            yield claim.invalid_as(_shown(claim), detail)
        for name in (direct, template):
            if name.is_set:
                yield from dns_subdomain(name)


def _validate_name(name: Field, names: set[str]) -> Problems:
    if not name.text:
        yield name.required()
    elif name.text in names:
        yield name.duplicate()
    else:
        yield from dns_label(name)
        names.add(name.text)


def _shown(claim: Field) -> dict[str, object]:
    """The claim with the internal field names, which is how the API server prints it."""
    return {
        "Name": claim["name"].text,
        "ResourceClaimName": claim["resourceClaimName"].value,
        "ResourceClaimTemplateName": claim["resourceClaimTemplateName"].value,
    }
