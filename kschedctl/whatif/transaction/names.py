"""The pods of a cluster by name, while pods come and go in a transaction."""

from __future__ import annotations

from collections.abc import Callable

from kschedctl.cluster.pods import PodRecord
from kschedctl.whatif.session import Session


class PodNames:
    """The pods of a cluster by name, those that came in a transaction among them; changes are journalled.

    Attributes:
        gone: ids of pods that were removed.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._entered: dict[str, int] = {}
        self.gone: set[int] = set()

    def find(self, name: str) -> PodRecord | None:
        """The pod of this name, on a node or not, unless it was removed."""
        record = self.find_any(name)
        return None if record is None or record.id in self.gone else record

    def find_any(self, name: str) -> PodRecord | None:
        """The same, one that was removed included."""
        namespace, _, plain = name.rpartition("/")
        entered = self._entered.get(f"{namespace or 'default'}/{plain}")
        if entered is not None:
            return self._session.cluster.pods.records[entered]
        return self._session.find(namespace or "default", plain)

    def enter(self, record: PodRecord) -> None:
        """Note a pod that came."""
        before = self._entered.get(record.full_name)
        self._entered[record.full_name] = record.id
        self._record(lambda: self._set(record.full_name, before))

    def _set(self, name: str, pod: int | None) -> None:
        if pod is None:
            del self._entered[name]
        else:
            self._entered[name] = pod

    def leave(self, record: PodRecord) -> None:
        """Note that a pod was removed."""
        if record.id not in self.gone:
            self.gone.add(record.id)
            self._record(lambda: self.gone.discard(record.id))

    def come_back(self, record: PodRecord) -> None:
        """Note that a pod that was removed is there again."""
        if record.id in self.gone:
            self.gone.discard(record.id)
            self._record(lambda: self.gone.add(record.id))

    def _record(self, undo: Callable[[], None]) -> None:
        self._session.cluster.journal.record(undo, seen=False)
