"""Pods that have a node reserved and wait until the Permit plugins let them go (spec 01 §7)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from kschedctl.cluster.pods import PodRecord
from kschedctl.run.queued_pod import QueuedPod
from kschedctl.scheduling.decision import Decision
from kschedctl.scheduling.effects import Wait

MOST_TIMEOUTS = 2
"""After so many a wait ends no more by itself in a run without an end: pods could take turns for ever."""


class WaitingPod(Struct, eq=False):
    """A pod that waits.

    Attributes:
        queued: the pod in its cycle.
        decision: where it is to go.
        deadlines: plugin that still keeps it -> when that gives up, and after how many seconds.
    """

    queued: QueuedPod
    decision: Decision
    deadlines: dict[str, tuple[float, float]]

    @property
    def ends(self) -> tuple[float, float, str]:
        """When the first plugin gives up, after how many seconds, and which."""
        plugin, (at, after) = min(self.deadlines.items(), key=lambda item: item[1])
        return at, after, plugin


class WaitingPods:
    """All that wait, in the order in which they began to."""

    def __init__(self) -> None:
        self._waiting: dict[int, WaitingPod] = {}
        self._timeouts: dict[str, int] = {}

    def __contains__(self, pod: int) -> bool:
        return pod in self._waiting

    def hold(self, pod: QueuedPod, decision: Decision, waits: Mapping[str, Wait], now: float) -> None:
        """Let a pod wait; `waits`: plugin -> how long."""
        deadlines = {plugin: self._deadline(plugin, wait, now) for plugin, wait in waits.items()}
        self._waiting[decision.pod.id] = WaitingPod(pod, decision, deadlines)

    def _deadline(self, plugin: str, wait: Wait, now: float) -> tuple[float, float]:
        others = [self._waiting[pod].deadlines for pod in wait.gives_up_with if pod in self._waiting]
        end = min([now + wait.seconds, *(found[plugin][0] for found in others if plugin in found)])
        return end, end - now

    def of(self, plugin: str) -> tuple[PodRecord, ...]:
        """The pods that wait for one plugin."""
        return tuple(w.decision.pod for w in self._waiting.values() if plugin in w.deadlines)

    def let_go(self, pod: int, plugin: str) -> WaitingPod | None:
        """Note that a plugin keeps a pod no longer: the pod, if no other one does; None: it waits on, or never did."""
        waiting = self._waiting.get(pod)
        if waiting is None or waiting.deadlines.pop(plugin, None) is None or waiting.deadlines:
            return None
        return self.take(pod)

    def take(self, pod: int) -> WaitingPod:
        """Take a pod out, whatever keeps it."""
        return self._waiting.pop(pod)

    def by_key(self, key: str) -> WaitingPod | None:
        """The pod of a name, None where it does not wait."""
        return next((w for w in self._waiting.values() if w.queued.key == key), None)

    def next_end(self, *, for_ever: bool) -> float | None:
        """When the next wait ends by itself; in a run without an end those that ended often are passed over."""
        ends = [w.ends[0] for w in self._waiting.values() if not for_ever or self._may_end(w)]
        return min(ends, default=None)

    def _may_end(self, waiting: WaitingPod) -> bool:
        return self._timeouts.get(waiting.queued.key, 0) < MOST_TIMEOUTS

    def overdue(self, now: float) -> list[WaitingPod]:
        """Take those out whose time is over."""
        over = [pod for pod, waiting in self._waiting.items() if waiting.ends[0] <= now]
        for pod in over:
            key = self._waiting[pod].queued.key
            self._timeouts[key] = self._timeouts.get(key, 0) + 1
        return [self.take(pod) for pod in over]
