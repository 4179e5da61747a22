"""What admission reads of the cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from kschedctl.admission.gates import AdmissionGates
from kschedctl.objects.core import LimitRange, PriorityClass, RuntimeClass
from kschedctl.objects.meta import ObjectMeta


def _system_class(name: str, value: int) -> PriorityClass:
    return PriorityClass(metadata=ObjectMeta(name=name), value=value)


SYSTEM_PRIORITY_CLASSES = (
    _system_class("system-node-critical", 2_000_001_000),
    _system_class("system-cluster-critical", 2_000_000_000),
)
"""Every cluster has these, whether an input lists them or not."""


class AdmissionContext(Struct, frozen=True):
    """The objects of the cluster that decide what a new pod gets, and the gates of its API server."""

    gates: AdmissionGates
    priority_classes: Mapping[str, PriorityClass] = field(default_factory=dict)
    """By name, with the two system classes."""
    default_priority_class: PriorityClass | None = None
    """The class of pods that name none."""
    runtime_classes: Mapping[str, RuntimeClass] = field(default_factory=dict)
    """By name."""
    limit_ranges: Mapping[str, tuple[LimitRange, ...]] = field(default_factory=dict)
    """By namespace, in order of name."""
    missing_classes_refuse: bool = True
    """Whether a pod is refused whose priority or runtime class is not there; else it is as if it named none."""

    @classmethod
    def of(
        cls,
        gates: AdmissionGates,
        *,
        priority_classes: Iterable[PriorityClass] = (),
        runtime_classes: Iterable[RuntimeClass] = (),
        limit_ranges: Iterable[LimitRange] = (),
        missing_classes_refuse: bool = True,
    ) -> AdmissionContext:
        """The context that a cluster's objects make.

        Of several classes with `globalDefault` the lowest value counts; where the API server's choice
        between equal ones, or between limit ranges, is left to chance, the first by name counts.
        """
        classes = sorted((*SYSTEM_PRIORITY_CLASSES, *priority_classes), key=lambda c: c.name)
        defaults = [c for c in classes if c.global_default]
        ranges: dict[str, tuple[LimitRange, ...]] = {}
        for limit_range in sorted(limit_ranges, key=lambda r: r.name):
            namespace = limit_range.namespace
            ranges[namespace] = (*ranges.get(namespace, ()), limit_range)
        return cls(
            gates,
            priority_classes={c.name: c for c in classes},
            default_priority_class=min(defaults, key=lambda c: c.value, default=None),
            runtime_classes={c.name: c for c in runtime_classes},
            limit_ranges=ranges,
            missing_classes_refuse=missing_classes_refuse,
        )
