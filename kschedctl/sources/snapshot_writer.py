"""Snapshots as text: the header, then one object a line, so that files can be read, edited and compared.

Pods that differ in nothing but their name, uid, node and times share one template: most of a large cluster is
replicas, and a file that says everything once is small and quick to load.
"""

from __future__ import annotations

import gzip
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec

from kschedctl.errors import InputError, Place
from kschedctl.objects.pod import Pod
from kschedctl.sources.pod_templates import fold_pods
from kschedctl.sources.snapshot import Snapshot

_GZIP_LEVEL = 6
_LINES_A_WRITE = 2000

_encode = msgspec.json.Encoder(order="deterministic").encode


def save_snapshot(snapshot: Snapshot, path: str) -> None:
    """Write a snapshot to a file, gzipped if the name ends in `.gz`; there is never half a file.

    Raises:
        InputError: the file cannot be written.
    """
    with _replacing(Path(path)) as file:
        if path.endswith(".gz"):
            with gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0) as packed:
                write_snapshot(snapshot, packed)
        else:
            write_snapshot(snapshot, file)


def write_snapshot(snapshot: Snapshot, stream: BinaryIO | gzip.GzipFile) -> None:
    """Write a snapshot as JSON text."""
    templates, rows = fold_pods(obj for obj in snapshot.objects if isinstance(obj, Pod))
    header = msgspec.json.format(_encode_header(snapshot), indent=2)
    stream.write(header.removesuffix(b"\n}"))
    _write_list(stream, "podTemplates", templates)
    _write_list(stream, "pods", map(_encode, rows))
    _write_list(stream, "items", (_encode(obj) for obj in snapshot.objects if not isinstance(obj, Pod)))
    stream.write(b"\n}\n")


def _encode_header(snapshot: Snapshot) -> bytes:
    """The header with its version always written, which `omit_defaults` would leave out."""
    fields = msgspec.to_builtins(snapshot.header)
    head = {"apiVersion": snapshot.header.api_version, "kind": snapshot.header.kind}
    return msgspec.json.encode(head | fields)


def _write_list(stream: BinaryIO | gzip.GzipFile, key: str, items: Iterable[bytes]) -> None:
    stream.write(b',\n  "%s": [' % key.encode())
    separator = b"\n"
    lines: list[bytes] = []
    for item in items:
        lines.append(item)
        if len(lines) == _LINES_A_WRITE:
            stream.write(separator + b",\n".join(lines))
            lines.clear()
            separator = b",\n"
    if lines:
        stream.write(separator + b",\n".join(lines))
    stream.write(b"\n  ]")


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of `path` when the block ends well, and is gone when it does not."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", place=Place(str(path))) from None
    finally:
        temporary.unlink(missing_ok=True)
