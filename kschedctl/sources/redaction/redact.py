"""From a snapshot to the same snapshot under other names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kschedctl.objects.apps import StatefulSet
from kschedctl.objects.kinds import BY_TYPE
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.objects.storage import PersistentVolumeClaim
from kschedctl.sources.pod_templates import fold_pods, unfold_pods
from kschedctl.sources.redaction.names import Collected, Names, Replacements, Sort
from kschedctl.sources.redaction.rewriting import Scope
from kschedctl.sources.redaction.rules import rewrite_object, uid
from kschedctl.sources.snapshot import Header, Note, PodRow, RecordedOrigin, Snapshot

NAMES = "names"
"""What `Header.redacted` says of a snapshot whose names have been replaced."""

_TEXTS_KEPT = Note(
    code="device-texts-kept",
    text="texts of device attributes and selectors are kept: a selector looks into them, and its answer hangs on them",
)
_ORDINAL = re.compile(r"-[0-9]+")


class Redacted(Struct, frozen=True):
    """A snapshot under other names.

    Attributes:
        snapshot: the snapshot.
        originals: replacement -> name. Whoever holds it can read the answers.
    """

    snapshot: Snapshot
    originals: Mapping[str, str]


def redact_names(snapshot: Snapshot) -> Redacted:
    """Replace names consistently, keeping what decides; see the package for what is replaced how."""
    pods = [obj for obj in snapshot.objects if isinstance(obj, Pod)]
    others = [obj for obj in snapshot.objects if not isinstance(obj, Pod)]
    texts, rows = fold_pods(pods)
    templates = [msgspec.json.decode(text, type=Pod) for text in texts]
    collected = Collected()
    _rewrite_all(others, templates, rows, collected)
    _note_derivations(pods, others, collected)
    replacements = Replacements(collected)
    objects = [*_rewrite_all(others, templates, rows, replacements)]
    header = _redacted(snapshot.header)
    if collected.looks_into_texts:
        header = replace(header, notes=(*header.notes, _TEXTS_KEPT))
    return Redacted(Snapshot(header, objects), replacements.originals)


def _rewrite_all(
    others: Iterable[TopLevel], templates: list[Pod], rows: Iterable[PodRow], names: Names
) -> list[TopLevel]:
    objects = [rewrite_object(obj, _scope(obj, names)) for obj in others]
    rewritten = [rewrite_object(template, _scope(template, names)) for template in templates]
    scopes = [_scope(template, names) for template in templates]
    new_rows = [_row(row, scopes[row.template]) for row in rows]
    return [*objects, *unfold_pods([pod for pod in rewritten if isinstance(pod, Pod)], new_rows)]


def _scope(obj: TopLevel, names: Names) -> Scope:
    return Scope(names, obj.namespace if BY_TYPE[type(obj)].namespaced else "")


def _row(row: PodRow, scope: Scope) -> PodRow:
    return replace(
        row,
        name=scope.names.local(scope.namespace, row.name),
        uid=uid(row.uid, scope),
        node_name=scope.names.plain(Sort.NODE, row.node_name),
    )


def _note_derivations(pods: Iterable[Pod], others: Iterable[TopLevel], names: Names) -> None:
    """Tell how names are made of each other: pods of StatefulSets, and claims of either."""
    for pod in pods:
        if pod.name:
            _note_pod(pod, names)
    claims = [obj for obj in others if isinstance(obj, PersistentVolumeClaim)]
    for owner in (obj for obj in others if isinstance(obj, StatefulSet)):
        for template in owner.spec.volume_claim_templates:
            prefix = f"{template.name}-"
            whole = re.compile(re.escape(f"{prefix}{owner.name}") + f"({_ORDINAL.pattern})")
            for claim in claims:
                match = whole.fullmatch(claim.name)
                if match and claim.namespace == owner.namespace:
                    pod_name = f"{owner.name}{match[1]}"
                    names.derived(owner.namespace, pod_name, "", owner.name, match[1])
                    names.derived(owner.namespace, claim.name, prefix, pod_name, "")


def _note_pod(pod: Pod, names: Names) -> None:
    owner = pod.metadata.controller
    if owner is not None and owner.kind == "StatefulSet":
        suffix = pod.name.removeprefix(owner.name)
        if suffix != pod.name and _ORDINAL.fullmatch(suffix):
            names.derived(pod.namespace, pod.name, "", owner.name, suffix)
    for name, prefix, suffix in _claims_named_after(pod):
        names.derived(pod.namespace, name, prefix, pod.name, suffix)


def _claims_named_after(pod: Pod) -> Iterator[tuple[str, str, str]]:
    for volume in pod.spec.volumes:
        if volume.ephemeral is not None:
            yield f"{pod.name}-{volume.name}", "", f"-{volume.name}"
        elif volume.persistent_volume_claim is not None:
            name = volume.persistent_volume_claim.claim_name
            if name.endswith(f"-{pod.name}"):
                yield name, name.removesuffix(pod.name), ""


def _redacted(header: Header) -> Header:
    """The header without texts of others, in which there may be names."""
    return replace(
        header,
        origin=RecordedOrigin(),
        redacted=(NAMES,),
        missing=tuple(replace(entry, message="") for entry in header.missing),
        notes=tuple(Note(code=note.code, text="told with names that are redacted") for note in header.notes),
    )
