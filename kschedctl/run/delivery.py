"""What the scheduler makes of a change that it hears of: first its cache, then its queue (spec 08 §1)."""

from __future__ import annotations

from collections.abc import Callable, Collection

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.pods import PodRecord
from kschedctl.framework.cluster_event import Action, Resource
from kschedctl.objects.groups import CompositePodGroup, PodGroup
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.node import Node
from kschedctl.objects.resource import ResourceClaim
from kschedctl.run.api_server import ApiServer, Write
from kschedctl.run.changes import node_changes, pod_changes
from kschedctl.run.event_names import EventNames
from kschedctl.run.groups import RunGroups
from kschedctl.run.queue import SchedulingQueue
from kschedctl.run.scheduler_view import SchedulerView


class Delivery:
    """Hands changes to the scheduler.

    Args:
        api: where they come from.
        view: the scheduler's cache.
        queue: its queue.
        names: the names of events.
        schedulers: names of the schedulers whose pods are queued.
        groups: groups that are scheduled as one; None: there are none.
        binding_frees_nomination: whether a pod that is bound leaves the room behind that was kept for it.
        gated_are_nominated: whether the nomination of a new pod counts though it is kept out of the queue.
        lost: is told of a pod that is deleted while a node is reserved for it.
    """

    def __init__(
        self,
        api: ApiServer,
        view: SchedulerView,
        queue: SchedulingQueue,
        names: EventNames,
        schedulers: Collection[str],
        *,
        groups: RunGroups | None,
        binding_frees_nomination: bool,
        gated_are_nominated: bool,
        lost: Callable[[str], None],
    ) -> None:
        self._api = api
        self._view = view
        self._queue = queue
        self._names = names
        self._schedulers = schedulers
        self._groups = groups
        self._binding_frees_nomination = binding_frees_nomination
        self._gated_are_nominated = gated_are_nominated
        self._lost = lost

    def deliver(self, change: Write) -> None:
        """Let the scheduler hear of one change."""
        match change.new if change.new is not None else change.old:
            case AdmittedPod():
                self._pod(change.old, change.new)  # type: ignore[arg-type]
            case Node():
                self._node(change.old, change.new)  # type: ignore[arg-type]
            case _:
                self._object(change.old, change.new)  # type: ignore[arg-type]

    def enter(self, pod: PodRecord) -> None:
        """Put a pod on no node into the queue, if it is one of ours."""
        if self._handles(pod.pod):
            if self._gated_are_nominated:
                self._view.nominate(pod, pod.pod.nominated_node_name)
            self._queue.add(pod, self._new_pod)
            if self._groups is not None:
                self._groups.release(self._queue, pod)

    def start(self, pod: PodRecord) -> None:
        """Put a pod on the node that it names."""
        cluster = self._view.cluster
        self._view.records[pod.full_name] = pod
        cluster.assume(pod.id, cluster.nodes.row_of[pod.pod.node_name])
        self._queue.move(self._names.event(Resource.ASSIGNED_POD, Action.ADD, new=pod))

    @property
    def _new_pod(self) -> str:
        return self._names.name(Resource.UNSCHEDULED_POD, Action.ADD)

    def _handles(self, pod: AdmittedPod) -> bool:
        return pod.spec.scheduler_name in self._schedulers

    def _pod(self, old: AdmittedPod | None, new: AdmittedPod | None) -> None:
        if new is None:
            assert old is not None
            self._gone(old)
        elif new.node_name and old is not None and old.node_name:
            before = self._view.records[new.full_name]
            record = self._view.update_assigned(new)
            for action in pod_changes(before, record):
                self._queue.move(self._names.event(Resource.ASSIGNED_POD, action, before, record))
        elif new.node_name:
            self._bound(old, new)
        elif old is None:
            self.enter(self._view.put_waiting(new))
        elif not self._view.is_assumed(new.full_name):
            self._changed(old, new)

    def _gone(self, old: AdmittedPod) -> None:
        record = self._view.records[old.full_name]
        if old.node_name:
            self._view.remove_assigned(old.full_name)
            self._queue.move(self._names.event(Resource.ASSIGNED_POD, Action.DELETE, record))
            return
        if self._view.is_assumed(old.full_name):
            self._lost(old.full_name)
        self._queue.delete(old.full_name)
        self._view.remove_waiting(old.full_name)
        if old.nominated_node_name and self._handles(old):
            self._freed(record)

    def _bound(self, old: AdmittedPod | None, new: AdmittedPod) -> None:
        before = self._view.records.get(new.full_name)
        record = self._view.add_assigned(new)
        if self._queue.hears:
            self._queue.move(self._names.event(Resource.ASSIGNED_POD, Action.ADD, new=record))
        self._queue.delete(new.full_name)
        if before is not None:
            self._view.cluster.drop_nomination(before.id)
            if old is not None and old.nominated_node_name and self._binding_frees_nomination:
                self._freed(before)

    def _changed(self, old: AdmittedPod, new: AdmittedPod) -> None:
        before = self._view.records[new.full_name]
        record = self._view.put_waiting(new)
        if not self._handles(new):
            return
        events = [
            self._names.event(Resource.TARGET_POD, action, before, record)
            for action in pod_changes(before, record)
        ]
        unknown = self._names.event(Resource.UNSCHEDULED_POD, Action.UPDATE).name
        self._queue.update(record, events, unknown)
        if self._groups is not None:
            self._groups.release(self._queue, record)
        if old.nominated_node_name and old.nominated_node_name != new.nominated_node_name:
            self._freed(before)

    def _freed(self, pod: PodRecord) -> None:
        """The room that was kept for a pod is free: pods that had to respect that may fit now."""
        self._queue.move(
            self._names.event(Resource.ASSIGNED_POD, Action.DELETE, pod), not_above(pod.priority)
        )

    def _node(self, old: Node | None, new: Node | None) -> None:
        if new is None:
            assert old is not None
            self._queue.move(self._names.event(Resource.NODE, Action.DELETE, old))
            self._view.remove_node(old.name)
            return
        seen = self._view.put_node(new)
        if old is None:
            self._queue.move(self._names.event(Resource.NODE, Action.ADD, new=seen))
            return
        for action in node_changes(old, seen):
            self._queue.move(self._names.event(Resource.NODE, action, old, seen))

    def _object(self, old: TopLevel | None, new: TopLevel | None) -> None:
        self._view.set_objects(self._api.objects, known=_is_known(self._view, old, new))
        event = self._names.of_object(old, new)
        if event is not None:
            self._queue.move(event)
        if self._groups is not None and isinstance(new, PodGroup | CompositePodGroup):
            self._groups.release_all(self._queue)


def not_above(priority: int) -> Callable[[PodRecord], bool]:
    """Pods of this priority or a lower one."""
    return lambda pod: pod.priority <= priority


def _is_known(view: SchedulerView, old: TopLevel | None, new: TopLevel | None) -> bool:
    """Whether the scheduler made a change itself, so that what it keeps of claims is right already."""
    if not isinstance(new or old, ResourceClaim):
        return False
    from kschedctl.dra.cluster_devices import ClusterDevices  # loaded only where claims are

    claims = ClusterDevices.of(view.cluster).claims()
    return any(claim is new for claim in claims) if new is not None else all(c is not old for c in claims)
