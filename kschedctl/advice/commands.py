"""How a person makes a change in the cluster: with kubectl, where the object is that has to be changed."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from kschedctl.advice.json_patch import Operation, document_of, pointer
from kschedctl.advice.manifests import Manifests
from kschedctl.advice.measure import Consequence, Measure, ObjectPatch, PodPatch, Reference
from kschedctl.advice.search import Suggestion
from kschedctl.advice.situation import placed_anew
from kschedctl.advice.transfer import transferred
from kschedctl.cluster.pods import PodRecord
from kschedctl.objects.apps import CronJob
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.sources.held_template import held_at, is_made
from kschedctl.workloads import Ownership, Workload
from kschedctl.workloads.template import template_path

_FIXED: Final = ("Pod", "Job")
"""Kinds of which the pod cannot be changed once they are there."""
_RESTARTED: Final = ("Deployment", "StatefulSet", "DaemonSet")
_CLAIMS: Final = ("PersistentVolumeClaim", "ResourceClaim")
_MADE_ANEW: Final = ("PersistentVolumeClaim", "ResourceClaim", "ResourceClaimTemplate")
"""Kinds whose spec cannot be changed, and that people write."""


class PodHome(Struct, frozen=True):
    """Where the candidate is written.

    Attributes:
        target: the pod, or the workload that makes it.
        file: the manifest; None: it is in the cluster.
        others: what makes other members of its group that are written like it, and change with it.
        manifests: where other objects are written.
        pod: the candidate as JSON-like data, for which patches are made.
        templates: the same of what workloads make it from; where one is not there it is written as it is.
    """

    target: Reference
    file: str | None = None
    others: tuple[Reference, ...] = ()
    manifests: Manifests = Manifests()
    pod: Any = None
    templates: Mapping[Reference, Any] = {}

    @property
    def targets(self) -> tuple[Reference, ...]:
        """All that has to be changed, and can be."""
        return tuple(target for target in (self.target, *self.others) if not target.made)

    def patches(self, suggestion: Suggestion, target: Reference) -> list[list[dict[str, Any]]] | None:
        """The patches of the pod, in order, as patches of what it is written in; None: they cannot be made there."""
        patches: list[list[Operation]] | None = [list(patch.operations) for patch in _pod_patches(suggestion)]
        if self.pod is not None and target in self.templates:
            patches = transferred(patches or [], self.pod, self.templates[target])
        prefix = pointer(*(template_path(target.kind) if target.template is None else target.template))
        if patches is None:
            return None
        return [[{**one, "path": prefix + one["path"]} for one in patch] for patch in patches]

    def can_be_written(self, suggestion: Suggestion) -> bool:
        """Whether all that is changed of the pod stands in what it is written in."""
        return all(self.patches(suggestion, target) is not None for target in self.targets)

    def needs_new_pod(self, suggestion: Suggestion) -> bool:
        """Whether the pod cannot be changed in place, and no controller makes another one for the change."""
        return self.file is None and (self._is_fixed(suggestion) or _has_new_claims(suggestion.changes))

    def _is_fixed(self, suggestion: Suggestion) -> bool:
        operations = (operation for patch in _pod_patches(suggestion) for operation in patch.operations)
        return self.target.kind in _FIXED and not all(map(_may_change, operations))

    def commands(self, suggestion: Suggestion) -> Iterator[str]:
        """How the pod is changed, or made anew."""
        for target in self.targets:
            kind = f"{target.kind}.{target.group}".rstrip(".").lower()
            where = f"{kind} {target.name} -n {target.namespace}"
            written = [one for patch in self.patches(suggestion, target) or () for one in patch]
            if written and self.file is not None:
                yield _local(written, self.file)
            elif written and self._is_fixed(suggestion):
                yield f"kubectl get {where} -o yaml | {_local(written)} | kubectl replace --force -f -"
            elif written:
                yield f"kubectl patch {where} {_patch(written)}"
            elif self.needs_new_pod(suggestion) and target.kind == "Pod":
                yield f"kubectl get {where} -o yaml | kubectl replace --force -f -"
            elif self.needs_new_pod(suggestion) and target.kind in _RESTARTED:
                yield f"kubectl rollout restart {where}"


def _has_new_claims(changes: Sequence[Measure]) -> bool:
    """Whether claims are made otherwise than those that the pod has."""
    return any(
        isinstance(edit, Consequence)
        and isinstance(edit.edit, ObjectPatch)
        and edit.edit.target.kind in _CLAIMS
        for change in changes
        for edit in change.edits
    )


def holder_of(template: TopLevel) -> Reference:
    """The custom resource that holds the template of pods for which an object stands."""
    owner = template.metadata.controller
    assert owner is not None
    group = owner.api_version.rpartition("/")[0]
    return Reference(
        owner.kind, template.namespace, owner.name, held_at(template), group, made=is_made(template)
    )


def home_of_existing(pod: PodRecord | Pod, ownership: Ownership) -> PodHome:
    """Where a pod of the cluster is written: the workload at the top of its owners, as far as it is known."""
    source = placed_anew(pod)
    root = ownership.root(source)
    nearest = ownership.workload(ownership.chain(source)[0])
    if nearest is not None and held_at(nearest) is not None:
        held = holder_of(nearest)
        templates = {} if held.made else {held: template_document(nearest)}
        return PodHome(held, pod=document_of(source), templates=templates)
    workload = ownership.workload(root)
    if workload is None:
        return PodHome(Reference("Pod", source.namespace, source.name))
    target = Reference(root.kind, root.namespace, root.name)
    return PodHome(target, pod=document_of(source), templates={target: template_document(workload)})


def template_document(workload: Workload) -> Any:
    """The template of a workload as JSON-like data, in the order in which it was written."""
    template = (
        workload.spec.job_template.spec.template if isinstance(workload, CronJob) else workload.spec.template
    )
    return document_of(Pod(metadata=template.metadata, spec=template.spec)) if template else {"spec": {}}


def commands_of(suggestion: Suggestion, home: PodHome) -> list[str]:
    """The commands that make a suggestion, in order; what no command makes is left out."""
    found = [command for change in suggestion.changes if (command := _of_objects(change, home.manifests))]
    return found if home.file in home.manifests.shared else [*found, *home.commands(suggestion)]


def _of_objects(change: Measure, manifests: Manifests) -> str:
    """How other objects are changed: where they are written, else in the cluster."""
    patches = [edit for edit in change.edits if isinstance(edit, ObjectPatch)]
    if not any(edit.target in manifests.files for edit in patches):
        return change.command or "; ".join(filter(None, map(_anew, patches)))
    files = [(manifests.files.get(edit.target), edit) for edit in patches]
    return "; ".join(
        _local(edit.operations, file) for file, edit in files if file and file not in manifests.shared
    )


def _anew(edit: ObjectPatch) -> str:
    """How an object is changed that nobody has a verb for, and that cannot be changed in place."""
    shown = _get(edit.target)
    return f"{shown} -o yaml | {_local(edit.operations)} | kubectl replace --force -f -" if shown else ""


def _get(target: Reference) -> str:
    where = f" -n {target.namespace}" if target.namespace else ""
    return f"kubectl get {target.kind.lower()} {target.name}{where}" if target.kind in _MADE_ANEW else ""


def _pod_patches(suggestion: Suggestion) -> Iterator[PodPatch]:
    for change in suggestion.changes:
        for edit in change.edits:
            if isinstance(edit, PodPatch):
                yield edit


def _may_change(operation: Operation) -> bool:
    """Whether the API server takes the operation on a pod that is there: tolerations are added, gates removed."""
    path = operation["path"]
    added = operation["op"] == "add" and path in ("/spec/tolerations", "/spec/tolerations/-")
    return added or (operation["op"] == "remove" and path == "/spec/schedulingGates")


def _local(operations: Sequence[Operation], file: str = "-") -> str:
    return f"kubectl patch --local -f {shlex.quote(file)} {_patch(operations)} -o yaml"


def _patch(operations: Sequence[Operation]) -> str:
    return f"--type=json -p {shlex.quote(json.dumps(operations))}"
