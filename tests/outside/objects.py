"""Kubernetes objects as far as the checks need them, read from JSON; nothing here comes from the product."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

Data = Mapping[str, Any]

_SUFFIXES = {
    "m": Decimal("0.001"),
    "": Decimal(1),
    "k": Decimal(10**3),
    "M": Decimal(10**6),
    "G": Decimal(10**9),
    "Ki": Decimal(2**10),
    "Mi": Decimal(2**20),
    "Gi": Decimal(2**30),
    "Ti": Decimal(2**40),
}
HOST = "kubernetes.io/hostname"


def quantity(text: str | int) -> Decimal:
    """The number that a quantity is."""
    text = str(text)
    number = text.rstrip("".join(set("".join(_SUFFIXES))))
    return Decimal(number) * _SUFFIXES[text[len(number) :]]


def matches(selector: Data | None, labels: Mapping[str, str]) -> bool:
    """Whether a label selector accepts labels; one that is absent accepts none, an empty one all."""
    if selector is None:
        return False
    equal = all(labels.get(key) == value for key, value in (selector.get("matchLabels") or {}).items())
    return equal and all(requirement(one, labels) for one in selector.get("matchExpressions") or ())


def requirement(one: Data, labels: Mapping[str, str]) -> bool:
    """Whether labels are as one requirement says."""
    value, wanted = labels.get(one["key"]), one.get("values") or []
    match one["operator"]:
        case "In":
            return value in wanted
        case "NotIn":
            return value not in wanted
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt":
            return value is not None and int(value) > int(wanted[0])
        case "Lt":
            return value is not None and int(value) < int(wanted[0])
    raise ValueError(one["operator"])


@dataclass
class Node:
    """A node."""

    name: str
    labels: dict[str, str]
    taints: list[Data]
    room: dict[str, Decimal]

    @classmethod
    def of(cls, data: Data, name: str = "") -> Node:
        spec = data.get("spec") or {}
        taints = [*(spec.get("taints") or ())]
        if spec.get("unschedulable"):
            taints.append({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
        room = {key: quantity(value) for key, value in data["status"]["allocatable"].items()}
        own = name or data["metadata"]["name"]
        labels = dict(data["metadata"].get("labels") or {})
        return cls(own, labels, taints, room)


@dataclass
class Pod:
    """A pod, on a node or on none."""

    namespace: str
    name: str
    labels: Mapping[str, str]
    spec: Data
    node: str | None = None
    workload: str = ""
    terminating: bool = False
    priority: int = 0
    asks: dict[str, Decimal] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.asks = dict(requests(self.spec))

    @property
    def full_name(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def ports(self) -> set[tuple[int, str]]:
        """Host ports, each with its protocol; the input has no addresses."""
        return {
            (port["hostPort"], port.get("protocol", "TCP"))
            for container in self.spec["containers"]
            for port in container.get("ports") or ()
            if port.get("hostPort")
        }

    @property
    def anti_affinity(self) -> Sequence[Data]:
        """The required terms."""
        return _required(self.spec, "podAntiAffinity")

    @property
    def affinity(self) -> Sequence[Data]:
        """The required terms."""
        return _required(self.spec, "podAffinity")

    @property
    def spread(self) -> list[Data]:
        """The constraints that keep a pod away."""
        constraints = self.spec.get("topologySpreadConstraints") or ()
        return [one for one in constraints if one["whenUnsatisfiable"] == "DoNotSchedule"]


def _required(spec: Data, kind: str) -> Sequence[Data]:
    part = (spec.get("affinity") or {}).get(kind) or {}
    return part.get("requiredDuringSchedulingIgnoredDuringExecution") or ()


def requests(spec: Data) -> Iterator[tuple[str, Decimal]]:
    """What a pod asks for: the sum of its containers, or the largest of those that run before."""
    sums: dict[str, Decimal] = {"pods": Decimal(1)}
    for container in spec["containers"]:
        for name, value in _asked(container):
            sums[name] = sums.get(name, Decimal(0)) + value
    for container in spec.get("initContainers") or ():
        for name, value in _asked(container):
            sums[name] = max(sums.get(name, Decimal(0)), value)
    yield from sums.items()


def _asked(container: Data) -> Iterator[tuple[str, Decimal]]:
    resources = container.get("resources") or {}
    asked = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    return ((name, quantity(value)) for name, value in asked.items())


def tolerates(spec: Data, taint: Data) -> bool:
    """Whether a pod bears a taint."""
    return any(_bears(one, taint) for one in spec.get("tolerations") or ())


def _bears(toleration: Data, taint: Data) -> bool:
    if toleration.get("effect") and toleration["effect"] != taint["effect"]:
        return False
    if toleration.get("operator", "Equal") == "Exists":
        return not toleration.get("key") or toleration["key"] == taint["key"]
    return toleration.get("key") == taint["key"] and toleration.get("value", "") == taint.get("value", "")


def selects(spec: Data, node: Node) -> bool:
    """Whether node selector and required node affinity of a pod accept a node."""
    if any(node.labels.get(key) != value for key, value in (spec.get("nodeSelector") or {}).items()):
        return False
    part = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = part.get("requiredDuringSchedulingIgnoredDuringExecution")
    if not required:
        return True
    return any(_term(term, node) for term in required["nodeSelectorTerms"])


def _term(term: Data, node: Node) -> bool:
    labels, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
    return bool(labels or fields) and (
        all(requirement(one, node.labels) for one in labels)
        and all(requirement(one, {"metadata.name": node.name}) for one in fields)
    )
