"""How full the GPUs of a public trace get as its pods arrive: `python -m tests.benchmarks.openb FOLDER`.

FOLDER holds `nodes.csv.gz` and `pods.csv.gz` as they are published with the trace "openb" (1,523 nodes, 6,212 GPUs,
8,152 pods; hkust-adsl/kubernetes-scheduler-simulator). Pods arrive by their creation time, and none of them ends.
`whole` takes a share of a GPU for a whole one, `milli` adds shares up by node: neither is a model of shares of single
devices.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any

from .table import markdown

ROOT = Path(__file__).parents[2]
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
GPU = "nvidia.com/gpu"
MILLI = "example.com/gpu-milli"
PACKED = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [
        {
            "pluginConfig": [
                {
                    "name": "NodeResourcesFit",
                    "args": {
                        "scoringStrategy": {
                            "type": "MostAllocated",
                            "resources": [
                                {"name": name, "weight": 1} for name in ("cpu", "memory", GPU, MILLI)
                            ],
                        }
                    },
                }
            ]
        }
    ],
}
POINTS = (10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
Row = Mapping[str, str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run every case, and print a table of the curves."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pods", type=int, default=None, help="only the first so many pods")
    asked = parser.parse_args(arguments)
    nodes, pods = trace(asked.folder, asked.pods)
    lines = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        packed = folder / "packed.json"
        packed.write_text(json.dumps(PACKED))
        for model in ("whole", "milli"):
            cluster = folder / f"{model}.json"
            items = [*map(_node, nodes), *(_pod(pod, model) for pod in pods)]
            cluster.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
            for profile, more in (("default", []), ("MostAllocated", ["--scheduler-config", str(packed)])):
                report, seconds = _simulated([str(cluster), *more])
                found = curve(report, pods, nodes, model)
                lines.append([f"{model}, {profile}", *found, f"{report['placed']:,}", f"{seconds:.1f}"])
    titles = ["% allocated of % asked for", *map(str, POINTS), "in the end", "placed", "seconds"]
    print(markdown(titles, lines))
    return 0


def trace(folder: Path, count: int | None = None) -> tuple[list[Row], list[Row]]:
    """The nodes and the pods of the trace, in order of arrival; only the first so many pods where a number is told."""
    nodes, pods = _rows(folder / "nodes.csv.gz"), _rows(folder / "pods.csv.gz")
    return nodes, sorted(pods, key=lambda pod: int(pod["creation_time"]))[:count]


def objects(folder: Path, count: int | None = None) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The same as manifests, of the model `whole`."""
    nodes, pods = trace(folder, count)
    return [*map(_node, nodes)], [_pod(pod, "whole") for pod in pods]


def _rows(path: Path) -> list[Row]:
    with gzip.open(path, "rt") as file:
        return list(csv.DictReader(file))


def _node(row: Row) -> dict[str, Any]:
    gpus = int(row["gpu"] or 0)
    room = {"cpu": f"{row['cpu_milli']}m", "memory": f"{row['memory_mib']}Mi", "pods": "1001"}
    labels = {"kubernetes.io/hostname": row["sn"]}
    if gpus:
        room |= {GPU: str(gpus), MILLI: str(1000 * gpus)}
        labels["gpu-model"] = row["model"]
    status = {"allocatable": room, "conditions": [{"type": "Ready", "status": "True"}]}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": row["sn"], "labels": labels},
        "status": status,
    }


def _pod(row: Row, model: str) -> dict[str, Any]:
    requests = {"cpu": f"{row['cpu_milli']}m", "memory": f"{row['memory_mib']}Mi"}
    devices = {}
    if int(row["num_gpu"]):
        name = GPU if model == "whole" else MILLI
        devices[name] = str(_gpus(row) if model == "whole" else _gpus(row) * int(row["gpu_milli"]))
    resources = {"requests": requests | devices, "limits": devices}
    spec: dict[str, Any] = {"containers": [{"name": "main", "image": "main", "resources": resources}]}
    if row["gpu_spec"]:
        models = {"key": "gpu-model", "operator": "In", "values": row["gpu_spec"].split("|")}
        terms = {"nodeSelectorTerms": [{"matchExpressions": [models]}]}
        spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    arrived = (BEGIN + timedelta(seconds=int(row["creation_time"]))).strftime("%Y-%m-%dT%H:%M:%SZ")
    metadata = {"name": row["name"], "namespace": "openb", "creationTimestamp": arrived}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": spec,
        "status": {"phase": "Pending"},
    }


def _gpus(row: Row) -> int:
    return int(row["num_gpu"])


def _simulated(arguments: Sequence[str]) -> tuple[Any, float]:
    """The report, and the processor seconds of the whole process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "kschedctl", "simulate", "-o", "json", "-c", *arguments]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr.decode())
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout), seconds


def curve(report: Any, pods: Sequence[Row], nodes: Sequence[Row], model: str) -> Iterator[str]:
    """The share of all GPUs that is allocated once pods have arrived that ask for so many of them, in percent."""
    weight = {pod["name"]: _weight(pod, model) for pod in pods}
    total = sum(int(node["gpu"] or 0) for node in nodes)
    asked = list(accumulate(weight[pod["name"]] for pod in report["pods"]))
    allocated = list(accumulate(weight[pod["name"]] if pod["node"] else 0.0 for pod in report["pods"]))
    for point in POINTS:
        arrived = bisect_right(asked, total * point / 100)
        so_far = allocated[arrived - 1] if arrived else 0.0
        yield f"{100 * so_far / total:.1f}" if asked[-1] * 100 >= total * point else ""
    yield f"{100 * allocated[-1] / total:.1f}"


def _weight(pod: Row, model: str) -> float:
    return _gpus(pod) * (1.0 if model == "whole" else int(pod["gpu_milli"] or 0) / 1000)


if __name__ == "__main__":
    sys.exit(main())
