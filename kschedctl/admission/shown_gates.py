"""Feature gates that a cluster shows to be on: the API server drops fields whose gate is off (spec 06 §6.2, 07 §3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from kschedctl.objects.groups import CompositePodGroup, PodGroup
from kschedctl.objects.kinds import BY_TYPE
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod

_Shown = tuple[str, str, Callable[[Any], object]]

_POLICY: Final[_Shown] = (
    "spec.preemptionPolicy",
    "PodGroupPreemptionPolicy",
    lambda group: group.spec.preemption_policy is not None,
)
_SHOWN_BY: Final[Mapping[type[TopLevel], tuple[_Shown, ...]]] = {
    Pod: (
        ("spec.schedulingGroup", "GenericWorkload", lambda pod: pod.spec.scheduling_group is not None),
        ("spec.workloadRef", "GenericWorkload", lambda pod: pod.spec.workload_ref is not None),
    ),
    PodGroup: (
        (
            "spec.schedulingConstraints",
            "TopologyAwareWorkloadScheduling",
            lambda group: group.spec.scheduling_constraints is not None,
        ),
        ("spec.resourceClaims", "DRAWorkloadResourceClaims", lambda group: group.spec.resource_claims),
        (
            "spec.parentCompositePodGroupName",
            "CompositePodGroup",
            lambda group: group.spec.parent_composite_pod_group_name is not None,
        ),
        _POLICY,
    ),
    CompositePodGroup: (_POLICY,),
}
"""Kind -> field, gate, and whether an object has the field."""

SHOWN: Final = frozenset(gate for shown in _SHOWN_BY.values() for _, gate, _ in shown)
"""The gates that a cluster can show."""


def shown_gates(objects: Iterable[TopLevel]) -> dict[str, str]:
    """Gates that objects of a cluster show to be on, each with what shows it: `Pod default/a has spec.x`."""
    found: dict[str, str] = {}
    for obj in objects:
        for field, gate, has_it in _SHOWN_BY.get(type(obj), ()):
            if gate not in found and has_it(obj):
                found[gate] = f"{BY_TYPE[type(obj)].kind} {obj.full_name} has {field}"
    return found
