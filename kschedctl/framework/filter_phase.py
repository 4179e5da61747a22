"""The verdicts of all filters on many nodes, merged as kube-scheduler reports them, and kept for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.bounded_cache import array_bytes
from kschedctl.cluster.rows import Rows
from kschedctl.framework.plugin import AnyPlugin
from kschedctl.framework.status import Code, Detail, Status
from kschedctl.framework.verdicts import Codes, Mask, Verdicts


class FilterPhase:
    """The verdicts of all filters over R rows, merged but not lost.

    Attributes:
        rows: the rows.
        codes: uint8 (R,), code of the first failing plugin in profile order, 0 where none fails.
        verdicts: the plugins that rejected any row, in profile order, with their verdicts.
        among: bool (R,), the rows that were asked.
    """

    def __init__(self, rows: Rows, among: Mask) -> None:
        self.rows = rows
        self.codes: Codes = np.zeros(len(rows), np.uint8)
        self.verdicts: list[tuple[AnyPlugin, Verdicts]] = []
        self.among = among
        self._first = np.full(len(rows), -1, np.int16)
        self._for_rivals: RefusalsForRivals | None = None
        self._has_errors: bool | None = None
        self._rejecting: set[str] | None = None

    def merge(self, plugin: AnyPlugin, verdicts: Verdicts, alive: Mask) -> None:
        """Enter the verdicts of the next plugin; `alive` loses the rows that it is the first to reject."""
        assert verdicts.codes is not None
        hit = alive & (verdicts.codes != 0)
        self._first[hit] = len(self.verdicts)
        self.codes[hit] = verdicts.codes[hit]
        self.verdicts.append((plugin, verdicts))
        alive &= ~hit
        self._has_errors = self._rejecting = None

    def refuse_for_rivals(self, refusals: RefusalsForRivals) -> None:
        """Let rows answer with the status of the pass with nominated pods."""
        self._for_rivals = refusals
        self.codes[refusals.rows] = refusals.filters.codes[refusals.at]
        self._has_errors = self._rejecting = None

    @property
    def has_errors(self) -> bool:
        """Whether a filter ended in an error on any row; known from the first time on, as equal pods ask again."""
        if self._has_errors is None:
            self._has_errors = bool((self.codes == Code.ERROR).any())
        return self._has_errors

    def first_rejections(self) -> Iterator[tuple[AnyPlugin, Mask]]:
        """Each plugin that is the first to reject some rows, with these, bool (R,), but for nominated pods."""
        for place, (plugin, _) in enumerate(self.verdicts):
            rejected = self._first == place
            if rejected.any():
                yield plugin, rejected

    @property
    def nbytes(self) -> int:
        """What its arrays take."""
        verdicts = [(found.codes, found.reasons) for _, found in self.verdicts]
        own = array_bytes(self.codes, self.among, self._first, verdicts)
        return own if self._for_rivals is None else own + self._for_rivals.filters.nbytes

    @property
    def feasible(self) -> Mask:
        """Rows that were asked and passed, bool (R,)."""
        return np.asarray((self.codes == 0) & self.among)

    def status_of(self, row: int) -> Status | None:
        """The status kube-scheduler reports for one row: that of the first failing plugin; None if it passes."""
        if self._for_rivals is not None and row in self._for_rivals.place_of:
            return self._for_rivals.filters.status_of(self._for_rivals.place_of[row])
        first = int(self._first[row])
        if first < 0:
            return None
        plugin, verdicts = self.verdicts[first]
        return Status(Code(int(self.codes[row])), verdicts.reasons_of(row), plugin.name)

    def failures_of(self, row: int) -> tuple[Status, ...]:
        """Every plugin that rejects one row, in profile order, for people; complete only if all were asked."""
        own = tuple(
            Status(Code(int(v.codes[row])), v.reasons_of(row), plugin.name)
            for plugin, v in self.verdicts
            if v.codes is not None and v.codes[row]
        )
        if own or self._for_rivals is None or row not in self._for_rivals.place_of:
            return own
        status = self.status_of(row)
        return () if status is None else (status,)

    def details_of(self, row: int, states: Mapping[str, Any]) -> tuple[Detail, ...]:
        """The objects and numbers behind every rejection of one row, from the states of PreFilter by plugin."""
        own = tuple(
            detail
            for plugin, verdicts in self.verdicts
            if verdicts.codes is not None and verdicts.codes[row]
            for detail in self._details(plugin, verdicts, states, np.array([row]))[0]
        )
        return own or (() if self._for_rivals is None else self._for_rivals.details_of(row, states))

    def _details(
        self, plugin: AnyPlugin, verdicts: Verdicts, states: Mapping[str, Any], index: npt.NDArray[np.int64]
    ) -> list[tuple[Detail, ...]]:
        """The details of some rows, positions int64 (k,); a plugin that has no state failed, and has only its text."""
        if plugin.name in states:
            return plugin.details_of(states[plugin.name], self.rows, index)
        reasons = [verdicts.reasons_of(row) for row in index.tolist()]
        return [tuple(Detail(plugin.name, text, text, text) for text in texts) for texts in reasons]

    def alike(self) -> list[bytes]:
        """For each row a key: rows with equal keys have equal statuses and failures."""
        columns: list[npt.NDArray[np.generic]] = [self._first.astype("<i2").view(np.uint8).reshape(-1, 2)]
        apart = np.zeros(len(self.rows), np.int64)  # texts of their own
        if self._for_rivals is not None:
            apart[self._for_rivals.rows] = 1
        for _, verdicts in self.verdicts:
            if verdicts.codes is not None:
                columns.append(verdicts.codes)
            for mask, reason in verdicts.reasons:
                columns.append(mask)
                if not isinstance(reason, str):
                    apart[mask] = 1
        own = np.where(apart, np.arange(1, len(apart) + 1), 0)
        table = np.column_stack([*columns, own.astype("<i8").view(np.uint8).reshape(-1, 8)]).astype(np.uint8)
        size, packed = table.shape[1], table.tobytes()
        return [packed[at : at + size] for at in range(0, len(packed), size)]

    def details_by_plugin(
        self, rows: Mask, states: Mapping[str, Any]
    ) -> dict[str, dict[int, tuple[Detail, ...]]]:
        """AnyPlugin -> row -> the objects and numbers behind its rejection, for some rows, bool (R,).

        Rows with equal details share one tuple. Those rejected by nominated pods alone are not among them.
        """
        found = {}
        for plugin, verdicts in self.verdicts:
            if verdicts.codes is not None:
                index = np.flatnonzero((verdicts.codes != 0) & rows)
                details = self._details(plugin, verdicts, states, index)
                found[plugin.name] = dict(zip(index.tolist(), details, strict=True))
        return found

    def rejecting(self, rows: Mask) -> set[str]:
        """The plugins whose statuses some `rows` (bool (R,)) have: the first failing one of each row."""
        whole = bool(rows.all())
        if whole and self._rejecting is not None:
            return self._rejecting
        plain, crowded = self._apart(rows)
        firsts = np.unique(self._first[plain & (self._first >= 0)]).tolist()
        found = {self.verdicts[first][0].name for first in firsts}
        if self._for_rivals is not None:
            found |= self._for_rivals.filters.rejecting(crowded)
        if whole:
            self._rejecting = found
        return found

    def histogram(self, rows: Mask) -> dict[str, int]:
        """How many of the failed `rows` (bool (R,)) have each reason, counting the first failing plugin only."""
        plain, crowded = self._apart(rows)
        counts = {} if self._for_rivals is None else self._for_rivals.filters.histogram(crowded)
        for position, (_, verdicts) in enumerate(self.verdicts):
            mine = plain & (self._first == position)
            for mask, reason in verdicts.reasons:
                hit = mask & mine
                if isinstance(reason, str):
                    if found := int(np.count_nonzero(hit)):
                        counts[reason] = counts.get(reason, 0) + found
                    continue
                for row in np.flatnonzero(hit).tolist():
                    made = reason(row)
                    counts[made] = counts.get(made, 0) + 1
        return counts

    def _apart(self, rows: Mask) -> tuple[Mask, Mask]:
        """Those of some rows, bool (R,), that answer for themselves; the others among those that have rivals."""
        if self._for_rivals is None:
            return rows, np.zeros(0, bool)
        plain, crowded = rows.copy(), np.zeros(len(self._for_rivals.filters.codes), bool)
        plain[self._for_rivals.rows] = False
        crowded[self._for_rivals.at] = rows[self._for_rivals.rows]
        return plain, crowded

    def error_of(self, row: int) -> str | None:
        """The text with which one row's error fails the whole cycle, None where it has no error."""
        if self.codes[row] != Code.ERROR:
            return None
        status = self.status_of(row)
        assert status is not None
        return f'running "{status.plugin}" filter plugin: {status.message}'


