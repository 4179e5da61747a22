"""Host ports in use, as sets: a port that two pods hold is free when one of them goes (spec 02 C.2, D.7)."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

HostPort: TypeAlias = tuple[str, str, int]
"""`(ip, protocol, port)` with defaults filled in."""

Mask = npt.NDArray[np.bool_]

ANY_IP = "0.0.0.0"


def collide(one: HostPort, other: HostPort) -> bool:
    """Whether two pods of one node cannot have these ports: the wildcard address meets every other."""
    return one[1:] == other[1:] and (one[0] == other[0] or ANY_IP in (one[0], other[0]))


class UsedPorts:
    """Which rows use which host port.

    Columns are made when a port first occurs, bool (R,) each; the number of distinct ports is small.
    """

    __slots__ = ("_count", "_used")

    def __init__(self, count: int, used: dict[tuple[str, int], dict[str, Mask]] | None = None) -> None:
        self._count = count
        self._used = used if used is not None else {}

    def take(self, index: npt.NDArray[np.int64]) -> UsedPorts:
        """A copy for chosen rows, int64 (R,)."""
        taken = {k: {ip: mask[index] for ip, mask in by_ip.items()} for k, by_ip in self._used.items()}
        return UsedPorts(len(index), taken)

    def rearranged(self, rows: npt.NDArray[np.int64]) -> UsedPorts:
        """A copy for other rows, int64 (M,); -1 for one that uses no port."""
        moved = {
            k: {ip: np.append(mask, False)[rows] for ip, mask in by_ip.items()}
            for k, by_ip in self._used.items()
        }
        return UsedPorts(len(rows), moved)

    def column(self, port: HostPort) -> Mask:
        """Who uses exactly this port, bool (R,); to be written to."""
        ip, protocol, number = port
        by_ip = self._used.setdefault((protocol, number), {})
        mask = by_ip.get(ip)
        if mask is None:
            mask = by_ip[ip] = np.zeros(self._count, bool)
        return mask

    def conflicts(self, wanted: HostPort) -> Mask:
        """Rows on which the port cannot be had: the wildcard address meets every other."""
        ip, protocol, number = wanted
        busy = np.zeros(self._count, bool)
        for used_ip, mask in self._used.get((protocol, number), {}).items():
            if ANY_IP in (ip, used_ip) or ip == used_ip:
                busy |= mask
        return busy
