"""Kinds that a live cluster did not let us read, told where an answer hangs on them, and answers that cannot be given.

A pod that fits nowhere for the lack of them alone is no "no": it cannot be judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from kschedctl.objects.core import PriorityClass, RuntimeClass
from kschedctl.objects.kinds import KINDS, Kind, is_upstream_group
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.phrases import names_text
from kschedctl.objects.pod import Pod
from kschedctl.reports.caveats.kinds_read import Reading
from kschedctl.reports.explain.model import Failure, NodeReport, NodeVerdict
from kschedctl.reports.model import Caveat
from kschedctl.sources.access import resource_of
from kschedctl.sources.snapshot import Header
from kschedctl.workloads import WORKLOADS

_NAMED: Final = 3


class UnreadKind(Struct, frozen=True):
    """A kind that could not be read, or of which some objects were not.

    Attributes:
        kind: the kind.
        reason: why, in a word: `Forbidden`; empty where `text` says it all.
        weakens: what answers take to be so without its objects.
        text: the whole caveat, where it is not like others.
    """

    kind: Kind
    reason: str
    weakens: str = ""
    text: str = ""


Gaps = Mapping[type[TopLevel], UnreadKind]


def gaps_of(
    headers: Iterable[Header], skipped: Mapping[tuple[str, str], int]
) -> dict[type[TopLevel], UnreadKind]:
    """What a cluster lacks.

    Args:
        headers: of the snapshots that it was read from.
        skipped: `(apiVersion, kind)` of objects that were not read -> how many.
    """
    by_resource = {resource_of(kind): kind for kind in KINDS}
    gaps = {}
    for entry in (entry for header in headers for entry in header.missing if entry.weakens):
        kind = by_resource.get(entry.resource)
        if kind is not None:
            gaps[kind.type] = UnreadKind(kind, entry.reason, entry.weakens)
    for kind, text in unread_versions(skipped):
        gaps.setdefault(kind.type, UnreadKind(kind, "", text=text))
    return gaps


def unread_versions(skipped: Mapping[tuple[str, str], int]) -> Iterator[tuple[Kind, str]]:
    """Kinds that scheduling reads, in a version that this program does not, each in a sentence."""
    known = {kind.kind: kind for kind in KINDS}
    for (api_version, name), count in sorted(skipped.items()):
        kind = known.get(name)
        # Kinds have moved between groups: workloads were in extensions once.
        if kind is not None and is_upstream_group(api_version):
            read = ", ".join(kind.api_versions)
            yield kind, f"{count} {name} in version {api_version} left out; read are {read}"


def missing_kinds_caveats(gaps: Gaps, readings: Iterable[Reading], *, changes: bool = False) -> list[Caveat]:
    """The caveats about what an answer has read in vain: one for each reason, however many kinds there are.

    Args:
        gaps: what could not be read.
        readings: what the answer has read.
        changes: whether workloads of the cluster were replaced or changed, or their pods made anew.
    """
    grave: dict[type[TopLevel], bool] = dict.fromkeys(gaps.keys() & set(WORKLOADS), True) if changes else {}
    for reading in readings:
        if reading.kind in gaps:
            grave[reading.kind] = grave.get(reading.kind, False) or reading.decides
    read = [gaps[kind.type] for kind in KINDS if kind.type in grave]
    caveats = []
    for reason in dict.fromkeys(gap.reason for gap in read if not gap.text):
        alike = [gap for gap in read if gap.reason == reason and not gap.text]
        decides = any(grave[gap.kind.type] for gap in alike)
        caveats.append(Caveat(code="kind-missing", message=_told(alike), may_change_answer=decides))
    for gap in read:
        if gap.text:
            decides = grave[gap.kind.type]
            caveats.append(Caveat(code="version-not-read", message=gap.text, may_change_answer=decides))
    return caveats


def _told(gaps: Sequence[UnreadKind]) -> str:
    """Kinds that are missing for the same reason, those together whose lack means the same."""
    by_effect: dict[str, list[str]] = {}
    for gap in gaps:
        by_effect.setdefault(gap.weakens, []).append(resource_of(gap.kind))
    if len(by_effect) == 1:
        ((weakens, resources),) = by_effect.items()
        return f"{names_text(resources, len(resources))} could not be read ({gaps[0].reason}): {weakens}"
    effects = "; ".join(f"{names_text(names, len(names))}: {weakens}" for weakens, names in by_effect.items())
    return f"{len(gaps)} kinds could not be read ({gaps[0].reason}). {effects}"


def why_not_judged(gaps: Gaps, readings: Iterable[Reading], nodes: Iterable[NodeReport]) -> str | None:
    """Why it cannot be said whether a pod that fits nowhere would fit, None where it can.

    Args:
        gaps: what could not be read.
        readings: what its answer has read.
        nodes: what was found on each node.
    """
    wanting = [reading for reading in readings if reading.kind in gaps and reading.refusals]
    blamed = frozenset().union(*(reading.refusals for reading in wanting))
    if not blamed or not any(_only_by(blamed, node) for node in nodes if not node.feasible):
        return None
    return _because(gaps, [reading.kind for reading in wanting])


def _only_by(blamed: frozenset[str], node: NodeReport) -> bool:
    """Whether nothing else rejects the node."""
    failures: Sequence[Failure | NodeVerdict] = node.all_failures or ([node.status] if node.status else [])
    return all(f.plugin in blamed or blamed.issuperset(f.reasons) for f in failures)


def why_refusal_not_judged(gaps: Gaps, pod: Pod) -> str | None:
    """Why it cannot be said whether the API server refuses a pod that names classes, None where it can."""
    named: dict[type[TopLevel], str | None] = {
        PriorityClass: pod.spec.priority_class_name,
        RuntimeClass: pod.spec.runtime_class_name,
    }
    return _because(gaps, [kind for kind, name in named.items() if name and kind in gaps]) or None


def _because(gaps: Gaps, kinds: Iterable[type[TopLevel]]) -> str:
    by_reason: dict[str, list[str]] = {}
    texts = []
    for gap in (gaps[kind] for kind in dict.fromkeys(kinds)):
        if gap.text:
            texts.append(gap.text)
        else:
            by_reason.setdefault(gap.reason, []).append(resource_of(gap.kind))
    told = (f"{names_text(names, _NAMED)} could not be read ({why})" for why, names in by_reason.items())
    return "; ".join([*told, *texts])
