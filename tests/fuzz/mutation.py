"""Damage: to the tree of a document, and to the bytes of a text."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from random import Random
from typing import Any

from .values import hostile

_PIECES = (
    *(
        b"\n",
        b"\t",
        b" ",
        b"{",
        b"}",
        b"[",
        b"]",
        b":",
        b",",
        b'"',
        b"'",
        b"\\",
        b"#",
        b"%",
        b"&a ",
        b"*a",
        b"!!",
        b"|",
        b">",
    ),
    *(
        b"null",
        b"true",
        b"1e999",
        b"-0",
        b"0x1f",
        b".inf",
        b"\xff",
        b"\x00",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"\x1b[",
    ),
    *(
        b"---\n",
        b"...\n",
        b"<<: ",
        b"? ",
        b"- ",
        b"\r\n",
        b"\xe2\x80\xae",
        b"9" * 400,
        b"[" * 300,
        b"[" * 5_000,
        b"\n" * 400,
    ),
)


_HEAD = ("apiVersion", "kind")


def damaged_tree(rng: Random, documents: Sequence[Any], count: int) -> list[Any]:
    """A copy of the documents with `count` fields taken away, doubled, moved or given another value."""
    copied = copy.deepcopy(list(documents))
    for _ in range(count):
        found = _somewhere(rng, copied)
        if found is None:
            break
        container, key = found
        field = key if isinstance(key, str) else ""
        deed = rng.random()
        if deed < 0.55:
            container[key] = copy.deepcopy(
                hostile(rng, field)
            )  # it is one of many, and may be damaged in turn
        elif deed < 0.75:
            del container[key]
        elif deed < 0.85:
            other = _somewhere(rng, copied)
            if other is not None:
                container[key] = copy.deepcopy(other[0][other[1]])
        elif isinstance(container, list):
            container.insert(rng.randrange(len(container) + 1), copy.deepcopy(container[key]))
        else:
            container[f"{key}x"] = container.pop(key)
    return copied


def _somewhere(rng: Random, documents: list[Any]) -> tuple[Any, Any] | None:
    """A container and one of its keys; each level is as likely as its parent's other members."""
    container: Any = documents
    while container:
        keys = list(container) if isinstance(container, dict) else range(len(container))
        key = rng.choice(keys)
        if key in _HEAD and rng.random() < 0.9:  # without them all else is refused at the door
            key = rng.choice(keys)
        inner = container[key]
        if not isinstance(inner, dict | list) or not inner or rng.random() < 0.12:
            return (container, key) if container is not documents else None
        container = inner
    return None


def damaged_bytes(rng: Random, text: bytes, count: int) -> bytes:
    """The text with a few bytes replaced, removed or put in."""
    changed = bytearray(text)
    for _ in range(count):
        start = rng.randrange(len(changed) + 1)
        deed = rng.random()
        if deed < 0.5:
            changed[start : start + rng.choice((0, 1, 3))] = rng.choice(_PIECES)
        elif deed < 0.7:
            del changed[start : start + rng.choice((1, 2, 20))]
        elif deed < 0.8:
            changed[start:start] = changed[start : start + rng.choice((1, 10, 100))]
        elif deed < 0.95 and start < len(changed):
            changed[start] = rng.randrange(256)
        else:
            del changed[start:]
    return bytes(changed)
