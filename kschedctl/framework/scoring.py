"""PreScore, Score, normalisation, weights and totals (spec 01 §5.8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from kschedctl.cluster.rows import Rows
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import AnyPlugin
from kschedctl.framework.status import Status
from kschedctl.objects.fault import Fault

if TYPE_CHECKING:
    from kschedctl.cluster.pods import PodRecord
    from kschedctl.cluster.state import ClusterState
    from kschedctl.framework.runtime import Framework

Ints = npt.NDArray[np.int64]

MAX_SCORE = 100


class ScoreColumn(Struct, frozen=True):
    """One plugin's scores of the F feasible nodes.

    Attributes:
        plugin: its name.
        weight: its weight in the profile.
        raw: int64 (F,), as the plugin gave them.
        normalized: int64 (F,), 0..100.
        scored: bool (F,), the nodes that have a score; None for all. An extender may leave some out.
    """

    plugin: str
    weight: int
    raw: Ints
    normalized: Ints
    scored: npt.NDArray[np.bool_] | None = None

    @property
    def weighted(self) -> Ints:
        """What counts in the total, int64 (F,)."""
        return self.normalized * self.weight


class ScorePhase(Struct, frozen=True, dict=True):
    """The score table.

    Attributes:
        feasible: int64 (F,), node rows in the order of the search.
        columns: in profile order; a plugin that had nothing to say has none.
        totals: int64 (F,).
        error: the text that fails the cycle, or None.
        fault: the fault of kube-scheduler that makes it fail.
    """

    feasible: Ints
    columns: tuple[ScoreColumn, ...]
    totals: Ints
    error: str | None = None
    fault: Fault | None = None

    @cached_property
    def best(self) -> Ints:
        """Positions of the nodes with the highest total, int64 (T,)."""
        return np.flatnonzero(self.totals == self.totals.max())

    def with_columns(self, columns: Sequence[ScoreColumn]) -> ScorePhase:
        """The table with more columns, which count in the totals."""
        more = sum((column.weighted for column in columns), np.zeros(len(self.feasible), np.int64))
        return replace(self, columns=(*self.columns, *columns), totals=self.totals + more)


def run_scores(
    framework: Framework,
    pod: PodRecord,
    cluster: ClusterState,
    feasible: Ints,
    *,
    known: Mapping[str, Ints] | None = None,
    rows_of: Callable[[ClusterState, Ints], Rows] = Rows,
) -> ScorePhase:
    """Score the feasible nodes.

    Args:
        framework: the profile.
        pod: the candidate.
        cluster: the cluster.
        feasible: int64 (F,), their rows.
        known: plugin -> raw scores of all but the last node, int64 (F - 1,), to be taken instead of new ones; 0
            where a plugin is missing.
        rows_of: what plugins see of the nodes.
    """
    states: dict[str, Any] = {}
    skipped: set[str] = set()
    for plugin in framework.at(ExtensionPoint.PRE_SCORE):
        result = plugin.pre_score(pod, cluster, feasible)
        if result.status is not None:
            return _failed(feasible, f'running PreScore plugin "{plugin.name}": {result.status.message}')
        states[plugin.name] = result.state
        if result.skip:
            skipped.add(plugin.name)
    columns: list[ScoreColumn] = []
    totals = np.zeros(len(feasible), np.int64)
    rows = rows_of(cluster, feasible)
    for plugin in framework.at(ExtensionPoint.SCORE):
        if plugin.name in skipped:
            continue
        if plugin.name not in states:
            if plugin.score_state_missing is not None:
                text = f'plugin "{plugin.name}" failed with: {plugin.score_state_missing}'
                return _failed(feasible, f"running Score plugins: {text}")
            states[plugin.name] = plugin.pre_score(pod, cluster, feasible).state
        state = states[plugin.name]
        raw = plugin.score(state, rows)
        if isinstance(raw, Status):
            text = f'plugin "{plugin.name}" failed with: {raw.message}'
            return replace(_failed(feasible, f"running Score plugins: {text}"), fault=raw.fault)
        if known is not None:
            raw = np.append(known.get(plugin.name, np.zeros(len(raw) - 1, np.int64)), raw[-1:])
        weight = framework.profile.weight(plugin.name)
        column = ScoreColumn(plugin.name, weight, raw, plugin.normalize(state, raw, rows.index))
        if (bad := _out_of_range(column)) is not None:
            return _failed(feasible, bad)
        columns.append(column)
        totals += column.weighted
    return ScorePhase(feasible, tuple(columns), totals)


def sure_scores(plugin: AnyPlugin, state: Any, rows: Rows) -> Ints:
    """Raw scores, int64 (R,), of a plugin that cannot fail for this pod."""
    raw = plugin.score(state, rows)
    assert not isinstance(raw, Status), f"{plugin.name} failed: {raw}"
    return raw


def _out_of_range(column: ScoreColumn) -> str | None:
    bad = np.flatnonzero((column.normalized < 0) | (column.normalized > MAX_SCORE))
    if not len(bad):
        return None
    return (
        f'applying score defaultWeights on Score plugins: plugin "{column.plugin}" returns an invalid score '
        f"{int(column.normalized[bad[0]])}, it should in the range of [0, 100] after normalizing"
    )


def _failed(feasible: Ints, text: str) -> ScorePhase:
    return ScorePhase(feasible, (), np.zeros(len(feasible), np.int64), text)
