"""Snapshots as text: the header, then one object a line, so that files can be read, edited and compared.

Pods that differ in nothing but their name, uid, node and times share one template: most of a large cluster is
replicas, and a file that says everything once is small and quick to load.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from kschedctl.objects.pod import Pod
from kschedctl.sources.atomic import Sink, replacing, write_lines
from kschedctl.sources.pod_templates import fold_pods
from kschedctl.sources.snapshot import Snapshot

_encode = msgspec.json.Encoder(order="deterministic").encode


def save_snapshot(snapshot: Snapshot, path: str) -> None:
    """Write a snapshot to a file, gzipped if the name ends in `.gz`; there is never half a file.

    Raises:
        InputError: the file cannot be written.
    """
    with replacing(path) as file:
        write_snapshot(snapshot, file)


def write_snapshot(snapshot: Snapshot, stream: Sink) -> None:
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


def _write_list(stream: Sink, key: str, items: Iterable[bytes]) -> None:
    stream.write(b',\n  "%s": [' % key.encode())
    write_lines(stream, items)
    stream.write(b"\n  ]")
