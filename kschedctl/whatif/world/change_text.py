"""Changes as people write them, on the command line and in scenario files: `drain n4`, `scale Deployment/web=10`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from kschedctl.errors import UsageError
from kschedctl.whatif.world import change_parsers as parsers
from kschedctl.whatif.world.change_context import ChangeContext
from kschedctl.whatif.world.change_forms import CHANGES, FailMode
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
