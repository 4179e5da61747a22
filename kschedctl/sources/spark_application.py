"""The pods of a SparkApplication: a driver and executors, asked for by cores and memory as Spark counts them.

Spark asks for the heap and an overhead: a part of the heap, 384 MiB at least. What the operator passes on is laid over
a template, where there is one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from kschedctl.sources.held_template import BadValueError, HeldTemplate, pods_counted
from kschedctl.sources.lines import FieldPath
from kschedctl.sources.untyped import part_of

_MEMORY: Final = re.compile(r"([0-9]{1,12})\s*([kmgt]?)b?", re.IGNORECASE | re.ASCII)
_MEBIBYTES: Final = {"k": 1 / 1024, "": 1, "m": 1, "g": 1024, "t": 1024**2}
_LEAST_OVERHEAD: Final = 384
_DEFAULT_MEMORY: Final = "1g"
_DEFAULT_EXECUTORS: Final = 2
_JVM, _OTHERS = 0.1, 0.4
_PASSED_ON: Final = (
    "nodeSelector",
    "affinity",
    "tolerations",
    "hostNetwork",
    "priorityClassName",
    "schedulerName",
)


class SparkPods(Struct, frozen=True):
    """The driver and the executors.

    Attributes:
        spec: where the application is described.
    """

    spec: FieldPath = ("spec",)

    def held(self, data: Mapping[str, Any]) -> Iterator[HeldTemplate]:
        """Their templates.

        Raises:
            BadValueError: cores, memory or a number is none.
        """
        spec = part_of(data, *self.spec)
        for role in ("driver", "executor"):
            part, path = part_of(spec, role), (*self.spec, role)
            if not isinstance(spec.get(role), Mapping):
                continue
            count = 1 if role == "driver" else _executors(spec, self.spec)
            yield HeldTemplate(_template(spec, part, path), path, count, role, made=True)


def _executors(spec: Mapping[str, Any], path: FieldPath) -> int:
    dynamic = part_of(spec, "dynamicAllocation")
    if dynamic.get("enabled") is True and dynamic.get("initialExecutors") is not None:
        return pods_counted(dynamic["initialExecutors"], (*path, "dynamicAllocation", "initialExecutors"))
    written = part_of(spec, "executor").get("instances")
    return _DEFAULT_EXECUTORS if written is None else pods_counted(written, (*path, "executor", "instances"))


def _template(spec: Mapping[str, Any], part: Mapping[str, Any], path: FieldPath) -> dict[str, Any]:
    base = part_of(part, "template")
    pod = dict(part_of(base, "spec"))
    pod |= {name: spec[name] for name in ("nodeSelector", "volumes") if name in spec}
    pod |= {name: part[name] for name in _PASSED_ON if name in part}
    containers = pod.get("containers")
    first, *others = containers if isinstance(containers, list) and containers else [{}]
    first = first if isinstance(first, Mapping) else {}
    container = {"name": "spark", "image": part.get("image") or spec.get("image") or "spark"} | dict(first)
    container["resources"] = _resources(spec, part, path)
    metadata = dict(part_of(base, "metadata"))
    metadata["labels"] = {**part_of(metadata, "labels"), **part_of(part, "labels")}
    return {"metadata": metadata, "spec": pod | {"containers": [container, *others]}}


def _resources(spec: Mapping[str, Any], part: Mapping[str, Any], path: FieldPath) -> dict[str, Any]:
    cores = part.get("coreRequest", part.get("cores", 1))
    memory = f"{_memory(spec, part, path)}Mi"
    limits = {"memory": memory}
    if part.get("coreLimit") is not None:
        limits["cpu"] = part["coreLimit"]
    gpu = part_of(part, "gpu")
    if isinstance(gpu.get("name"), str):
        limits[gpu["name"]] = str(gpu.get("quantity", 1))
    return {"requests": {"cpu": str(cores), "memory": memory}, "limits": limits}


def _memory(spec: Mapping[str, Any], part: Mapping[str, Any], path: FieldPath) -> int:
    """Heap and overhead in MiB."""
    heap = _mebibytes(part.get("memory", _DEFAULT_MEMORY), (*path, "memory"))
    if part.get("memoryOverhead") is not None:
        return heap + _mebibytes(part["memoryOverhead"], (*path, "memoryOverhead"))
    written = spec.get("memoryOverheadFactor")
    usual = _OTHERS if spec.get("type") in ("Python", "R") else _JVM
    try:
        factor = usual if written is None else float(written)
    except (TypeError, ValueError):
        raise BadValueError((*path[:-1], "memoryOverheadFactor"), "a number", written) from None
    if not 0 <= factor <= 100:
        raise BadValueError((*path[:-1], "memoryOverheadFactor"), "a number", written)
    return heap + max(math.floor(heap * factor), _LEAST_OVERHEAD)


def _mebibytes(value: object, path: FieldPath) -> int:
    match = _MEMORY.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise BadValueError(path, "memory as Spark writes it, such as 512m or 4g", value)
    return math.ceil(int(match[1]) * _MEBIBYTES[match[2].lower()])
