"""Columns of resources: which names count, and where each one stands."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from kschedctl.objects.go import wrap_int64
from kschedctl.objects.pod_requests import is_scalar_resource

CPU, MEMORY, EPHEMERAL_STORAGE = 0, 1, 2
_NAMED = ("cpu", "memory", "ephemeral-storage")


class ResourceIndex:
    """Resource name -> column; columns are only ever added.

    cpu counts in milli, everything else in whole units. Names that the scheduler ignores (spec 02 C.3) have no
    column.
    """

    __slots__ = ("_columns", "names")

    def __init__(self) -> None:
        self.names: list[str] = list(_NAMED)
        self._columns: dict[str, int] = {name: i for i, name in enumerate(_NAMED)}

    def __len__(self) -> int:
        return len(self.names)

    def find(self, name: str) -> int | None:
        """The column of a resource that some node or pod has named, else None."""
        return self._columns.get(name)

    def column(self, name: str) -> int | None:
        """The column of a resource, made where it is new; None for a name that never counts."""
        known = self._columns.get(name)
        if known is None and is_scalar_resource(name):
            known = self._columns[name] = len(self.names)
            self.names.append(name)
        return known

    def vector(self, amounts: Mapping[str, int]) -> npt.NDArray[np.int64]:
        """Amounts by name as int64 (len(self),), names that never count left out."""
        placed = [(c, amount) for name, amount in amounts.items() if (c := self.column(name)) is not None]
        row = np.zeros(len(self), np.int64)
        for c, amount in placed:
            row[c] = wrap_int64(amount)
        return row


def widened(table: npt.NDArray[np.int64], columns: int) -> npt.NDArray[np.int64]:
    """The table, int64 (rows, c), with zero columns added up to `columns`."""
    missing = columns - table.shape[1]
    return table if missing <= 0 else np.pad(table, ((0, 0), (0, missing)))
