"""Measures that are about no single obstacle: a higher priority, another profile, an open gate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kschedctl.advice.json_patch import add, add_within, remove
from kschedctl.advice.measure import Measure, Measures, ObjectPatch, PodPatch, Reference
from kschedctl.advice.situation import Situation
from kschedctl.objects.core import PriorityClass
from kschedctl.objects.node import Node
from kschedctl.objects.well_known import HOSTNAME

_MOST_CLASSES = 4


def priorities(situation: Situation) -> Iterator[Measure]:
    """The priority classes above that of the pod, the lowest first."""
    if situation.record.pod.preemption_policy == "Never":
        floor = situation.record.priority - 1
    else:
        floor = situation.record.priority
    classes = situation.cluster.objects.all(PriorityClass).values()
    higher = [c for c in classes if c.value > floor and c.preemption_policy != "Never"]
    for found in sorted(higher, key=lambda c: (c.value, c.name))[:_MOST_CLASSES]:
        operations = [add_within(situation.document, found.name, "spec", "priorityClassName")]
        operations += [
            remove("spec", key)
            for key in ("priority", "preemptionPolicy")
            if key in situation.document["spec"]
        ]
        text = f"priority class {found.name} ({found.value})"
        yield Measure("priority", text, (PodPatch(tuple(operations)),), topic="class")


def profiles(situation: Situation) -> Iterator[Measure]:
    """Another profile of the same scheduler."""
    for name in situation.session.scheduler.frameworks:
        if name != situation.record.pod.spec.scheduler_name:
            operation = add_within(situation.document, name, "spec", "schedulerName")
            yield Measure("profile", f"schedulerName {name}", (PodPatch((operation,)),))


def gates(situation: Situation) -> Iterator[Measure]:
    """The gates of the pod opened."""
    listed = situation.spec.scheduling_gates
    if listed:
        text = f"scheduling gate {' and '.join(gate.name for gate in listed)} removed"
        yield Measure(
            "gate", text, (PodPatch((remove("spec", "schedulingGates"),)),), note="whoever set it removes it"
        )


def winning(document: Any, node: Node, rivals: Sequence[Node]) -> Iterator[Measures]:
    """What might let a feasible node win against others that score higher."""
    wished = ("spec", "affinity", "nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution", "-")
    hostname = node.metadata.labels.get(HOSTNAME)
    if hostname is not None:
        term = {"matchExpressions": [{"key": HOSTNAME, "operator": "In", "values": [hostname]}]}
        operation = add_within(document, {"weight": 100, "preference": term}, *wished)
        text = f"preferred node affinity for {node.name} (weight 100)"
        yield (Measure("affinity-relax", text, (PodPatch((operation,)),)),)
    if rivals:
        yield tuple(
            Measure(
                "cordon",
                f"{rival.name} cordoned",
                (ObjectPatch(Reference("Node", "", rival.name), (add(True, "spec", "unschedulable"),)),),
                command=f"kubectl cordon {rival.name}",
            )
            for rival in rivals
        )
