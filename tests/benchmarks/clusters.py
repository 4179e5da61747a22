"""Made-up clusters of any size, as plain manifests: the same arguments give the same objects."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

Data = dict[str, Any]

HOST: Final = "kubernetes.io/hostname"
ZONE: Final = "topology.kubernetes.io/zone"
ZONES: Final = 3
NAMESPACES: Final = 5
APPS: Final = 40
"""Apps among the pods that run; a cluster has few distinct pods and many replicas."""
CREATED: Final = "2026-01-01T00:00:00Z"


def nodes(count: int, *, cpu: int = 32, memory: str = "256Gi") -> Iterator[Data]:
    """Equal nodes over three zones."""
    for i in range(count):
        name = f"node-{i:05d}"
        room = {"cpu": str(cpu), "memory": memory, "pods": "110", "ephemeral-storage": "200Gi"}
        labels = {HOST: name, ZONE: f"zone-{i % ZONES}", "kubernetes.io/os": "linux"}
        yield {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": labels, "creationTimestamp": CREATED},
            "spec": {},
            "status": {"capacity": room, "allocatable": room},
        }


def pod(name: str, app: str, *, namespace: str = "default", cpu: str = "100m", memory: str = "128Mi") -> Data:
    """A pod of an app with one container."""
    container = {
        "name": "main",
        "image": f"registry.example/{app}:1",
        "resources": {"requests": {"cpu": cpu, "memory": memory}},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": {"app": app}},
        "spec": {"priority": 0, "containers": [container]},
    }


def running(node_count: int, per_node: int, *, cpu: str = "700m", padded: bool = False) -> Iterator[Data]:
    """Pods that run, `per_node` on each node; `padded` with what an API server adds and no scheduler reads."""
    for i in range(node_count * per_node):
        turn = i // node_count
        app = (i * 7 + turn) % APPS
        data = pod(f"app-{app}-{i}", f"app-{app}", namespace=f"ns-{app % NAMESPACES}", cpu=cpu, memory="1Gi")
        data["metadata"] |= {"uid": f"uid-{i:012d}", "creationTimestamp": CREATED}
        data["spec"] |= {"nodeName": f"node-{i % node_count:05d}", "priority": (0, 10, 50, 100)[app % 4]}
        data["status"] = {"phase": "Running", "startTime": f"2026-01-02T{turn % 24:02d}:00:00Z"}
        if padded:
            pad(data)
        yield data


def pad(data: Data) -> None:
    """About 4 kB, as in the output of `kubectl get pods -o json`."""
    fields: Data = {
        f"f:field-{i}": {"f:containers": {'k:{"name":"main"}': {"f:image": {}, "f:resources": {}}}}
        for i in range(6)
    }
    data["metadata"]["managedFields"] = [
        {"manager": who, "operation": "Update", "apiVersion": "v1", "time": CREATED, "fieldsV1": fields}
        for who in ("kubelet", "kube-controller-manager")
    ]
    container = data["spec"]["containers"][0]
    container["env"] = [{"name": f"VARIABLE_{i}", "value": "value " * 7} for i in range(20)]
    token = {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}
    data["spec"]["volumes"] = [{"name": "kube-api-access", "projected": {"sources": [token]}}]
    digest = "0" * 64
    data["status"] |= {
        "conditions": [
            {"type": kind, "status": "True", "lastProbeTime": None, "lastTransitionTime": CREATED}
            for kind in ("Initialized", "Ready", "ContainersReady", "PodScheduled")
        ],
        "containerStatuses": [
            {
                "name": "main",
                "ready": True,
                "restartCount": 0,
                "image": container["image"],
                "imageID": f"registry.example/app@sha256:{digest}",
                "containerID": f"containerd://{digest}",
                "state": {"running": {"startedAt": CREATED}},
            }
        ],
    }


def _selector(app: str) -> Data:
    return {"labelSelector": {"matchLabels": {"app": app}}}


def _spread(key: str, how: str) -> Callable[[str], Data]:
    def shape(app: str) -> Data:
        rule = {"maxSkew": 5, "topologyKey": key, "whenUnsatisfiable": how} | _selector(app)
        return {"topologySpreadConstraints": [rule]}

    return shape


def _required(kind: str, key: str, **more: Any) -> Callable[[str], Data]:
    def shape(app: str) -> Data:
        term = {"topologyKey": key} | _selector(app) | more
        return {"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}

    return shape


def _preferred(kind: str, key: str) -> Callable[[str], Data]:
    def shape(app: str) -> Data:
        term = {"weight": 10, "podAffinityTerm": {"topologyKey": key} | _selector(app)}
        return {"affinity": {kind: {"preferredDuringSchedulingIgnoredDuringExecution": [term]}}}

    return shape


SHAPES: Final[dict[str, Callable[[str], Data]]] = {
    "plain": lambda app: {},
    "spread": _spread(ZONE, "DoNotSchedule"),
    "spread-hostname": _spread(HOST, "DoNotSchedule"),
    "spread-soft": _spread(ZONE, "ScheduleAnyway"),
    "affinity": _required("podAffinity", ZONE),
    "anti": _required("podAntiAffinity", HOST),
    "anti-zone": _required("podAntiAffinity", ZONE),
    "anti-namespaces": _required("podAntiAffinity", HOST, namespaceSelector={}),
    "preferred": _preferred("podAffinity", ZONE),
}
"""Kind of candidate -> the part of the spec that makes it one, for an app."""


def candidates(shape: str, count: int, *, apps: int = 50) -> Iterator[Data]:
    """Pending pods of one shape, the apps in turn; five sizes."""
    for i in range(count):
        data = pod(
            f"new-{i}", f"new-{i % apps}", cpu=f"{100 + 50 * (i % 5)}m", memory=f"{128 * (1 + i % 4)}Mi"
        )
        data["spec"] |= SHAPES[shape](f"new-{i % apps}")
        yield data


def many_classes(count: int, shapes: Sequence[str], *, classes: int = 200) -> Iterator[Data]:
    """Pending pods of so many apps, each with requests of its own, in an order without a rule; the shapes in turn."""
    draw = random.Random(1)
    for i in range(count):
        app = draw.randrange(classes)
        data = pod(f"new-{i}", f"new-{app}", cpu=f"{100 + 5 * app}m", memory=f"{128 + app * 37 % 512}Mi")
        data["spec"] |= SHAPES[shapes[app % len(shapes)]](f"new-{app}")
        yield data


def apart(node_count: int, count: int) -> Iterator[Data]:
    """Running pods with required anti-affinity: as many different terms as pods, all of which mean app-0."""
    for i in range(count):
        data = pod(f"apart-{i}", f"apart-{i}", namespace="ns-0")
        term = {"topologyKey": HOST, "labelSelector": {"matchExpressions": _either("app-0", f"apart-{i}")}}
        data["spec"] |= {
            "nodeName": f"node-{i % node_count:05d}",
            "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}},
        }
        yield data


def _either(*apps: str) -> list[Data]:
    return [{"key": "app", "operator": "In", "values": list(apps)}]


def preemptor() -> Data:
    """A pod that fits on no node of a cluster whose nodes are full, and whose priority makes room."""
    data = pod("vip", "vip", cpu="8", memory="4Gi")
    data["spec"]["priority"] = 1000
    return data


def write_list(path: Path, items: Iterable[Data]) -> None:
    """A `List` as kubectl prints it, one item a line; gzipped where the name ends in `.gz`."""
    with gzip.open(path, "wt") if path.suffix == ".gz" else path.open("w") as file:
        file.write('{"apiVersion": "v1", "kind": "List", "items": [\n')
        for i, item in enumerate(items):
            file.write((",\n" if i else "") + json.dumps(item))
        file.write("\n]}\n")


def write_yaml(path: Path, items: Sequence[Data]) -> None:
    """The same objects as YAML documents, in block style as people write it."""
    import yaml

    with path.open("w") as file:
        yaml.dump_all(items, file, Dumper=yaml.CSafeDumper, default_flow_style=False)
