"""Which events may help which pods: the hints of the plugins that rejected them (spec 01 §8.3, spec 08 §2)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from kschedctl.cluster.state import ClusterState
from kschedctl.extenders.chain import EXTENDER
from kschedctl.framework.cluster_event import Action, ClusterEvent, Hint, Interest, Resource
from kschedctl.framework.runtime import Framework
from kschedctl.run.queued_pod import QueuedPod
from kschedctl.run.unschedulable import HelpedKinds

_Hints = dict[tuple[str, frozenset[str]], tuple[Hint | None, ...]]
"""By scheduler name and rejecting plugins."""


class PluginWakes:
    """The interests of the plugins of all profiles.

    Args:
        frameworks: scheduler name -> profile.
        cluster: the cluster, in which events are judged.
        taints_wake_whom_nodes_wake: a plugin that hears of new nodes and not of taints is woken by every change of
            taints.
    """

    def __init__(
        self,
        frameworks: Mapping[str, Framework],
        cluster: ClusterState,
        *,
        taints_wake_whom_nodes_wake: bool,
    ) -> None:
        self._cluster = cluster
        self._interests = {
            (name, plugin.name): _interests(plugin.interests(), taints_wake_whom_nodes_wake)
            for name, framework in frameworks.items()
            for plugin in framework.plugins
        }
        self._listeners: dict[tuple[Resource, Action], tuple[str, ...]] = {}
        self._hints: dict[tuple[Resource, Action], _Hints] = {}
        self._latest: tuple[Resource | None, Action | None, _Hints] = (None, None, {})
        self._is_known = all(framework.is_known for framework in frameworks.values())
        self._objects = cluster.objects
        self._answers: dict[Hashable, HelpedKinds] = {}
        self._alike = {name for name, framework in frameworks.items() if framework.equal_pods_fail_alike}

    def helps(self, pod: QueuedPod, event: ClusterEvent) -> bool:
        """Whether one of the plugins that rejected a pod says so; a pod without any is always worth a try.

        So is one that an extender rejected: nobody knows what it hears of.
        """
        if not pod.rejectors or EXTENDER in pod.rejectors:
            return True
        if event.resource is Resource.ANYTHING:
            return event.new is None or event.new is pod.record
        resource, action, known = self._latest
        if resource is not event.resource or action is not event.action:
            known = self._hints.setdefault((event.resource, event.action), {})
            self._latest = event.resource, event.action, known
        asked = (pod.record.pod.spec.scheduler_name, pod.rejectors)
        hints = known.get(asked)
        if hints is None:
            hints = known[asked] = tuple(self._hints_of(pod, event))
        return any(hint is None or hint(pod.record, event, self._cluster) for hint in hints)

    def _hints_of(self, pod: QueuedPod, event: ClusterEvent) -> Iterable[Hint | None]:
        """The hints of the rejecting plugins that mean an event; None: it always helps."""
        scheduler = pod.record.pod.spec.scheduler_name
        for plugin in sorted(pod.rejectors):
            for interest in self._interests.get((scheduler, plugin), ()):
                if interest.covers(event):
                    yield interest.hint

    def kind_of(self, pod: QueuedPod) -> Hashable:
        """Equal pods that the same plugins rejected; one with claims of its own is like no other."""
        of_class = pod.record.pod_class
        if of_class.has_own_claims or pod.record.pod.spec.scheduler_name not in self._alike:
            return pod.key
        return of_class.index, pod.rejectors

    def answers(self, event: ClusterEvent) -> HelpedKinds | None:
        """What is known of pods that come, change or go, by their classes and whether they are on a node.

        Our own hints look at no more of them, and at the other objects of the cluster (services have pods spread).
        """
        if event.resource is not Resource.ASSIGNED_POD or not self._is_known:
            return None
        if self._objects is not self._cluster.objects:
            self._objects, self._answers = self._cluster.objects, {}
        old, new = event.old, event.new
        classes = [None if pod is None else pod.pod_class.index for pod in (old, new)]
        alike = (event.action, *classes, bool((new or old).pod.node_name))
        known = self._answers.get(alike)
        if known is None:
            known = self._answers[alike] = HelpedKinds()
        return known

    def listeners(self, event: ClusterEvent) -> Iterable[str]:
        """The plugins, of any profile, that want to hear of an event."""
        key = (event.resource, event.action)
        known = self._listeners.get(key)
        if known is None:
            found = {
                plugin: None
                for (_, plugin), interests in self._interests.items()
                if any(interest.covers(event) for interest in interests)
            }
            known = self._listeners[key] = (*found, EXTENDER)
        return known


def _interests(own: tuple[Interest, ...], taints_wake_whom_nodes_wake: bool) -> tuple[Interest, ...]:
    node = [interest.actions for interest in own if interest.resource is Resource.NODE]
    hears_of_nodes = any(Action.ADD in actions for actions in node)
    hears_of_taints = any(Action.UPDATE_NODE_TAINT in actions for actions in node)
    if taints_wake_whom_nodes_wake and hears_of_nodes and not hears_of_taints:
        return (*own, Interest(Resource.NODE, Action.UPDATE_NODE_TAINT))
    return own
