"""How a person makes a change in the cluster: with kubectl, where the object is that has to be changed."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct

from kschedctl.advice.json_patch import Operation, pointer
from kschedctl.advice.measure import Measure, ObjectPatch, PodPatch, Reference
from kschedctl.advice.search import Suggestion
from kschedctl.cluster.pods import PodRecord
from kschedctl.objects.pod import Pod
from kschedctl.workloads import Ownership
from kschedctl.workloads.template import template_path

_FIXED: Final = ("Pod", "Job")
"""Kinds of which the pod cannot be changed once they are there."""
_MADE_ANEW: Final = ("PersistentVolumeClaim", "ResourceClaim", "ResourceClaimTemplate")
"""Kinds whose spec cannot be changed, and that people write."""


class PodHome(Struct, frozen=True):
    """Where the candidate is written.

    Attributes:
        target: the pod, or the workload that makes it.
        file: the manifest; None: it is in the cluster.
        others: what makes other members of its group that are written like it, and change with it.
    """

    target: Reference
    file: str | None = None
    others: tuple[Reference, ...] = ()

    @property
    def targets(self) -> tuple[Reference, ...]:
        """All that has to be changed."""
        return self.target, *self.others

    def needs_new_pod(self, suggestion: Suggestion) -> bool:
        """Whether the pod cannot be changed in place, and no controller makes another one."""
        operations = list(_pod_operations(suggestion.changes))
        return self.file is None and self.target.kind in _FIXED and not all(map(_may_change, operations))


def home_of_existing(pod: PodRecord | Pod, ownership: Ownership) -> PodHome:
    """Where a pod of the cluster is written: the workload at the top of its owners, as far as it is known."""
    source = pod.pod.source if isinstance(pod, PodRecord) else pod
    assert source is not None
    root = ownership.root(source)
    if ownership.workload(root) is None:
        return PodHome(Reference("Pod", source.namespace, source.name))
    return PodHome(Reference(root.kind, root.namespace, root.name))


def commands_of(suggestion: Suggestion, home: PodHome) -> list[str]:
    """The commands that make a suggestion, in order; what no command makes is left out."""
    found = [command for change in suggestion.changes if (command := change.command or _of_objects(change))]
    operations = list(_pod_operations(suggestion.changes))
    if operations:
        new = home.needs_new_pod(suggestion)
        found += [_of_pod(operations, target, home.file, new=new) for target in home.targets]
    return found


def operations_in(target: Reference, operations: Sequence[Operation]) -> list[dict[str, Any]]:
    """Operations on a pod as operations on what it is written in."""
    prefix = pointer(*(template_path(target.kind) if target.template is None else target.template))
    return [{**operation, "path": prefix + operation["path"]} for operation in operations]


def _of_objects(change: Measure) -> str:
    """How an object is changed that nobody has a verb for; one that cannot be changed in place is made anew."""
    found = [
        f"{shown} -o yaml | {_local(edit.operations)} | kubectl replace --force -f -"
        for edit in change.edits
        if isinstance(edit, ObjectPatch) and (shown := _get(edit.target))
    ]
    return "; ".join(found)


def _get(target: Reference) -> str:
    where = f" -n {target.namespace}" if target.namespace else ""
    return f"kubectl get {target.kind.lower()} {target.name}{where}" if target.kind in _MADE_ANEW else ""


def _pod_operations(changes: Sequence[Measure]) -> Iterator[Operation]:
    for change in changes:
        for edit in change.edits:
            if isinstance(edit, PodPatch):
                yield from edit.operations


def _may_change(operation: Operation) -> bool:
    """Whether the API server takes the operation on a pod that is there: tolerations are added, gates removed."""
    path = operation["path"]
    added = operation["op"] == "add" and path in ("/spec/tolerations", "/spec/tolerations/-")
    return added or (operation["op"] == "remove" and path == "/spec/schedulingGates")


def _of_pod(operations: Sequence[Operation], target: Reference, file: str | None, *, new: bool) -> str:
    written = operations_in(target, operations)
    if file is not None:
        return _local(written, file)
    where = f"{target.kind.lower()} {target.name} -n {target.namespace}"
    if not new:
        return f"kubectl patch {where} {_patch(written)}"
    return f"kubectl get {where} -o yaml | {_local(written)} | kubectl replace --force -f -"


def _local(operations: Sequence[Operation], file: str = "-") -> str:
    return f"kubectl patch --local -f {shlex.quote(file)} {_patch(operations)} -o yaml"


def _patch(operations: Sequence[Operation]) -> str:
    return f"--type=json -p {shlex.quote(json.dumps(operations))}"
