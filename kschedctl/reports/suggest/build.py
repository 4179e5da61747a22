"""From suggestions to their report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kschedctl.advice.commands import PodHome, commands_of
from kschedctl.advice.json_patch import document_of, in_words
from kschedctl.advice.measure import (
    Addition,
    Consequence,
    Departure,
    Edit,
    ObjectPatch,
    PodPatch,
    Reference,
    Replacement,
)
from kschedctl.advice.proof import Displacement
from kschedctl.advice.search import Suggestion
from kschedctl.objects.kinds import BY_TYPE
from kschedctl.objects.meta import TopLevel
from kschedctl.reports.suggest.model import (
    ChangeReport,
    EditReport,
    MoveReport,
    SuggestionReport,
    TargetReference,
)


def suggestion_reports(found: Sequence[Suggestion], home: PodHome) -> list[SuggestionReport]:
    """The report on suggestions for a pod that is written there."""
    return [
        SuggestionReport(
            text=one.text,
            cost=one.cost,
            node=one.proof.node,
            nodes=list(one.proof.nodes),
            preempts=list(one.proof.victims),
            moves=[_move(move) for move in one.proof.moves],
            needs_new_pod=home.needs_new_pod(one),
            changes=_changes(one, home),
            commands=commands_of(one, home),
        )
        for one in found
        if home.can_be_written(one)
    ]


def _move(move: Displacement) -> MoveReport:
    return MoveReport(
        pod=move.pod, source=move.source, returns=move.returns, target=move.target, may_come_first=move.first
    )


def _changes(one: Suggestion, home: PodHome) -> list[ChangeReport]:
    patches = {target: iter(home.patches(one, target) or ()) for target in home.targets}
    return [
        ChangeReport(
            kind=change.kind,
            text=change.text,
            note=change.note,
            edits=[report for edit in change.edits for report in _edits(edit, home, patches)],
        )
        for change in one.changes
    ]


def _edits(
    edit: Edit, home: PodHome, patches: Mapping[Reference, Iterator[list[dict[str, Any]]]]
) -> Iterator[EditReport]:
    match edit:
        case PodPatch():
            for target, own in patches.items():
                yield _edit(target, file=home.file, patch=next(own))
        case ObjectPatch(target, operations):
            file = home.manifests.files.get(target)
            yield _edit(target, file=file, patch=[dict(operation) for operation in operations])
        case Addition(objects):
            for obj in objects:
                yield _edit(_reference(obj), added=document_of(obj))
        case Replacement(obj):
            yield _edit(_reference(obj), added=document_of(obj), deleted=True)
        case Consequence():
            pass
        case Departure():
            yield _edit(edit.target, deleted=True)


def _edit(
    target: Reference,
    *,
    file: str | None = None,
    patch: list[dict[str, Any]] | None = None,
    added: dict[str, Any] | None = None,
    deleted: bool = False,
) -> EditReport:
    reference = TargetReference(kind=target.kind, namespace=target.namespace or None, name=target.name)
    words = [in_words(operation) for operation in patch or []]
    return EditReport(
        target=reference, file=file, patch=patch or [], words=words, added=added, deleted=deleted
    )


def _reference(obj: TopLevel) -> Reference:
    kind = BY_TYPE[type(obj)]
    return Reference(kind.kind, obj.namespace if kind.namespaced else "", obj.name)
