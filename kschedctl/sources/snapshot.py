"""The snapshot of a cluster as a value, and the header that tells where it comes from."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from kschedctl.objects.meta import TopLevel

API_VERSION = "kschedctl.dev/v1alpha1"
KIND = "ClusterSnapshot"
NAMESPACE_ONLY = "namespace-only"
"""Code of the note that some kinds were read of one namespace alone."""


class _Part(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """Base of the parts of a header."""


class RecordedOrigin(_Part, frozen=True):
    """Where the objects were read from: a cluster, or files that were converted."""

    server: str = ""
    context: str = ""
    files: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.server:
            return f"{self.server} (context {self.context})" if self.context else self.server
        return ", ".join(self.files)


class PolicyRule(_Part, frozen=True):
    """A rule of an RBAC role."""

    api_groups: tuple[str, ...]
    resources: tuple[str, ...]
    verbs: tuple[str, ...]


class MissingKind(_Part, frozen=True):
    """A kind whose objects are not in the snapshot, although the cluster may have some."""

    resource: str
    """`plural.group`, the way kubectl names it."""
    reason: str
    """`Forbidden`, `NotServed`, `OtherVersion` or `Unavailable`."""
    message: str = ""
    """What the API server said."""
    weakens: str = ""
    """Which answers may be wrong for the lack of it; empty where the kind cannot exist in the cluster."""
    rule: PolicyRule | None = None
    """The RBAC rule that would allow it."""


class Note(_Part, frozen=True):
    """Something that happened while the snapshot was taken."""

    code: str
    text: str


class Header(_Part, frozen=True):
    """What a snapshot says of itself; the objects follow it."""

    api_version: str = API_VERSION
    kind: str = KIND
    taken_at: str = ""
    """RFC 3339, UTC."""
    taken_by: str = ""
    """Name and version of the program."""
    origin: RecordedOrigin = RecordedOrigin()
    kubernetes_version: str = ""
    """`gitVersion` of the API server; `... emulating 1.N` where it emulates another minor version."""
    redacted: tuple[str, ...] = ()
    """What has been replaced: `names`."""
    missing: tuple[MissingKind, ...] = ()
    notes: tuple[Note, ...] = ()
    resource_versions: dict[str, str] = {}
    """`plural.group` -> resourceVersion of the list."""


class Snapshot(Struct, frozen=True):
    """The objects of a cluster at one time."""

    header: Header
    objects: Sequence[TopLevel]


class PodRow(_Part, frozen=True, gc=False):
    """A pod: its template, and what differs between replicas."""

    template: int
    """Index into `podTemplates`."""
    name: str
    uid: str = ""
    node_name: str = ""
    creation_timestamp: str | None = None
    start_time: str | None = None


def is_snapshot(api_version: str, kind: str) -> bool:
    """Whether a document is a snapshot, of this or another version."""
    return kind == KIND and api_version.partition("/")[0] == API_VERSION.partition("/")[0]
