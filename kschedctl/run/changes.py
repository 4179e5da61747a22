"""What an update of a node or a pod amounts to, told apart as the queue tells it apart (spec 08 §2)."""

from __future__ import annotations

from kschedctl.cluster.pods import PodRecord
from kschedctl.framework.cluster_event import Action
from kschedctl.objects.meta import Condition
from kschedctl.objects.node import Node
from kschedctl.objects.quantity import Quantity, parse


def node_changes(old: Node, new: Node) -> list[Action]:
    """What changed of a node, in the order in which the queue hears of it."""
    opened = old.spec.unschedulable and not new.spec.unschedulable
    found = [
        (Action.UPDATE_NODE_TAINT, opened),
        (Action.UPDATE_NODE_ALLOCATABLE, _amounts(old) != _amounts(new)),
        (Action.UPDATE_NODE_LABEL, old.metadata.labels != new.metadata.labels),
        (Action.UPDATE_NODE_TAINT, old.spec.taints != new.spec.taints),
        (Action.UPDATE_NODE_CONDITION, _states(old.status.conditions) != _states(new.status.conditions)),
        (Action.UPDATE_NODE_ANNOTATION, old.metadata.annotations != new.metadata.annotations),
        (
            Action.UPDATE_NODE_DECLARED_FEATURE,
            old.status.declared_features != new.status.declared_features,
        ),
    ]
    return [action for action, changed in found if changed]


def _amounts(node: Node) -> dict[str, Quantity]:
    return {name: parse(raw) for name, raw in node.status.allocatable.items()}


def _states(conditions: tuple[Condition, ...]) -> dict[str, str]:
    return {condition.type: condition.status for condition in conditions}


def pod_changes(old: PodRecord, new: PodRecord) -> list[Action]:
    """What changed of a pod, in the order in which the queue hears of it; a plain update where it is none of that."""
    before, after = old.pod, new.pod
    found = [
        (Action.UPDATE_POD_LABEL, before.labels != after.labels),
        (Action.UPDATE_POD_SCALE_DOWN, _asks_for_less(old, new)),
        (
            Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED,
            bool(before.spec.scheduling_gates) and not after.spec.scheduling_gates,
        ),
        (Action.UPDATE_POD_TOLERATION, len(before.spec.tolerations) != len(after.spec.tolerations)),
        (Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM, _claims(old) != _claims(new)),
    ]
    return [action for action, changed in found if changed] or [Action.UPDATE]


def _asks_for_less(old: PodRecord, new: PodRecord) -> bool:
    if old.pod_class.demand is new.pod_class.demand:
        return False
    after = new.pod_class.quantities
    return any(
        name not in after or before.milli_value() > after[name].milli_value()
        for name, before in old.pod_class.quantities.items()
    )


def _claims(record: PodRecord) -> tuple[object, object]:
    status = record.pod.status
    return status.resource_claim_statuses, status.extended_resource_claim_status
