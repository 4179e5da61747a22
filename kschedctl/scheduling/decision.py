"""The decision for one pod, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import force_setattr, replace

from kschedctl.errors import StaleDecisionError
from kschedctl.extenders.chain import EXTENDER, Passed
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.filter_phase import FilterPhase
from kschedctl.framework.runtime import Framework, PreFilterPhase
from kschedctl.framework.scoring import ScorePhase
from kschedctl.framework.status import Background, Code, Detail, Status
from kschedctl.objects.fault import Fault
from kschedctl.preemption.result import PreemptionResult
from kschedctl.scheduling.evaluation import Evaluation
from kschedctl.scheduling.group_answer import GroupAnswer

if TYPE_CHECKING:
    from kschedctl.cluster.pods import PodRecord
    from kschedctl.cluster.state import ClusterState


LEFT_OUT: Final = "left out without a reason"
"""What people are told of a node that an extender does not send back."""


class Outcome(StrEnum):
    """How the decision for a pod ends."""

    SCHEDULED = "Scheduled"
    UNSCHEDULABLE = "Unschedulable"
    GATED = "Gated"
    """PreEnqueue keeps the pod out of the queue."""
    ERROR = "Error"
    """A plugin failed; the pod is not judged further."""
    INVALID = "Invalid"
    """The API server would refuse the pod."""
    NO_PROFILE = "NoProfile"
    """No profile handles the pod's schedulerName."""
    TERMINATING = "Terminating"
    """The pod is being deleted and is not scheduled."""


