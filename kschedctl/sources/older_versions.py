"""Objects in versions that came before, brought into today's form where their fields, as far as we read them, agree.

What a version took for granted otherwise is written down: kubectl prints it, people leave it out. A version that has
another shape than these is not read, and is told as left out where it matters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from kschedctl.sources.untyped import part_of

Data = Mapping[str, Any]


class OlderVersion(Struct, frozen=True):
    """A version of a kind that came before.

    Attributes:
        today: the apiVersion that is read in its place.
        until: the first Kubernetes that has it no more; empty: those that we know may have it.
        convert: an object with what it took for granted, and in today's shape.
    """

    today: str
    until: str = ""
    convert: Callable[[Data], Data] = lambda data: data

    def read(self, data: Data) -> Data:
        """The object as it is written today."""
        return {**self.convert(data), "apiVersion": self.today}


def _with_selector(data: Data) -> Data:
    """A workload without a selector had that of its template's labels."""
    spec = data.get("spec")
    labels = part_of(data, "spec", "template", "metadata", "labels")
    if not isinstance(spec, Mapping) or spec.get("selector") is not None or not labels:
        return data
    return {**data, "spec": {**spec, "selector": {"matchLabels": dict(labels)}}}


def _with_strategy(field: str, kind: str, **rolling: int) -> Callable[[Data], Data]:
    """A workload whose update strategy says nothing."""

    def convert(data: Data) -> Data:
        data = _with_selector(data)
        spec, strategy = data.get("spec"), part_of(data, "spec", field)
        if not isinstance(spec, Mapping) or strategy.get("type", kind) != kind:
            return data
        made: dict[str, Any] = {**strategy, "type": kind}
        if rolling:
            made["rollingUpdate"] = {**rolling, **part_of(strategy, "rollingUpdate")}
        return {**data, "spec": {**spec, field: made}}

    return convert


def _selecting_nothing(data: Data) -> Data:
    """An empty selector of a budget meant no pod; today it means all."""
    spec = data.get("spec")
    selector = spec.get("selector") if isinstance(spec, Mapping) else None
    if not isinstance(spec, Mapping) or not isinstance(selector, Mapping) or any(selector.values()):
        return data
    return {**data, "spec": {name: value for name, value in spec.items() if name != "selector"}}


def _exactly(request: Any) -> Any:
    """A request of a claim held what it asks for itself."""
    if not isinstance(request, Mapping) or "exactly" in request or "firstAvailable" in request:
        return request
    rest = {name: value for name, value in request.items() if name != "name"}
    return {"name": request.get("name"), "exactly": rest}


def _mapped(data: Data, path: tuple[str, ...], change: Callable[[Any], Any]) -> Data:
    """The document with every entry of a list in it changed."""
    name, *rest = path
    inner = data.get(name)
    if not rest:
        return {**data, name: [change(entry) for entry in inner]} if isinstance(inner, list) else data
    return {**data, name: _mapped(inner, tuple(rest), change)} if isinstance(inner, Mapping) else data


def _of_requests(*path: str) -> Callable[[Data], Data]:
    return lambda data: _mapped(data, (*path, "devices", "requests"), _exactly)


def _flat(device: Any) -> Any:
    """A device held what it is in `basic`."""
    basic = device.get("basic") if isinstance(device, Mapping) else None
    if not isinstance(basic, Mapping):
        return device
    return {**basic, **{name: value for name, value in device.items() if name != "basic"}}


_APPS: Final = "apps/v1"
_ROLLING: Final = "RollingUpdate"
_ONE_BY_ONE: Final = _with_strategy("strategy", _ROLLING, maxSurge=1, maxUnavailable=1)
_ON_DELETE: Final = _with_strategy("updateStrategy", "OnDelete")
_STORAGE: Final = OlderVersion("storage.k8s.io/v1", "1.22")
_DEVICES: Final = "resource.k8s.io/v1"

OLDER: Final[Mapping[tuple[str, str], OlderVersion]] = MappingProxyType(
    {
        ("extensions/v1beta1", "Deployment"): OlderVersion(_APPS, "1.16", _ONE_BY_ONE),
        ("extensions/v1beta1", "ReplicaSet"): OlderVersion(_APPS, "1.16", _with_selector),
        ("extensions/v1beta1", "DaemonSet"): OlderVersion(_APPS, "1.16", _ON_DELETE),
        ("apps/v1beta1", "Deployment"): OlderVersion(_APPS, "1.16", _with_selector),
        ("apps/v1beta1", "StatefulSet"): OlderVersion(_APPS, "1.16", _ON_DELETE),
        ("apps/v1beta2", "Deployment"): OlderVersion(_APPS, "1.16"),
        ("apps/v1beta2", "ReplicaSet"): OlderVersion(_APPS, "1.16"),
        ("apps/v1beta2", "DaemonSet"): OlderVersion(_APPS, "1.16"),
        ("apps/v1beta2", "StatefulSet"): OlderVersion(_APPS, "1.16"),
        ("batch/v1beta1", "CronJob"): OlderVersion("batch/v1", "1.25"),
        ("policy/v1beta1", "PodDisruptionBudget"): OlderVersion("policy/v1", "1.25", _selecting_nothing),
        ("scheduling.k8s.io/v1beta1", "PriorityClass"): OlderVersion("scheduling.k8s.io/v1", "1.22"),
        ("node.k8s.io/v1beta1", "RuntimeClass"): OlderVersion("node.k8s.io/v1", "1.25"),
        ("storage.k8s.io/v1beta1", "StorageClass"): _STORAGE,
        ("storage.k8s.io/v1beta1", "VolumeAttachment"): _STORAGE,
        ("storage.k8s.io/v1beta1", "CSINode"): _STORAGE,
        ("storage.k8s.io/v1beta1", "CSIDriver"): _STORAGE,
        ("storage.k8s.io/v1beta1", "CSIStorageCapacity"): OlderVersion("storage.k8s.io/v1", "1.27"),
        ("resource.k8s.io/v1beta1", "DeviceClass"): OlderVersion(_DEVICES),
        ("resource.k8s.io/v1beta1", "ResourceClaim"): OlderVersion(_DEVICES, "", _of_requests("spec")),
        ("resource.k8s.io/v1beta1", "ResourceClaimTemplate"): OlderVersion(
            _DEVICES, "", _of_requests("spec", "spec")
        ),
        ("resource.k8s.io/v1beta1", "ResourceSlice"): OlderVersion(
            _DEVICES, "", lambda data: _mapped(data, ("spec", "devices"), _flat)
        ),
    }
)
"""`(apiVersion, kind)` -> how it is read; versions that are not here, and are none of `KINDS`, are not."""
