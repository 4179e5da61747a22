"""The Policy API as it is written in a file (kube-scheduler until 1.22)."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class _PolicyObject(Struct, frozen=True, rename="camel"):
    """Part of a Policy; unknown fields are passed over, as kube-scheduler did."""


class LabelsPresence(_PolicyObject, frozen=True):
    """Nodes have these labels, or have none of them."""

    labels: tuple[str, ...] = ()
    presence: bool = False


class ServiceAffinity(_PolicyObject, frozen=True):
    """Pods of a service share these labels of nodes."""

    labels: tuple[str, ...] = ()


class PredicateArgument(_PolicyObject, frozen=True):
    """What a predicate of one's own asks."""

    service_affinity: ServiceAffinity | None = None
    labels_presence: LabelsPresence | None = None


class Predicate(_PolicyObject, frozen=True):
    """A predicate by name, or one of one's own."""

    name: str = ""
    argument: PredicateArgument | None = None


class ShapePoint(_PolicyObject, frozen=True):
    """A point of the shape of requestedToCapacityRatio."""

    utilization: int = 0
    score: int = 0


class RatioResource(_PolicyObject, frozen=True):
    """A resource with its weight; 0 stands for 1."""

    name: str = ""
    weight: int = 0


class RatioArguments(_PolicyObject, frozen=True):
    """Scores by how full a node becomes."""

    shape: tuple[ShapePoint, ...] = ()
    resources: tuple[RatioResource, ...] = ()


class PriorityArgument(_PolicyObject, frozen=True):
    """What a priority of one's own scores by."""

    service_anti_affinity: dict[str, Any] | None = None
    label_preference: dict[str, Any] | None = None
    requested_to_capacity_ratio_arguments: RatioArguments | None = None


class Priority(_PolicyObject, frozen=True):
    """A priority by name, or one of one's own, with its weight."""

    name: str = ""
    weight: int = 0
    argument: PriorityArgument | None = None


class LegacyPolicy(_PolicyObject, frozen=True):
    """The whole file; `predicates` and `priorities` that are absent are the defaults of old."""

    predicates: tuple[Predicate, ...] | None = None
    priorities: tuple[Priority, ...] | None = None
    extenders: tuple[dict[str, Any], ...] = ()
    hard_pod_affinity_symmetric_weight: int = 0
    always_check_all_predicates: bool = False
