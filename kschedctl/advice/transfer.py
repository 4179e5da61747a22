"""Patches of a pod as patches of the template that it is made from, which may be written otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from kschedctl.advice.json_patch import Operation, add_within, do, pointer, tokens_of

_OF_THE_PRIORITY_CLASS = frozenset({"/spec/priority", "/spec/preemptionPolicy"})
"""Fields that admission fills in: what a template does not have need not be taken out of it."""


def transferred(
    patches: Sequence[Sequence[Operation]], pod: Any, template: Any
) -> list[list[Operation]] | None:
    """Patches, one after the other, of a template; None where one is about what is not in it.

    The API server and controllers add to a pod: tolerations, volumes, claims of a stateful set. So an entry of a
    list has another place in the template, and a list may not be there at all. What defaults have filled in of the pod
    is written into the template.

    Args:
        patches: of the pod.
        pod: it as JSON-like data.
        template: what it is made from, in the same shape.
    """
    here, there = deepcopy(pod), deepcopy(template)
    found: list[list[Operation]] = []
    try:
        for patch in patches:
            found.append([])
            for operation in patch:
                if not (operation["path"] in _OF_THE_PRIORITY_CLASS and _lacks(there, operation)):
                    one = _written(operation, here, there)
                    do(there, one)
                    found[-1].append(one)
                do(here, operation)
    except LookupError:
        return None
    return found


def _lacks(template: Any, operation: Operation) -> bool:
    """Whether there is nothing where an operation takes something away."""
    *way, last = tokens_of(operation["path"])
    for token in way:
        template = _inside(template, token)
    return operation["op"] == "remove" and last not in (template or {})


def _written(operation: Operation, pod: Any, template: Any) -> Operation:
    """An operation on the one as an operation on the other.

    Raises:
        LookupError: it is about what the other one does not have.
    """
    tokens: list[str | int] = []
    here, there = pod, template
    *way, last = tokens_of(operation["path"])
    for token in way:
        tokens.append(_place(token, here, there))
        here, there = _inside(here, token), _inside(there, tokens[-1])
    if operation["op"] != "remove" and (last == "-" or not isinstance(here, list)):
        return add_within(template, operation["value"], *tokens, last)
    return {**operation, "path": pointer(*tokens, _place(last, here, there))}


def _place(token: str, here: Any, there: Any) -> str | int:
    """Where the entry of a list is in the other one; a key stays the same."""
    if not isinstance(here, list):
        return token
    if there is None:
        raise LookupError(token)
    entry = here[int(token)]
    name = entry.get("name") if isinstance(entry, dict) else None
    for at, other in enumerate(there):
        if other == entry or (name is not None and isinstance(other, dict) and other.get("name") == name):
            return at
    raise LookupError(token)


def _inside(data: Any, token: str | int) -> Any:
    if data is None:
        return None
    return data[int(token)] if isinstance(data, list) else data.get(token)
