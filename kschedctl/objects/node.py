"""Nodes."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.objects.meta import Condition, Int64, KubeObject, ResourceList, TopLevel


class Taint(KubeObject, frozen=True):
    """A taint of a node."""

    key: str = ""
    value: str = ""
    effect: str = ""

    def __str__(self) -> str:
        """The way kubectl prints it: `key=value:Effect`."""
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"

    @property
    def is_hard(self) -> bool:
        """Whether it keeps pods away that do not tolerate it."""
        return self.effect in ("NoSchedule", "NoExecute")


class PodPreemptionPolicy(KubeObject, frozen=True):
    """Whom pods of a node may not be evicted for (since 1.37)."""

    disable_resize_preemption: tuple[str, ...] = ()


class NodeSpec(KubeObject, frozen=True):
    """`spec` of a node."""

    unschedulable: bool = False
    taints: tuple[Taint, ...] = ()
    pod_preemption_policy: PodPreemptionPolicy | None = None

    @property
    def forbids_resize_preemption(self) -> bool:
        """Whether no pod may be evicted so that another one can grow."""
        policy = self.pod_preemption_policy
        return policy is not None and bool(policy.disable_resize_preemption)


class ContainerImage(KubeObject, frozen=True):
    """An image that the node holds."""

    names: tuple[str, ...] = ()
    size_bytes: Int64 = 0


class NodeStatus(KubeObject, frozen=True):
    """`status` of a node."""

    capacity: ResourceList = {}
    allocatable: ResourceList = {}
    images: tuple[ContainerImage, ...] = ()
    conditions: tuple[Condition, ...] = ()
    declared_features: tuple[str, ...] = ()


class Node(TopLevel, frozen=True):
    """A node. `status.allocatable` is what counts; admission copies it from `capacity` where it is absent."""

    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()


def changed_rows(before: Sequence[Node], now: Sequence[Node]) -> list[int] | None:
    """Where another version of a node stands in a list of the same nodes; None where they are not the same nodes."""
    if len(before) != len(now):
        return None
    rows = [row for row, (old, new) in enumerate(zip(before, now, strict=True)) if old is not new]
    return rows if all(before[row].name == now[row].name for row in rows) else None
