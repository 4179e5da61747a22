"""What admission reads of the cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kschedctl.objects.core import LimitRange, PriorityClass, RuntimeClass
from kschedctl.objects.meta import ObjectMeta


def _system_class(name: str, value: int) -> PriorityClass:
    return PriorityClass(metadata=ObjectMeta(name=name), value=value)


SYSTEM_PRIORITY_CLASSES = (
    _system_class("system-node-critical", 2_000_001_000),
    _system_class("system-cluster-critical", 2_000_000_000),
)
"""Every cluster has these, whether an input lists them or not."""


@dataclass(frozen=True, slots=True)
class GroupGates:
    """Which parts of a group the API server keeps; the defaults are those of all versions."""

    priority: bool = False
    """The priority of a group and how it is disrupted count."""
    preemption_policy: bool = False
    """PodGroupPreemptionPolicy."""
    topology: bool = False
    """TopologyAwareWorkloadScheduling."""
    claims: bool = False
    """DRAWorkloadResourceClaims."""
    composite: bool = False
    """CompositePodGroup."""


@dataclass(frozen=True, slots=True)
class AdmissionGates:
    """Feature gates that change what the API server accepts; the defaults are those of 1.34 and 1.36."""

    pod_level_resources: bool = True
    """PodLevelResources."""
    toleration_comparison_operators: bool = False
    """TaintTolerationComparisonOperators: tolerations may use Lt and Gt."""
    user_namespaces_host_network: bool = False
    """UserNamespacesHostNetworkSupport: `hostUsers: false` goes with `hostNetwork: true`."""
    merge_spread_selectors: bool = True
    """MatchLabelKeysInPodTopologySpread and its SelectorMerge: keys of spread constraints are merged on creation."""
    groups: GroupGates = GroupGates()
    """Those that concern groups of pods."""


@dataclass(frozen=True, slots=True)
class AdmissionContext:
    """The objects of the cluster that decide what a new pod gets."""

    priority_classes: Mapping[str, PriorityClass] = field(default_factory=dict)
    """By name, with the two system classes."""
    default_priority_class: PriorityClass | None = None
    """The class of pods that name none."""
    runtime_classes: Mapping[str, RuntimeClass] = field(default_factory=dict)
    """By name."""
    limit_ranges: Mapping[str, tuple[LimitRange, ...]] = field(default_factory=dict)
    """By namespace, in order of name."""
    gates: AdmissionGates = AdmissionGates()

    @classmethod
    def of(
        cls,
        *,
        priority_classes: Iterable[PriorityClass] = (),
        runtime_classes: Iterable[RuntimeClass] = (),
        limit_ranges: Iterable[LimitRange] = (),
        gates: AdmissionGates | None = None,
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
            priority_classes={c.name: c for c in classes},
            default_priority_class=min(defaults, key=lambda c: c.value, default=None),
            runtime_classes={c.name: c for c in runtime_classes},
            limit_ranges=ranges,
            gates=gates or AdmissionGates(),
        )
