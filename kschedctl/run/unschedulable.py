"""The unschedulable pool: pods in kinds that any event helps alike, each asked once about events that are alike."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator

from msgspec import Struct, field

from kschedctl.run.queued_pod import QueuedPod


class WaitingKind(Struct, eq=False):
    """Pods that nobody can tell apart but by name: what rejected them is the same too.

    Attributes:
        number: 1 for the first kind that there was, and so on.
        rejectors: the plugins that rejected them.
        pods: by their keys; none once all have left, and who comes then is of a kind with another number.
    """

    number: int
    rejectors: frozenset[str]
    pods: dict[str, QueuedPod] = field(default_factory=dict)


class HelpedKinds(Struct):
    """What is known of events that are alike.

    Attributes:
        asked: the number of the latest kind that was asked, as were all before it.
        helped: the kinds that they help.
    """

    asked: int = 0
    helped: list[WaitingKind] = field(default_factory=list)


class UnschedulablePods:
    """Pods that wait for an event that helps them."""

    def __init__(self) -> None:
        self._kind_of: dict[str, Hashable] = {}
        self._kinds: dict[Hashable, WaitingKind] = {}
        self._numbered = 0
        self._rejected_by: dict[str, dict[Hashable, WaitingKind]] = {}

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
            self._numbered += 1
            known = self._kinds[kind] = WaitingKind(self._numbered, pod.rejectors)
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

    def helped(
        self, helps: Callable[[WaitingKind], bool], rejectors: Iterable[str] | None, answers: HelpedKinds
    ) -> list[WaitingKind]:
        """The kinds that an event helps; only those are asked that have come since it was last.

        Args:
            helps: whether it helps a kind.
            rejectors: only those that one of these plugins rejected; None: all.
            answers: what is known of events like it; completed.
        """
        if answers.asked < self._numbered:
            kinds = self._kinds.values() if rejectors is None else self._rejected(rejectors)
            answers.helped += [kind for kind in kinds if kind.number > answers.asked and helps(kind)]
            answers.asked = self._numbered
        if not all(kind.pods for kind in answers.helped):
            answers.helped = [kind for kind in answers.helped if kind.pods]
        return answers.helped

    def _rejected(self, rejectors: Iterable[str]) -> Iterable[WaitingKind]:
        found: dict[Hashable, WaitingKind] = {}
        for plugin in rejectors:
            found |= self._rejected_by.get(plugin, {})
        return found.values()
