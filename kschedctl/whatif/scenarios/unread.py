"""Whether manifests hold what would be passed over in silence: API versions that are not read, misspelt fields."""

from __future__ import annotations

from collections.abc import Iterator

from kschedctl.objects.kinds import KINDS, is_upstream_group
from kschedctl.objects.phrases import either
from kschedctl.sources.intake import UnreadObject
from kschedctl.whatif.manifests import Release
from kschedctl.whatif.scenarios.checks import Check, Finding, Rule
from kschedctl.workloads import WORKLOADS, key_of

_READ = {kind.kind: kind for kind in KINDS}


def check_unread(release: Release) -> Check:
    """That the API server would take manifests as they are written, as far as scheduling reads them."""
    title = "no misspelt field and no API version that is not read in the manifests"
    return Check(Rule.NO_UNREAD, title, ("noUnread",), (*_versions(release), *_fields(release)))


def _versions(release: Release) -> Iterator[Finding]:
    for unread in release.unread:
        if unread.kind in _READ and is_upstream_group(unread.api_version):
            yield Finding(_not_read(unread), place=unread.place)


def _not_read(unread: UnreadObject) -> str:
    versions = either(list(_READ[unread.kind].api_versions))
    return f"{unread.kind} in version {unread.api_version} is not read: write {versions}"


def _fields(release: Release) -> Iterator[Finding]:
    for field in release.unknown:
        owner = release.objects[field.index]
        workload = key_of(owner) if isinstance(owner, WORKLOADS) else None
        hint = f"; {field.hint}" if field.hint else ""
        text = f"{key_of(owner)}: unknown field {field.place.field}{hint}"
        yield Finding(text, workload, place=field.place.without_field)
