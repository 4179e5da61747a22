"""The contract between the runner and the plugins.

A plugin is written once, over all nodes at a time. The runner asks for its state once per equivalence class of
pods, hands it *rows* (real nodes, or hypothetical ones with pods added or removed), stamps its name on what it
says, applies weights and merges. A plugin never looks at the cluster's own node columns in `filter`, only at the
rows it is given: that is what makes preemption and every what-if possible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.framework.cluster_event import Interest
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.placement import GroupChange, GroupScope, Placement, PlacementTrial
from kschedctl.framework.plugin_spec import PluginSpec
from kschedctl.framework.status import Background, Detail, Status
from kschedctl.framework.verdicts import PASS, Mask, Verdicts

if TYPE_CHECKING:
    from kschedctl.cluster.pods import PodRecord
    from kschedctl.cluster.rows import Rows
    from kschedctl.cluster.state import ClusterState
    from kschedctl.framework.versions import Facts, FeatureGates

Scores = npt.NDArray[np.int64]

FilterState = TypeVar("FilterState")
"""What PreFilter of a plugin leaves for its Filter."""
ScoreState = TypeVar("ScoreState")
"""What PreScore of a plugin leaves for its Score."""


class NoState(Enum):
    """Stands for the state that nobody made."""

    STATE = auto()


MISSING: Final = NoState.STATE
"""The state of a plugin whose PreFilter or PreScore was never run for this pod."""


class PluginContext(Struct, frozen=True):
    """What a plugin may know beside the cluster: its arguments, the rules of the version, and the gates."""

    facts: Facts
    gates: FeatureGates
    args: Any
    """The typed arguments of the plugin (`framework.configuration`), defaults applied; None where it has none."""
    points: frozenset[ExtensionPoint] = frozenset(ExtensionPoint)
    """The extension points at which the profile runs the plugin, as far as it has them."""


class PreFilterResult(Struct, Generic[FilterState], frozen=True):
    """What PreFilter says of the pod as a whole (spec 01 §5.2)."""

    state: FilterState | None = None
    """Handed to `filter`, `change` and `details`; read-only after this."""
    skip: bool = False
    """The plugin has nothing to say: its Filter and its row hooks are off for this pod."""
    for_good: bool = False
    """It skips equal pods whatever pods there are, as long as nodes and other objects stay, and no pods come with
    inter-pod affinity terms that none had before."""
    status: Status | None = None
    """A rejection or an error of the pod, on all nodes."""
    nodes: frozenset[str] | None = None
    """The only nodes that can match, None for all."""


class PreScoreResult(Struct, Generic[ScoreState], frozen=True):
    """What PreScore says of the pod and the feasible nodes."""

    state: ScoreState | None = None
    skip: bool = False
    """The plugin has no column in the score table."""
    for_good: bool = False
    """The same, whichever nodes pass."""
    status: Status | None = None
    """An error that fails the cycle."""
    reads_devices: bool = False
    """The scores count devices in use: they change with claims, which no row tells of."""
    counts_nodes: bool = False
    """The scores of a node depend on which other nodes there are."""


class PermitResult(Struct, frozen=True):
    """What Permit says of a pod that has a node reserved, and of others that wait for the same plugin.

    Attributes:
        status: a rejection or an error; None: the pod may go on, or waits.
        wait: for how many seconds at most the pod waits; None: it does not. kube-scheduler waits 15 minutes at most.
        reason: why it waits.
        lets_go: ids of waiting pods that the plugin keeps no longer.
        turns_away: ids of waiting pods that it rejects.
        activates: ids of pods that are to be tried at once, whatever they wait for in the queue.
        gives_up_with: ids of waiting pods: it waits no longer than the first of them.
    """

    status: Status | None = None
    wait: float | None = None
    reason: str = ""
    lets_go: tuple[int, ...] = ()
    turns_away: tuple[int, ...] = ()
    activates: tuple[int, ...] = ()
    gives_up_with: tuple[int, ...] = ()


PERMITTED: Final = PermitResult()
"""The pod may go on."""


class RowState(Protocol):
    """What a plugin with row hooks keeps for each hypothetical row."""

    def take(self, at: npt.NDArray[np.int64]) -> RowState:
        """An independent copy for some of the rows, positions int64 (k,)."""


class Plugin(Generic[FilterState, ScoreState]):
    """Base of all plugins: every extension point with the answer of a plugin that does nothing there.

    Which points a plugin really has is told by its spec; the runner calls no others.
    """

    spec: ClassVar[PluginSpec]
    """The plugin as data."""

    def __init__(self, context: PluginContext) -> None:
        self.context = context
        self.name: str = self.spec.name
        self.score_state_missing = self.spec.score_state_missing
        """That of the spec, unless it hangs on the profile."""

    def pre_enqueue(self, pod: PodRecord, cluster: ClusterState) -> str | None:
        """The text with which the pod is kept out of the queue, or None. Called once per pod, before all else."""
        return None

    def queue_order(self, pod: PodRecord, cluster: ClusterState) -> tuple[Any, ...]:
        """What QueueSort sorts by: the smallest value comes first, of equal ones the pod that came first."""
        raise NotImplementedError(f"{self.name} sorts no queue")

    def signature(self, pod: PodRecord, cluster: ClusterState) -> Mapping[str, object] | None:
        """What the plugin reads of a pod, by name: pods with equal values can share scores. None: no pod can."""
        return None

    def interests(self) -> tuple[Interest, ...]:
        """The events that may make a pod schedulable which this plugin rejected or keeps out of the queue."""
        return ()

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult[FilterState]:
        """Build the state for this pod; skip, reject, or narrow the node set. May read the whole cluster."""
        return PreFilterResult()

    def filter(self, state: FilterState, rows: Rows) -> Verdicts:
        """The verdict for each of the R rows.

        `rows.wanted` (bool (R,) or None for all) marks the rows whose verdict somebody reads: a search may leave
        out the others, a mask need not look at it. `rows.undecided` (likewise) marks the rows that kube-scheduler
        would ask this plugin about, which no earlier filter rejected: the others are asked for people alone, and
        what a plugin notes for later points must not come from them.
        """
        return PASS

    def row_state(self, state: FilterState, rows: Rows) -> RowState | None:
        """A fresh per-row state for hypothetical rows before any change (spec 01 §9.2, §5.5)."""
        return None

    def change(
        self, state: FilterState, row_state: RowState, rows: Rows, pods: npt.NDArray[np.int64], sign: int
    ) -> None:
        """AddPod (sign +1) or RemovePod (-1) on many rows at once, called after the rows' own columns changed.

        Args:
            state: from `pre_filter`.
            row_state: from `row_state`; changed in place.
            rows: the hypothetical rows.
            pods: int64 (R,), a pod's id per row, -1 where nothing changes on the row.
            sign: +1 or -1.
        """

    def post_filter(
        self, pod: PodRecord, state: FilterState | NoState, cluster: ClusterState
    ) -> Status | None:
        """The answer of PostFilter plugins other than DefaultPreemption; None where the plugin has none.

        `state` is MISSING where another plugin ended PreFilter before this one's was run.
        """
        return None

    def carry_out(self, pod: PodRecord, state: FilterState | NoState, cluster: ClusterState) -> bool:
        """Do to the cluster what `post_filter` decided, in its journal; whether the pod may fare better now."""
        return False

    def pre_score(
        self, pod: PodRecord, cluster: ClusterState, feasible: npt.NDArray[np.int64]
    ) -> PreScoreResult[ScoreState]:
        """Build the state for scoring. `feasible`: int64 (F,), rows of the nodes that passed."""
        return PreScoreResult()

    def score(self, state: ScoreState, rows: Rows) -> Scores | Status:
        """Raw score of each of the R rows, int64 (R,), or an error that fails the cycle."""
        raise NotImplementedError(f"{self.name} has no Score")

    def normalize(self, state: ScoreState, scores: Scores, feasible: npt.NDArray[np.int64]) -> Scores:
        """Turn raw scores of the feasible nodes, int64 (F,), into 0..100 over these nodes."""
        return scores

    def reserve(self, pod: PodRecord, state: FilterState, cluster: ClusterState, row: int) -> Status | None:
        """Take what the pod uses beyond its place on the node; recorded in the cluster's journal to be undone."""
        return None

    def reserve_unfiltered(self, pod: PodRecord, state: FilterState) -> Status | None:
        """What Reserve says of a node that Filter was not asked about, since an extender made it up."""
        return None

    def unreserve(self, pod: PodRecord, state: FilterState, cluster: ClusterState, row: int) -> None:
        """Give back what `reserve` and `pre_bind` took, of a pod that waited and does not get the node after all.

        Not called where the cycle itself fails: then the journal takes everything back.
        """

    def permit(
        self,
        pod: PodRecord,
        state: FilterState,
        cluster: ClusterState,
        row: int,
        waiting: Sequence[PodRecord],
    ) -> PermitResult:
        """Whether a pod with a reserved node is bound now, waits, or is rejected.

        Args:
            pod: it is on the node already, as far as the cluster tells.
            state: from `pre_filter`.
            cluster: the cluster; pods that wait are on their nodes, too.
            row: the node.
            waiting: pods that wait for this plugin, in order. Where pods are not followed in time nobody waits: a pod
                that would is let go.
        """
        return PERMITTED

    def pre_bind(self, pod: PodRecord, state: FilterState, cluster: ClusterState, row: int) -> Status | None:
        """Write what `reserve` took to the cluster; as `reserve` for the rest."""
        return None

    def group_post_filter(
        self, group: GroupScope, members: Sequence[tuple[PodRecord, Any]], cluster: ClusterState
    ) -> GroupChange | None:
        """The answer of plugins other than DefaultPreemption for a group that fits nowhere; None: nothing to say.

        Args:
            group: the topmost group.
            members: those that were evaluated, with the plugin's state, MISSING where PreFilter ended before.
            cluster: the cluster as before the cycle.
        """
        return None

    def generate_placements(
        self, group: GroupScope, cluster: ClusterState, rows: npt.NDArray[np.int64]
    ) -> tuple[Placement, ...] | Status:
        """The sets of nodes on which a group is tried, by name, or the error with which its cycle ends.

        Args:
            group: the group.
            cluster: the cluster.
            rows: int64 (n,), the nodes that it may use at all, in snapshot order.
        """
        return (Placement("", rows),)

    def score_placement(self, trial: PlacementTrial, cluster: ClusterState) -> int:
        """Raw score of a placement that the group could have; the cluster is as before the cycle."""
        raise NotImplementedError(f"{self.name} scores no placements")

    def normalize_placements(self, scores: Scores) -> Scores | Status:
        """Turn raw scores of all placements, int64 (P,), into 0..100, or the error with which the cycle ends."""
        return scores

    def works_before_binding(self, state: FilterState | None) -> bool:
        """Whether PreBind has something to write for a pod with this state."""
        return False

    def details(self, state: FilterState, rows: Rows, row: int) -> tuple[Detail, ...]:
        """Why `filter` refuses this one row, for people. Called only for rows that somebody prints."""
        return ()

    def details_of(
        self, state: FilterState, rows: Rows, index: npt.NDArray[np.int64]
    ) -> list[tuple[Detail, ...]]:
        """`details` of many rows, positions int64 (k,); rows with equal details share one tuple."""
        shared: dict[tuple[Detail, ...], tuple[Detail, ...]] = {}
        found = [self.details(state, rows, row) for row in index.tolist()]
        return [shared.setdefault(details, details) for details in found]

    def background(
        self,
        pod: PodRecord,
        cluster: ClusterState,
        state: FilterState | None,
        feasible: npt.NDArray[np.int64] | None,
    ) -> tuple[Background, ...]:
        """What the answers for all nodes rest on, for people; asked once per decision that somebody prints.

        Args:
            pod: the candidate.
            cluster: the cluster as it was decided in.
            state: from `pre_filter`; None where the plugin skipped or PreFilter was not run.
            feasible: int64 (F,), rows that were scored; None where nothing was scored.
        """
        return ()

    def score_gap(
        self, pod: PodRecord, cluster: ClusterState, feasible: npt.NDArray[np.int64], row: int, other: int
    ) -> str:
        """What makes the scores of two nodes differ, for people; empty where there are no words for it.

        Args:
            pod: the candidate.
            cluster: the cluster as it was decided in.
            feasible: int64 (F,), rows that were scored.
            row: the row of the selected node.
            other: that of the next best.
        """
        return ""

    def advice(self, pod: PodRecord, cluster: ClusterState) -> str | None:
        """What a person can do about a pod that `pre_filter` refuses on all nodes; None: nothing to say."""
        return None


AnyPlugin = Plugin[Any, Any]
"""A plugin of whatever states: those who run plugins hand on what they get."""


def select(mask: Mask, wanted: Mask | None) -> npt.NDArray[np.int64]:
    """Rows of `mask` that are wanted, int64, for filters that search row by row."""
    chosen = mask if wanted is None else mask & wanted
    return np.flatnonzero(chosen).astype(np.int64)
