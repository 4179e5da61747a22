"""JSON Patch (RFC 6902), as far as suggestions need it: `add`, `replace` and `remove`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeVar

import msgspec

from kschedctl.objects.meta import KubeObject
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.objects.written import as_read

Operation = Mapping[str, Any]
"""`op`, `path`, and `value` but for `remove`."""

T = TypeVar("T", bound=KubeObject)


def pointer(*tokens: str | int) -> str:
    """A path (RFC 6901): `/spec/nodeSelector/example.com~1disk`."""
    return "".join(f"/{str(token).replace('~', '~0').replace('/', '~1')}" for token in tokens)


def add(value: Any, *tokens: str | int) -> Operation:
    """Put a value where there is none, or in the place of another one."""
    return {"op": "add", "path": pointer(*tokens), "value": value}


def remove(*tokens: str | int) -> Operation:
    """Take away what is there."""
    return {"op": "remove", "path": pointer(*tokens)}


def add_within(data: Any, value: Any, *tokens: str | int) -> Operation:
    """Put a value at a place, with the objects and lists on the way to it that `data` lacks."""
    at = data
    for depth, token in enumerate(tokens[:-1]):
        inner = at[token] if isinstance(token, int) else at.get(token)
        if inner is None:
            return add(_nested(value, tokens[depth + 1 :]), *tokens[: depth + 1])
        at = inner
    return add(value, *tokens)


def _nested(value: Any, tokens: Sequence[str | int]) -> Any:
    for token in reversed(tokens):
        value = [value] if token in (0, "-") else {token: value}
    return value


def patched(data: Any, operations: Iterable[Operation]) -> Any:
    """JSON-like data with the operations done, in order; the data itself stays as it is.

    Raises:
        LookupError: a path leads nowhere.
    """
    result = deepcopy(data)
    for operation in operations:
        *way, last = [
            token.replace("~1", "/").replace("~0", "~") for token in operation["path"].split("/")[1:]
        ]
        at = result
        for token in way:
            at = at[int(token)] if isinstance(at, list) else at[token]
        _do(at, last, operation)
    return result


def _do(at: Any, last: str, operation: Operation) -> None:
    if operation["op"] == "remove":
        del at[int(last) if isinstance(at, list) else last]
    elif not isinstance(at, list):
        at[last] = operation["value"]
    elif operation["op"] == "replace":
        at[int(last)] = operation["value"]
    else:
        at.insert(len(at) if last == "-" else int(last), operation["value"])


def document_of(obj: KubeObject) -> Any:
    """What scheduling reads of an object as JSON-like data; lists have the order in which they were written."""
    if isinstance(obj, Pod):
        obj = msgspec.structs.replace(obj, spec=as_read(obj.spec))
    data = msgspec.json.decode(msgspec.json.encode(obj))
    if isinstance(obj, (Pod, Node)):
        data.setdefault("spec", {})  # always there, and more in it than is read here
    return data


def patched_object(obj: T, operations: Iterable[Operation]) -> T:
    """The typed object with the operations done.

    Raises:
        LookupError: a path leads nowhere.
        msgspec.ValidationError: the result is no such object.
    """
    found: T = msgspec.convert(patched(document_of(obj), operations), type(obj))
    return found
