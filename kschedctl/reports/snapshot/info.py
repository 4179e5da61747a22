"""What a snapshot, or any other input, holds, and what it lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import field
from msgspec.structs import replace

from kschedctl.objects.kinds import KINDS
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.objects.quantity import ZERO
from kschedctl.reports.model import API_VERSION, ReportObject, doc
from kschedctl.reports.rooms.model import NodeRoom
from kschedctl.sources.access import resource_of
from kschedctl.sources.capacity_totals import allocatable_total, requested_total
from kschedctl.sources.load import Loaded
from kschedctl.sources.snapshot import Header, MissingKind, PolicyRule


class SnapshotOrigin(ReportObject, frozen=True):
    """Where and when a snapshot was taken; `null`: it does not say."""

    taken_at: Annotated[str | None, doc("When (RFC 3339).")]
    taken_by: Annotated[str | None, doc("Program and version.")]
    server: Annotated[str | None, doc("URL of the API server.")]
    context: Annotated[str | None, doc("Context of the kubeconfig.")]
    files: Annotated[list[str], doc("Files that it was converted from.")]
    kubernetes_version: Annotated[str | None, doc("Version of the API server.")]
    redacted: Annotated[list[str], doc("What has been replaced.")]
    resource_versions: Annotated[dict[str, str], doc("resourceVersion of each list.")]


class KindCount(ReportObject, frozen=True):
    """How many objects of a kind there are."""

    resource: Annotated[str, doc("`plural.group`.")]
    count: Annotated[int, doc("Objects.")]


class PodCounts(ReportObject, frozen=True):
    """The pods by what the scheduler sees of them."""

    on_nodes: Annotated[int, doc("On a node and not finished.")]
    pending: Annotated[int, doc("On no node.")]
    finished: Annotated[int, doc("Succeeded or failed: they do not exist for the scheduler.")]


class ResourceTotal(ReportObject, frozen=True):
    """A resource over all nodes."""

    resource: Annotated[str, doc("Name of the resource.")]
    allocatable: Annotated[str, doc("What all nodes offer.")]
    requested: Annotated[str, doc("What the pods on them request.")]


class AccessRule(ReportObject, frozen=True):
    """The RBAC rule that would allow to read a kind."""

    api_groups: Annotated[list[str], doc("API groups.")]
    resources: Annotated[list[str], doc("Resources.")]
    verbs: Annotated[list[str], doc("Verbs.")]


class Gap(ReportObject, frozen=True):
    """A kind that could not be read."""

    resource: Annotated[str, doc("`plural.group`.")]
    reason: Annotated[str, doc("`Forbidden`, `NotServed`, `OtherVersion` or `Unavailable`.")]
    message: Annotated[str | None, doc("What the API server said.")]
    weakens: Annotated[str | None, doc("What may be wrong for the lack of it; null: nothing.")]
    rule: Annotated[AccessRule | None, doc("The rule that would allow it.")]


class NoteReport(ReportObject, frozen=True):
    """Something that happened while a snapshot was taken."""

    code: Annotated[str, doc("Short name, stable for scripts.")]
    text: Annotated[str, doc("A sentence.")]


class SnapshotInfo(ReportObject, frozen=True, kw_only=True):
    """What `snapshot info` says."""

    api_version: Annotated[Literal["kschedctl.dev/v1alpha1"], doc("Version of this report.")] = API_VERSION
    kind: Annotated[Literal["SnapshotInfo"], doc("Kind of this report.")] = "SnapshotInfo"
    source: Annotated[list[str], doc("The inputs, as given.")]
    snapshots: Annotated[
        list[SnapshotOrigin], doc("The snapshots among the inputs; other inputs say nothing.")
    ]
    objects: Annotated[list[KindCount], doc("Objects by kind, kinds without any left out.")]
    pods: Annotated[PodCounts, doc("The pods.")]
    resources: Annotated[list[ResourceTotal], doc("Resources over all nodes.")]
    missing: Annotated[list[Gap], doc("Kinds that could not be read.")]
    notes: Annotated[list[NoteReport], doc("What happened while the snapshots were taken.")]
    rooms: Annotated[list[NodeRoom], doc("The room of every node; left out with -q.")] = field(
        default_factory=list
    )

    def brief(self) -> SnapshotInfo:
        """The same without the room of every node."""
        return replace(self, rooms=[])


def info_of(loaded: Loaded, source: Sequence[str]) -> SnapshotInfo:
    """What some inputs hold."""
    return SnapshotInfo(
        source=list(source),
        snapshots=[origin_of(header) for header in loaded.snapshots],
        objects=_counts(loaded.objects),
        pods=_pods(loaded.objects),
        resources=_resources(loaded.objects),
        missing=[_gap(entry) for header in loaded.snapshots for entry in header.missing],
        notes=[NoteReport(code=n.code, text=n.text) for header in loaded.snapshots for n in header.notes],
    )


def origin_of(header: Header) -> SnapshotOrigin:
    """Where and when a snapshot was taken."""
    return SnapshotOrigin(
        taken_at=header.taken_at or None,
        taken_by=header.taken_by or None,
        server=header.origin.server or None,
        context=header.origin.context or None,
        files=list(header.origin.files),
        kubernetes_version=header.kubernetes_version or None,
        redacted=list(header.redacted),
        resource_versions=header.resource_versions,
    )


def _counts(objects: Sequence[TopLevel]) -> list[KindCount]:
    counts = Counter(type(obj) for obj in objects)
    return [
        KindCount(resource=resource_of(kind), count=counts[kind.type]) for kind in KINDS if counts[kind.type]
    ]


def _pods(objects: Sequence[TopLevel]) -> PodCounts:
    pods = [obj for obj in objects if isinstance(obj, Pod)]
    live = [pod for pod in pods if not pod.is_terminal]
    on_nodes = sum(bool(pod.spec.node_name) for pod in live)
    return PodCounts(on_nodes=on_nodes, pending=len(live) - on_nodes, finished=len(pods) - len(live))


def _resources(objects: Sequence[TopLevel]) -> list[ResourceTotal]:
    offered, requested = allocatable_total(objects), requested_total(objects)
    return [
        ResourceTotal(
            resource=name, allocatable=str(offered.get(name, ZERO)), requested=str(requested.get(name, ZERO))
        )
        for name in sorted({*offered, *requested})
    ]


def _gap(entry: MissingKind) -> Gap:
    return Gap(
        resource=entry.resource,
        reason=entry.reason,
        message=entry.message or None,
        weakens=entry.weakens or None,
        rule=None if entry.rule is None else _rule(entry.rule),
    )


def _rule(rule: PolicyRule) -> AccessRule:
    return AccessRule(
        api_groups=list(rule.api_groups), resources=list(rule.resources), verbs=list(rule.verbs)
    )
