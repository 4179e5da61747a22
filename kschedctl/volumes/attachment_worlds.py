"""Attached volumes of nodes from or to which pods were taken, each node in a world of its own."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from kschedctl.volumes.attached import AttachedVolumes
from kschedctl.volumes.topology import Ints, Mask


class AttachmentWorlds:
    """R nodes as they are now, and what is different on single rows."""

    def __init__(self, attached: AttachedVolumes, index: Ints) -> None:
        """Nothing is different yet; `index` is int64 (R,), node rows."""
        self._attached = attached
        self._index = index
        self._users: dict[str, dict[int, int]] = defaultdict(dict)
        self._used: dict[str, Ints] = {}
        self._pods: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))

    def take(self, at: Ints) -> AttachmentWorlds:
        """An independent copy of some of the rows, positions int64 (k,)."""
        twin = AttachmentWorlds(self._attached, self._index[at])
        twin._used = {driver: change[at] for driver, change in self._used.items()}
        places = defaultdict(list)
        for new, old in enumerate(at.tolist()):
            places[old].append(new)
        for name, users in self._users.items():
            twin._users[name] = {new: n for old, n in users.items() for new in places[old]}
        for old, pods in self._pods.items():
            for new in places[old]:
                twin._pods[new].update(pods)
        return twin

    def change(self, pods: Ints, sign: int) -> None:
        """Add (+1) or remove (-1) one pod per row: ids int64 (R,), -1 where nothing changes."""
        rows = np.flatnonzero(pods >= 0)
        for row in rows[self._attached.may_attach(pods[rows])].tolist():
            self.change_row(row, int(pods[row]), sign)

    def change_row(self, row: int, pod: int, sign: int) -> None:
        """Add or remove one pod on one row."""
        node = int(self._index[row])
        attached = self._attached.of_pod(pod, node)
        if attached.error is not None:
            self._pods[row][pod] += sign
        for name, driver in attached.volumes.items():
            before = self._users_of(name, row)
            after = before + sign
            self._users[name][row] = after - self._attached.users(name, node)
            if not (before and after) and not self._attached.is_recorded(name, node):
                if driver not in self._used:
                    self._used[driver] = np.zeros(len(self._index), np.int64)
                self._used[driver][row] += sign

    def used(self, driver: str) -> Ints:
        """How many volumes of a driver each row has, int64 (R,)."""
        real = self._attached.used(driver)[self._index]
        return real + self._used[driver] if driver in self._used else real

    def holds(self, name: str) -> Mask:
        """Rows on which some pod uses a volume, bool (R,)."""
        holds = self._attached.holds(name)[self._index]
        for row in self._users.get(name, ()):
            holds[row] = self._users_of(name, row) > 0
        return holds

    def failures(self) -> dict[int, dict[int, str]]:
        """Row -> pods there whose attachments cannot be told, with the reason."""
        broken = np.isin(self._index, self._attached.broken_rows())
        found = {}
        for row in {*np.flatnonzero(broken).tolist(), *self._pods}:
            node = int(self._index[row])
            pods = dict(self._attached.broken(node))
            for pod, sign in self._pods[row].items() if row in self._pods else ():
                if sign > 0:
                    pods[pod] = self._attached.of_pod(pod, node).error or ""
                elif sign < 0:
                    pods.pop(pod, None)
            if pods:
                found[row] = pods
        return found

    def _users_of(self, name: str, row: int) -> int:
        change = self._users[name].get(row, 0) if name in self._users else 0
        return self._attached.users(name, int(self._index[row])) + change