class RefusalsForRivals(Struct, frozen=True, dict=True):
    """Rows that a pod may not have once the pods nominated to them are there.

    Attributes:
        rows: int64 (k,), which.
        filters: the verdicts over all rows with rivals, with these there.
        at: int64 (k,), the places of the refused rows among those.
        rivals: int64 (depth, rows with rivals), ids of these pods, -1 for none.
    """

    rows: npt.NDArray[np.int64]
    filters: FilterPhase
    at: npt.NDArray[np.int64]
    rivals: npt.NDArray[np.int64]

    @cached_property
    def place_of(self) -> dict[int, int]:
        """Row -> its place in `filters`."""
        return dict(zip(self.rows.tolist(), self.at.tolist(), strict=True))

    def details_of(self, row: int, states: Mapping[str, Any]) -> tuple[Detail, ...]:
        """Like those of any row; texts tell of the nominated pods, without which the figures make no sense."""
        place = self.place_of.get(row)
        if place is None:
            return ()
        records = self.filters.rows.cluster.pods.records
        pods = [records[pod] for pod in self.rivals[:, place].tolist() if pod >= 0]
        names, verb = " and ".join(pod.full_name for pod in pods), "are" if pods[1:] else "is"
        return tuple(
            Detail(detail.plugin, detail.reason, text, text)
            for detail in self.filters.details_of(place, states)
            for text in [f"{detail.text}, once {names}, nominated to it, {verb} there"]
        )
