"""The unschedulable pool: pods in kinds that any event helps alike, so that a kind is asked once for an event."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from msgspec import Struct, field

from kschedctl.run.queued_pod import QueuedPod


class _Kind(Struct, eq=False):
    """Pods that nobody can tell apart but by name: what rejected them is the same too."""

    rejectors: frozenset[str]
    pods: dict[str, QueuedPod] = field(default_factory=dict)


class UnschedulablePods:
    """Pods that wait for an event that helps them."""

    def __init__(self) -> None:
        self._kind_of: dict[str, Hashable] = {}
        self._kinds: dict[Hashable, _Kind] = {}
        self._rejected_by: dict[str, dict[Hashable, _Kind]] = {}

    def __len__(self) -> int:
        return len(self._kind_of)

    def __iter__(self) -> Iterator[QueuedPod]:
        """All of them, in the order of their keys."""
        found = [pod for kind in self._kinds.values() for pod in kind.pods.values()]
        return iter(sorted(found, key=lambda pod: pod.key))

    def add(self, pod: QueuedPod, kind: Hashable) -> None:
        """Take a pod in; those of one kind are helped by the same events."""
        known = self._kinds.get(kind)
        if known is None:
            known = self._kinds[kind] = _Kind(pod.rejectors)
            for plugin in pod.rejectors:
                self._rejected_by.setdefault(plugin, {})[kind] = known
        known.pods[pod.key] = pod
        self._kind_of[pod.key] = kind

    def remove(self, key: str) -> None:
        """Let a pod go."""
        kind = self._kind_of.pop(key)
        known = self._kinds[kind]
        del known.pods[key]
        if not known.pods:
            del self._kinds[kind]
            for plugin in known.rejectors:
                del self._rejected_by[plugin][kind]

    def kinds(self, rejectors: Iterable[str] | None = None) -> list[dict[str, QueuedPod]]:
        """The pods of each kind by their keys; None: all, else those that one of these plugins rejected."""
        if rejectors is None:
            return [kind.pods for kind in self._kinds.values()]
        found: dict[Hashable, _Kind] = {}
        for plugin in rejectors:
            found |= self._rejected_by.get(plugin, {})
        return [kind.pods for kind in found.values()]
