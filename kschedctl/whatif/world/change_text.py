"""Changes as people write them, on the command line and in scenario files: `drain n4`, `scale Deployment/web=10`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from kschedctl.errors import UsageError
from kschedctl.whatif.world import change_parsers as parsers
from kschedctl.whatif.world.change_forms import CHANGES, FailMode, RolloutMode
from kschedctl.whatif.world.changes import (
    AddNode,
    Change,
    Cordon,
    Delete,
    DrainNodes,
    FailDomain,
    LabelNodes,
    Patch,
    Prioritize,
    RemoveNode,
    Scale,
    TaintNodes,
)
from kschedctl.whatif.world.targets import DEFAULT_NAMESPACE


class ChangeContext(Struct, frozen=True):
    """What decides how texts are read.

    Attributes:
        directory: to which the paths of files relate, None for the working directory.
        fail_mode: what becomes of failed nodes.
        rollout: what happens to running pods of patched workloads.
        namespace: of workloads and other objects that are named without one.
    """

    directory: Path | None = None
    fail_mode: FailMode = FailMode.GONE
    rollout: RolloutMode = RolloutMode.RECREATE
    namespace: str | None = None

    def reference(self, text: str) -> str:
        """`KIND/NAME` with the namespace in front, if there is one."""
        return f"{self.namespace}/{text}" if self.namespace and text.count("/") == 1 else text

    def patch(self, data: Mapping[str, Any]) -> Patch:
        """The patch that some data is.

        Raises:
            UsageError: it does not say of what.
        """
        metadata = data.get("metadata")
        if not data.get("kind") or not isinstance(metadata, Mapping) or not metadata.get("name"):
            raise UsageError("a patch is an object with kind and metadata.name")
        return Patch(dict(data), self.rollout, self.namespace or DEFAULT_NAMESPACE)

    def path(self, text: str) -> str:
        """A path as it is to be opened."""
        if self.directory is None or text == "-":
            return text
        return os.path.normpath(self.directory / text)


def parse_change(kind: str, text: str, context: ChangeContext, *, name: str = "") -> list[Change]:
    """The changes that one text stands for.

    Args:
        kind: a key of `CHANGES`.
        text: what it is about.
        context: how to read it.
        name: what the text is called in errors, the kind if empty.

    Raises:
        UsageError: the text has another form.
        InputError: a file that it names cannot be used.
    """
    known = CHANGES[kind]
    try:
        if not text.strip():
            raise parsers.Malformed("it is empty")
        return _PARSERS[kind](text.strip(), context)
    except parsers.Malformed as error:
        hint = f"Write {known.form}, for example {known.quoted_example}."
        raise UsageError(f"{name or kind} {text!r}: {error}", hint=hint) from error


def told_change(kind: str, text: str, context: ChangeContext) -> str:
    """A change as a person would say it."""
    unreachable = kind == "fail-domain" and context.fail_mode is FailMode.UNREACHABLE
    return f"{kind} {text} (unreachable)" if unreachable else f"{kind} {text}"


def text_of(change: Change) -> str:
    """A change that was made in Python, as a person would write it; files go by what is in them."""
    match change:
        case DrainNodes(nodes):
            return f"drain {nodes}"
        case RemoveNode(nodes):
            return f"remove-node {nodes}"
        case Cordon(nodes, cordoned):
            return f"{'cordon' if cordoned else 'uncordon'} {nodes}"
        case FailDomain(key, value, mode):
            return told_change("fail-domain", f"{key}={value}", ChangeContext(fail_mode=mode))
        case AddNode(count, like, template):
            shape = f"like={like}" if like else template.name if template else ""
            return f"add-node {shape}" if count == 1 else f"add-node {shape}={count}"
        case Scale(workload, replicas):
            return f"scale {workload}={replicas}"
        case Prioritize(reference, priority):
            return f"priority {reference}={priority}"
        case Delete(reference):
            return f"delete {reference}"
        case TaintNodes(nodes, taint, remove):
            pair = f"{taint.key}={taint.value}" if taint.value else taint.key
            effect = f":{taint.effect}" if taint.effect else ""
            return f"taint {nodes} {pair}{effect}{'-' if remove else ''}"
        case LabelNodes(nodes, key, None):
            return f"label {nodes} {key}-"
        case LabelNodes(nodes, key, value):
            return f"label {nodes} {key}={value}"
        case Patch(patch):
            return f"patch {patch.get('kind')}/{(patch.get('metadata') or {}).get('name')}"
    return str(change)


_PARSERS: Final[Mapping[str, Callable[[str, ChangeContext], list[Change]]]] = MappingProxyType(
    {
        "drain": lambda text, context: [DrainNodes(text)],
        "remove-node": lambda text, context: [RemoveNode(text)],
        "cordon": lambda text, context: [Cordon(text)],
        "uncordon": lambda text, context: [Cordon(text, cordoned=False)],
        "fail-domain": parsers.fail_domain,
        "add-node": parsers.add_node,
        "scale": parsers.scale,
        "priority": parsers.priority,
        "delete": parsers.delete,
        "taint": parsers.taint,
        "label": parsers.label,
        "patch": parsers.patch,
    }
)
"""Kind of change -> from text to changes."""
