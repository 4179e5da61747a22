"""Changes of a cluster: each one rewrites the world, in the order in which they are given."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec.structs import replace

from kschedctl.admission.defaults import default_node
from kschedctl.errors import UsageError
from kschedctl.objects.core import PriorityClass
from kschedctl.objects.merge_patch import merge_patch
from kschedctl.objects.node import Node, Taint
from kschedctl.objects.pod import Pod
from kschedctl.sources.quantities import QuantityCheck, quantity_message
from kschedctl.sources.unknown_fields import unknown_field_text
from kschedctl.whatif.world.change_forms import FailMode, RolloutMode
from kschedctl.whatif.world.daemons import follow_nodes
from kschedctl.whatif.world.new_nodes import add_nodes
from kschedctl.whatif.world.node_edits import with_cordon, with_label, with_taint, without_taint
from kschedctl.whatif.world.priorities import check_priority, with_priority
from kschedctl.whatif.world.release import delete_workload, release
from kschedctl.whatif.world.removal import delete_pod, lose_contact, remove_nodes, stays
from kschedctl.whatif.world.scale import scale
from kschedctl.whatif.world.targets import DEFAULT_NAMESPACE, find_nodes, find_object, place_of_coming_pod
from kschedctl.whatif.world.world import World
from kschedctl.workloads import WORKLOADS
from kschedctl.workloads.controllers import is_daemon, is_static


class Change(ABC):
    """One change."""

    @abstractmethod
    def apply(self, world: World) -> None:
        """Rewrite the world.

        Raises:
            UsageError: what it is about is not there.
        """


@dataclass(frozen=True, slots=True)
class Cordon(Change):
    """Nodes take no new pods, or do so again."""

    nodes: str
    cordoned: bool = True

    def apply(self, world: World) -> None:
        """See `Change.apply`."""
        for node in find_nodes(world, self.nodes):
            world.put(with_cordon(node, self.cordoned))


@dataclass(frozen=True, slots=True)
class DrainNodes(Change):
    """Nodes are cordoned and emptied at once, without looking at disruption budgets; their daemons stay."""

    nodes: str

    def apply(self, world: World) -> None:
        """See `Change.apply`."""
        nodes = find_nodes(world, self.nodes)
        for node in nodes:
            world.put(with_cordon(node, True))
        for pod in world.pods_on([node.name for node in nodes]):
            if not is_daemon(pod) and not is_static(pod):
                world.displace(pod)


@dataclass(frozen=True, slots=True)
class RemoveNode(Change):
    """Nodes are gone, with all that ran on them."""

    nodes: str

    def apply(self, world: World) -> None:
        """See `Change.apply`."""
        remove_nodes(world, find_nodes(world, self.nodes))


@dataclass(frozen=True, slots=True)
class FailDomain(Change):
    """All nodes of a domain fail."""

    key: str
    value: str
    mode: FailMode = FailMode.GONE

    def apply(self, world: World) -> None:
        """See `Change.apply`."""
        nodes = find_nodes(world, f"{self.key}={self.value}")
        if self.mode is FailMode.GONE:
            remove_nodes(world, nodes)
        else:
            lose_contact(world, nodes)


@dataclass(frozen=True, slots=True)
class AddNode(Change):
    """Nodes are added: copies of a node of the cluster, or of one that is given.

    Attributes:
        count: how many.
        like: the node of the cluster.
        template: the node that is given.
        name: what their names begin with; empty: the name of their model.
        labels: what they have beside the labels of their model, or in place of them.
    """

    count: int = 1
    like: str = ""
    template: Node | None = None
    name: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)

    def apply(self, world: World) -> None:
        """See `Change.apply`."""
        like = find_nodes(world, self.like)[0] if self.like else None
        shape = like or self.template
        if shape is None:
            raise UsageError("a node to add is neither given nor named", hint="Write FILE or like=NODE.")
        model = default_node(shape)
        if self.name or self.labels:
            labels = {**model.metadata.labels, **self.labels}
            metadata = replace(model.metadata, name=self.name or model.name, labels=labels)
            model = replace(model, metadata=metadata)
        add_nodes(world, model, self.count, like)


@dataclass(frozen=True, slots=True)
class Scale(Change):
    """A workload gets another number of replicas."""

    workload: str
    replicas: int

    def apply(self, world: World) -> None:
        """See `Change.apply`."""
        found = find_object(world, self.workload)
        if not isinstance(found, WORKLOADS):
            raise UsageError(f"{self.workload} is no workload that can be scaled")
        scale(world, found, self.replicas)


@dataclass(frozen=True, slots=True)
class Prioritize(Change):
    """A pod, or a workload with its pods, gets another priority; running pods stay where they are.

    Attributes:
        reference: the pod or workload.
        priority: a class, or a plain number.
    """

    reference: str
    priority: int | str

    def apply(self, world: World) -> None:
        """See `Change.apply`."""
        check_priority(self.priority, world.all(PriorityClass))
        if (at := place_of_coming_pod(world, self.reference)) is not None:
            coming = world.created[at]
            world.created[at] = replace(coming, pod=with_priority(coming.pod, self.priority))
            return
        found = find_object(world, self.reference)
        pods = world.pods_of(found) if isinstance(found, WORKLOADS) else []
        for obj in (found, *pods):
            world.put(with_priority(obj, self.priority))


@dataclass(frozen=True, slots=True)
class Delete(Change):
    """An object is deleted; a workload with its pods, a node with all that runs on it."""

    reference: str

    def apply(self, world: World) -> None:
        """See `Change.apply`."""
        found = find_object(world, self.reference)
        match found:
            case Node():
                remove_nodes(world, [found])
            case Pod():
                delete_pod(world, found)
            case _ if isinstance(found, WORKLOADS):
                delete_workload(world, found)
            case _:
                world.drop(found)


@dataclass(frozen=True, slots=True)
class TaintNodes(Change):
    """Nodes get a taint or lose it; NoExecute evicts what does not tolerate it."""

    nodes: str
    taint: Taint
    remove: bool = False

    def apply(self, world: World) -> None:
        """See `Change.apply`."""
        nodes = find_nodes(world, self.nodes)
        for node in nodes:
            world.put(without_taint(node, self.taint) if self.remove else with_taint(node, self.taint))
        if self.taint.effect == "NoExecute" and not self.remove:
            for pod in world.pods_on([node.name for node in nodes]):
                # Daemons end where their set does not bear the taint; else it makes them anew where they were.
                if not is_daemon(pod) and not stays(pod, self.taint):
                    world.displace(pod)


@dataclass(frozen=True, slots=True)
class LabelNodes(Change):
    """Nodes get a label, or lose it (None)."""

    nodes: str
    key: str
    value: str | None

    def apply(self, world: World) -> None:
        """See `Change.apply`."""
        for node in find_nodes(world, self.nodes):
            world.put(with_label(node, self.key, self.value))


@dataclass(frozen=True, slots=True)
class Patch(Change):
    """A JSON merge patch (RFC 7386) of the object that its kind and name say; a workload is rolled out anew.

    Attributes:
        patch: the patch.
        rollout: what happens to the running pods of a patched workload.
        namespace: where the patch states none.
    """

    patch: dict[str, Any]
    rollout: RolloutMode = RolloutMode.RECREATE
    namespace: str = DEFAULT_NAMESPACE

    def apply(self, world: World) -> None:
        """See `Change.apply`."""
        metadata = self.patch.get("metadata") or {}
        where = metadata.get("namespace") or self.namespace
        reference = f"{where}/{self.patch.get('kind')}/{metadata.get('name')}"
        old = find_object(world, reference)
        unknown = unknown_field_text(self.patch, type(old))
        if unknown is not None:
            raise UsageError(f"the patch of {reference} cannot be applied: {unknown}")
        data = msgspec.to_builtins(old)
        same = {key: data[key] for key in ("apiVersion", "kind") if key in data}
        try:
            new = msgspec.convert(merge_patch(data, {**self.patch, **same}), type(old))
        except msgspec.ValidationError as error:
            raise UsageError(f"the patch of {reference} cannot be applied: {error}") from error
        for path, raw in QuantityCheck().bad(new):
            raise UsageError(f"the patch of {reference} cannot be applied: {quantity_message(path, raw)}")
        if isinstance(new, Pod) and new.spec.node_name:
            world.put(new)
        else:
            release(world, new, self.rollout)


def apply_changes(world: World, changes: Iterable[Change]) -> None:
    """Apply changes in order; then daemons follow what has become of nodes."""
    for change in changes:
        change.apply(world)
    follow_nodes(world)
