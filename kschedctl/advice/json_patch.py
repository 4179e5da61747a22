"""JSON Patch (RFC 6902), as far as suggestions need it: `add`, `replace` and `remove`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

import msgspec

from kschedctl.objects.meta import KubeObject
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.objects.written import as_read

Operation = Mapping[str, Any]
"""`op`, `path`, and `value` but for `remove`."""


def pointer(*tokens: str | int) -> str:
    """A path (RFC 6901): `/spec/nodeSelector/example.com~1disk`."""
    return "".join(f"/{str(token).replace('~', '~0').replace('/', '~1')}" for token in tokens)


def add(value: Any, *tokens: str | int) -> Operation:
    """Put a value where there is none, or in the place of another one."""
    return {"op": "add", "path": pointer(*tokens), "value": value}


def put(value: Any, *tokens: str | int) -> Operation:
    """Put a value in the place of the one that is there."""
    return {"op": "replace", "path": pointer(*tokens), "value": value}


def in_words(operation: Operation) -> str:
    """An operation as a person would say what to write: `spec.nodeSelector.disk removed`."""
    *way, last = tokens_of(operation["path"])
    end = operation["op"] == "add" and last == "-"
    place = "".join(map(_step, way if end else (*way, last))).lstrip(".")
    if operation["op"] == "remove":
        return f"{place} removed"
    value = json.dumps(operation["value"])
    return f"{place}: one more entry {value}" if end else f"{place}: {value}"


def _step(token: str) -> str:
    if token.isdecimal():
        return f"[{token}]"
    return f".{token}" if token.isidentifier() else f"[{token}]"


def remove(*tokens: str | int) -> Operation:
    """Take away what is there."""
    return {"op": "remove", "path": pointer(*tokens)}


def place_removed(operation: Operation) -> int:
    """Where in its list an entry is that is removed, -1 for every other operation."""
    last = operation["path"].rpartition("/")[2]
    return int(last) if operation["op"] == "remove" and last.isdecimal() else -1


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


def fitted(data: Any, operation: Operation) -> Iterator[Operation]:
    """An operation that was made for data without an object or list that is there by now: what it holds is added."""
    value, path = operation.get("value"), operation["path"]
    there = _at(data, path) if operation["op"] == "add" and isinstance(value, (dict, list)) else None
    if isinstance(value, list) and isinstance(there, list):
        yield from ({"op": "add", "path": f"{path}/-", "value": entry} for entry in value)
    elif isinstance(value, dict) and isinstance(there, dict):
        for key, inner in value.items():
            yield from fitted(data, {"op": "add", "path": path + pointer(key), "value": inner})
    else:
        yield operation


def _at(data: Any, path: str) -> Any:
    """What stands at a path; None: nothing."""
    for token in tokens_of(path):
        try:
            data = data[int(token)] if isinstance(data, list) else data[token]
        except (LookupError, ValueError):
            return None
    return data


def tokens_of(path: str) -> list[str]:
    """The steps of a path."""
    return [token.replace("~1", "/").replace("~0", "~") for token in path.split("/")[1:]]


def patched(data: Any, operations: Iterable[Operation]) -> Any:
    """JSON-like data with the operations done, in order; the data itself stays as it is.

    Raises:
        LookupError: a path leads nowhere.
    """
    result = deepcopy(data)
    for operation in operations:
        do(result, operation)
    return result


def do(data: Any, operation: Operation) -> None:
    """Do an operation in place.

    Raises:
        LookupError: the path leads nowhere.
    """
    *way, last = tokens_of(operation["path"])
    at = data
    for token in way:
        at = at[int(token)] if isinstance(at, list) else at[token]
    if operation["op"] == "remove":
        del at[int(last) if isinstance(at, list) else last]
    elif not isinstance(at, list):
        at[last] = deepcopy(operation["value"])
    elif operation["op"] == "replace":
        at[int(last)] = deepcopy(operation["value"])
    else:
        at.insert(len(at) if last == "-" else int(last), deepcopy(operation["value"]))


def document_of(obj: KubeObject) -> Any:
    """What scheduling reads of an object as JSON-like data; lists have the order in which they were written."""
    if isinstance(obj, Pod):
        obj = msgspec.structs.replace(obj, spec=as_read(obj.spec))
    data = msgspec.json.decode(msgspec.json.encode(obj))
    if isinstance(obj, (Pod, Node)):
        data.setdefault("spec", {})  # always there, and more in it than is read here
    return data
