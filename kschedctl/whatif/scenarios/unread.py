"""Whether manifests hold what the API server would not take: API versions that are gone, misspelt fields."""

from __future__ import annotations

from collections.abc import Iterator

from kschedctl.objects.kinds import KINDS, is_upstream_group
from kschedctl.objects.phrases import either
from kschedctl.sources.gone_versions import GONE
from kschedctl.sources.provenance import UnreadObject
from kschedctl.whatif.manifests import Release
from kschedctl.whatif.scenarios.checks import Check, Finding, Rule
from kschedctl.workloads import WORKLOADS, key_of

_READ = {kind.kind: kind for kind in KINDS}


def check_unread(release: Release) -> Check:
    """That nothing in manifests is passed over: neither misspelt fields nor versions that are gone."""
    title = "no misspelt field and no API version that is not read in the manifests"
    return Check(Rule.NO_UNREAD, title, ("noUnread",), (*_versions(release), *_fields(release)))


def check_served(release: Release) -> Check:
    """That the API server knows the version of every object, which is expected of every scenario."""
    title = "the API server has every kind of the manifests in its version"
    return Check(Rule.SERVED, title, (), tuple(_versions(release)))


def _versions(release: Release) -> Iterator[Finding]:
    for unread in release.unread:
        text = _why_not_taken(unread)
        if text:
            yield Finding(f"{unread.kind} in version {unread.api_version} {text}", place=unread.place)


def _why_not_taken(unread: UnreadObject) -> str:
    gone = GONE.get((unread.api_version, unread.kind))
    if gone is not None:
        instead = f": write {gone.today}" if gone.today else ""
        return f"is gone since Kubernetes {gone.until}{instead}"
    if unread.kind in _READ and is_upstream_group(unread.api_version):
        return f"is not read: write {either(list(_READ[unread.kind].api_versions))}"
    return ""


def _fields(release: Release) -> Iterator[Finding]:
    for field in release.unknown:
        owner = release.objects[field.index]
        workload = key_of(owner) if isinstance(owner, WORKLOADS) else None
        hint = f"; {field.hint}" if field.hint else ""
        text = f"{key_of(owner)}: unknown field {field.place.field}{hint}"
        yield Finding(text, workload, place=field.place.without_field)