class Decision(Struct, frozen=True):
    """What kube-scheduler would decide for one pod.

    Texts per node are made when asked for, from the state of the cluster: once it has changed, reading them raises
    `StaleDecisionError`, until the change is undone.

    Attributes:
        pod: the candidate.
        cluster: the cluster it was decided in.
        outcome: how it ends.
        message: why it was gated, refused, or failed with an error.
        framework: the profile that decided, None where none did.
        evaluation: what the plugins said; pods that are equal may share it. None where they were not asked.
        examined: bool (N,), nodes with a verdict of their own: all, or fewer with sampling or a narrowed set.
        feasible: int64 (F,), rows of the nodes that passed, in the order of the search. Extenders may name nodes that
            the cluster does not have; their rows follow those of its nodes, see `names`.
        scores: the score table over `feasible`.
        tied: int64 (T,), rows with the highest total, in any order; one that an extender sent twice is there twice.
            None where nothing was chosen, or where the leaders of the evaluation tell.
        selected: the row that is taken.
        evaluated: how many nodes were looked at.
        event: the message of the FailedScheduling event.
        preemption: what DefaultPreemption says; None where it was not asked.
        group: what becomes of the group with which the pod is scheduled; None for a pod of none.
        by_extenders: what extenders say of nodes, in place of the filters; None where none was asked.
        keeps_nomination: whether the pod, having failed, stays nominated to the node it was nominated to.
        fault: the fault of kube-scheduler that made the decision end in an error; None: there is none.
        revision: number of the state of the cluster that it was decided in.
    """

    pod: PodRecord
    cluster: ClusterState
    outcome: Outcome
    message: str = ""
    framework: Framework | None = None
    evaluation: Evaluation | None = None
    examined: npt.NDArray[np.bool_] | None = None
    feasible: npt.NDArray[np.int64] | None = None
    scores: ScorePhase | None = None
    tied: npt.NDArray[np.int64] | None = None
    selected: int | None = None
    evaluated: int = 0
    event: str = ""
    preemption: PreemptionResult | None = None
    keeps_nomination: bool = False
    group: GroupAnswer | None = None
    by_extenders: Passed | None = None
    fault: Fault | None = None
    revision: int = -1

    def __post_init__(self) -> None:
        if self.revision < 0:
            force_setattr(self, "revision", self.cluster.journal.revision)

    def with_(self, **changes: Any) -> Decision:
        """The decision with other attributes, as of the cluster's state now."""
        return replace(self, **{"revision": -1, **changes})

    def check_readable(self) -> None:
        """See that the cluster is as it was decided in.

        Raises:
            StaleDecisionError: it has changed, and texts made from it would be about another cluster.
        """
        if self.revision != self.cluster.journal.revision:
            raise StaleDecisionError(
                f"the cluster has changed since the decision for {self.pod.full_name}: what is told of nodes would "
                "be of another cluster",
                hint="Read it before the cluster changes, or undo the changes.",
            )

    @property
    def phase(self) -> PreFilterPhase | None:
        """What PreFilter left."""
        return None if self.evaluation is None else self.evaluation.phase

    @property
    def pre_filter(self) -> Status | None:
        """The status with which PreFilter rejected the pod."""
        if self.evaluation is None or self.outcome is not Outcome.UNSCHEDULABLE:
            return None
        return self.evaluation.phase.status

    @property
    def absent(self) -> Status | None:
        """The status of every node that has none of its own."""
        return None if self.evaluation is None or self.examined is None else self.evaluation.absent

    @property
    def filters(self) -> FilterPhase | None:
        """The verdicts of all nodes."""
        return None if self.evaluation is None else self.evaluation.filters

    @property
    def ties(self) -> tuple[int, ...]:
        """Rows with the highest total, sorted by name."""
        names, tied = self.names, self.tied
        if tied is None and self.selected is not None and self.evaluation and self.evaluation.leaders:
            self.check_readable()
            tied = self.evaluation.leaders.tied
        return () if tied is None else tuple(sorted(set(tied.tolist()), key=lambda row: names[row]))

    @property
    def names(self) -> list[str]:
        """Names of nodes by row: those of the cluster, and after them those that extenders made up."""
        names = self.cluster.nodes.names
        return names if not self.made_up else [*names, *self.made_up]

    @property
    def made_up(self) -> Mapping[str, str]:
        """Name of a feasible node that the cluster does not have -> the extender that named it."""
        return {} if self.by_extenders is None else self.by_extenders.made_up

    @property
    def takes_made_up(self) -> bool:
        """Whether the node that is taken is one that the cluster does not have."""
        return self.selected is not None and self.selected_node in self.made_up

    @property
    def selected_node(self) -> str | None:
        """Name of the node that is taken."""
        return None if self.selected is None else self.names[self.selected]

    @property
    def makes_room(self) -> bool:
        """Whether preemption makes room for the pod on a node."""
        return self.preemption is not None and self.preemption.nominated is not None

    @property
    def rejectors(self) -> frozenset[str]:
        """The plugins that rejected the pod somewhere: their hints say later what may help it (spec 01 §8.3)."""
        found: set[str] = set()
        if self.phase is not None:
            found |= self.phase.narrowed_by
        if self.pre_filter is not None and self.pre_filter.plugin:
            # Whoever ends PreFilter for good is the only one to blame.
            ends = self.pre_filter.code is Code.UNRESOLVABLE
            found = {self.pre_filter.plugin} if ends else found | {self.pre_filter.plugin}
        if self.filters is not None and self.examined is not None:
            found |= self.filters.rejecting(self.examined)
        if self.by_extenders is not None and self.by_extenders.changed:
            found.add(EXTENDER)
        return frozenset(found)

    def status_of(self, row: int) -> Status | None:
        """What kube-scheduler reports for a node: its own status, else that of the absent ones; None: feasible."""
        self.check_readable()
        if self.by_extenders is not None:
            status = self.by_extenders.statuses.get(self.cluster.nodes.names[row])
            if status is not None:
                return Status(status.code, status.reasons)  # kube-scheduler names no plugin
        if self.filters is not None and self.examined is not None and self.examined[row]:
            return self.filters.status_of(row)
        return self.pre_filter or self.absent

    def refusal_by_extender(self, row: int) -> Status | None:
        """Why an extender does not leave a node, for people: its URL as the plugin; None: it is not to blame."""
        if self.by_extenders is None:
            return None
        name = self.cluster.nodes.names[row]
        url = self.by_extenders.left_out.get(name)
        silent = None if url is None else Status(Code.UNRESOLVABLE, (LEFT_OUT,), url)
        return self.by_extenders.statuses.get(name, silent)

    def failures_of(self, row: int) -> tuple[Status, ...]:
        """Every plugin that rejects a node, in profile order."""
        self.check_readable()
        if status := self.refusal_by_extender(row):
            return (status,)
        if self.filters is not None and self.examined is not None and self.examined[row]:
            return self.filters.failures_of(row)
        rest = self.pre_filter or self.absent
        return (rest,) if rest else ()

    def details_of(self, row: int) -> tuple[Detail, ...]:
        """The objects and numbers behind every rejection of a node."""
        self.check_readable()
        if (
            self.filters is None
            or self.framework is None
            or self.phase is None
            or self.refusal_by_extender(row)
        ):
            return ()
        return self.filters.details_of(row, self.phase.states)

    def advice(self) -> str | None:
        """What a person can do about a refusal on all nodes, where a plugin knows."""
        self.check_readable()
        if self.pre_filter is None or self.framework is None:
            return None
        refusing = (
            p for p in self.framework.at(ExtensionPoint.PRE_FILTER) if p.name == self.pre_filter.plugin
        )
        return next((plugin.advice(self.pod, self.cluster) for plugin in refusing), None)

    def background(self) -> tuple[Background, ...]:
        """What the answers of the plugins rest on, for people; empty where filters were not run."""
        self.check_readable()
        if self.filters is None or self.framework is None or self.phase is None:
            return ()
        scored = None if self.scores is None else self.scores.feasible
        if scored is not None:
            scored = scored[scored < self.cluster.nodes.count]
        points = (ExtensionPoint.FILTER, ExtensionPoint.SCORE)
        plugins = dict.fromkeys(plugin for point in points for plugin in self.framework.at(point))
        found: list[Background] = []
        for plugin in plugins:
            state = None if plugin.name in self.phase.skipped else self.phase.states.get(plugin.name)
            found += plugin.background(self.pod, self.cluster, state, scored)
        return tuple(found)
