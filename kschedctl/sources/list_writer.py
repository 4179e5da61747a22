"""Plain objects as kubectl prints them: a List in JSON, or a directory with a List for each kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from kschedctl.errors import InputError, Place
from kschedctl.objects.kinds import BY_TYPE, KINDS
from kschedctl.objects.meta import TopLevel
from kschedctl.sources.atomic import Sink, replacing, write_lines

_encode = msgspec.json.Encoder(order="deterministic").encode


def write_list(objects: Iterable[TopLevel], stream: Sink) -> None:
    """Write a List, one object a line."""
    stream.write(b'{\n  "apiVersion": "v1",\n  "kind": "List",\n  "items": [')
    write_lines(stream, map(_encode, objects))
    stream.write(b"\n  ]\n}\n")


def save_list(objects: Iterable[TopLevel], path: str) -> None:
    """Write a List to a file, gzipped if the name ends in `.gz`; there is never half a file.

    Raises:
        InputError: the file cannot be written.
    """
    with replacing(path) as file:
        write_list(objects, file)


def save_directory(objects: Sequence[TopLevel], path: str) -> None:
    """Write a List for each kind to a directory, which is made; other files in it stay.

    Raises:
        InputError: the directory or a file cannot be written.
    """
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror or error}", place=Place(path)) from None
    for kind in KINDS:
        found = [obj for obj in objects if BY_TYPE[type(obj)] is kind]
        if found:
            save_list(found, str(Path(path) / f"{kind.plural}.json"))
