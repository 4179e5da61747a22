"""Pods that differ in nothing but name, uid, node and times, as one template and a row for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from kschedctl.objects.pod import Pod
from kschedctl.sources.snapshot import PodRow

_encode = msgspec.json.Encoder(order="deterministic").encode


def fold_pods(pods: Iterable[Pod]) -> tuple[list[bytes], list[PodRow]]:
    """Return the distinct templates, as JSON, and a row for each pod."""
    index: dict[bytes, int] = {}
    rows = []
    for pod in pods:
        meta, spec, status = pod.metadata, pod.spec, pod.status
        template = replace(
            pod,
            api_version="",
            kind="",
            metadata=replace(meta, name="", uid="", creation_timestamp=None),
            spec=replace(spec, node_name=""),
            status=replace(status, start_time=None),
        )
        number = index.setdefault(_encode(template), len(index))
        rows.append(
            PodRow(
                template=number,
                name=meta.name,
                uid=meta.uid,
                node_name=spec.node_name,
                creation_timestamp=meta.creation_timestamp,
                start_time=status.start_time,
            )
        )
    return list(index), rows


def unfold_pods(templates: Sequence[Pod], rows: Iterable[PodRow]) -> Iterator[Pod]:
    """Yield the pods; replicas share all parts that are equal."""
    parts = [(t.metadata, t.spec, t.status) for t in templates]
    for row in rows:
        meta, spec, status = parts[row.template]
        yield Pod(
            api_version="v1",
            kind="Pod",
            metadata=replace(meta, name=row.name, uid=row.uid, creation_timestamp=row.creation_timestamp),
            spec=replace(spec, node_name=row.node_name) if row.node_name else spec,
            status=replace(status, start_time=row.start_time) if row.start_time is not None else status,
        )
