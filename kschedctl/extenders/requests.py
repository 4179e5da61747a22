"""What extenders are sent (spec 01 §11): objects as they were read, under the names that Go gives the fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.objects.node import Node
from kschedctl.objects.written import WrittenPodSpec, as_read

Json = dict[str, Any]


def pod_json(pod: AdmittedPod) -> Json:
    """A pod after admission; fields that scheduling does not read are as its document has them, if it was kept."""
    source = pod.source
    written = source.spec.written if source is not None and isinstance(source.spec, WrittenPodSpec) else {}
    spec = msgspec.to_builtins(as_read(pod.spec))
    if pod.node_name:
        spec["nodeName"] = pod.node_name
    metadata = msgspec.to_builtins(pod.metadata) | {"namespace": pod.namespace, "uid": pod.uid}
    parts = {"metadata": metadata, "spec": spec, "status": msgspec.to_builtins(pod.status)}
    return {name: _over(written.get(name), part) for name, part in parts.items()}


def _over(written: Any, read: Any) -> Any:
    """What was written, with what was read and added in its place."""
    if isinstance(written, dict) and isinstance(read, dict):
        return {**written, **{key: _over(written.get(key), part) for key, part in read.items()}}
    if isinstance(written, list) and isinstance(read, list) and len(written) == len(read):
        return [_over(old, new) for old, new in zip(written, read, strict=True)]
    return read


def node_json(node: Node) -> Json:
    """A node, without the kind: an API server's list leaves it out as well."""
    found: Json = msgspec.to_builtins(node)
    found.pop("apiVersion", None)
    found.pop("kind", None)
    return found


def nodes_request(pod: Json, nodes: Sequence[Node], *, by_name: bool) -> Json:
    """The request of `filter` and `prioritize`; `by_name` for extenders that are nodeCacheCapable."""
    names = [node.name for node in nodes] if by_name else None
    listed = None if by_name else {"metadata": {}, "items": [node_json(node) for node in nodes]}
    return {"Pod": pod, "Nodes": listed, "NodeNames": names}


def preemption_request(
    pod: Json, victims: Mapping[str, tuple[Iterable[AdmittedPod], int]], *, by_uid: bool
) -> Json:
    """The request of `preempt`, from node -> victims and broken budgets."""
    found = {}
    for node, (pods, violations) in victims.items():
        listed = [{"UID": pod.uid} if by_uid else pod_json(pod) for pod in pods]
        found[node] = {"Pods": listed, "NumPDBViolations": violations}
    return {
        "Pod": pod,
        "NodeNameToVictims": None if by_uid else found,
        "NodeNameToMetaVictims": found if by_uid else None,
    }
