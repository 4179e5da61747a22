"""What the framework and people have to know of a plugin before it is asked anything: told once, beside its code."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from msgspec import Struct

from kschedctl.framework.extension_points import Points

if TYPE_CHECKING:
    from kschedctl.framework.configuration.args import PluginArgs


class Reads(Enum):
    """What a plugin's answer for a pod depends on, from what changes least to what changes most."""

    NODES = auto()
    """Nodes as such: nothing that pods do changes the answer."""
    USAGE = auto()
    """What pods on the row use together, and what its node offers: `Rows.requested`, `non_zero`, `pod_count`,
    `allocatable` and `allowed_pods`. Rows on which these are the same get the same answer."""
    ROW = auto()
    """The pods on the row: an assume changes the answer for that row alone."""
    PODS = auto()
    """Pods on any node, through `ClusterState.counts`: the state is built anew, which is cheap."""
    ANYTHING = auto()
    """More than pods and nodes (claims, devices): the answer is never kept."""


class PluginSpec(Struct, frozen=True, kw_only=True):
    """A plugin as data. Its place in the default list and its weight are facts of a version (`versions`).

    Attributes:
        name: the upstream name.
        points: the extension points that it has in some version; versions say what they lack.
        args: the type of its arguments, None where it takes none.
        reads: what verdicts and raw scores depend on beside the pod: tells what has to be asked again after an
            assume.
        ignores_pods: whether it goes by no pod on any node although it reads more than nodes.
        narrows_to: what stands before the nodes to which its PreFilter narrows; empty: a text with its name.
        keeps_scores: whether `normalize` gives back the raw scores as they are.
        has_row_state: whether it counts pods beyond the row's own columns, by `row_state` and `change`.
        judges_deferred_pods: whether it is asked about a running pod whose resize was put off, and which stays where
            it is (spec 06 §4.4).
        filter_state_missing: error text of Filter, Reserve and PreBind where PreFilter is disabled in the profile;
            None: they work.
        score_state_missing: error text of Score where PreScore is disabled in the profile; None: Score works by
            itself.
        score_title: what stands over the column of its scores; empty: its name.
    """

    name: str
    points: Points
    args: type[PluginArgs] | None = None
    reads: Reads = Reads.ANYTHING
    ignores_pods: bool = False
    narrows_to: str = ""
    keeps_scores: bool = True
    has_row_state: bool = False
    judges_deferred_pods: bool = False
    filter_state_missing: str | None = None
    score_state_missing: str | None = None
    score_title: str = ""

    @property
    def refuses_for_pods(self) -> bool:
        """Whether a refusal may be for pods on nodes, so that it ends when they leave."""
        return self.reads is not Reads.NODES and not self.ignores_pods
