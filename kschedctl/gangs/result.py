"""What the cycle of a group found, as values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from kschedctl.cluster.pods import PodRecord
from kschedctl.framework.fit_error import fit_error
from kschedctl.framework.placement import Placement
from kschedctl.framework.status import Code, Status
from kschedctl.gangs.group import Group
from kschedctl.gangs.status import GroupStatus
from kschedctl.scheduling.decision import Decision, Outcome


class MemberAttempt(Struct, frozen=True, eq=False):
    """One member on the nodes of one placement.

    Attributes:
        decision: what its cycle decided.
        placed: where the following members see it; None: nowhere.
        preempts: it stands where its own preemption makes room.
        refused: with what Reserve refused the node that was found.
        permit: why Permit lets it wait, empty where it does not.
        inspected: what the caller made of the decision for a member that fits nowhere.
    """

    decision: Decision
    placed: int | None = None
    preempts: bool = False
    refused: Status | None = None
    permit: str = ""
    inspected: Any = None

    @property
    def pod(self) -> PodRecord:
        """The member."""
        return self.decision.pod

    @property
    def fits(self) -> bool:
        """Whether it found a node without evicting anybody."""
        return self.placed is not None and not self.preempts

    @property
    def code(self) -> Code:
        """How the member itself fares."""
        if self.fits:
            return Code.SUCCESS
        if self.refused is not None:
            return Code.ERROR if self.refused.code is Code.ERROR else Code.UNSCHEDULABLE
        return Code.ERROR if self.decision.outcome is Outcome.ERROR else Code.UNSCHEDULABLE

    @property
    def text(self) -> str:
        """Its own failure."""
        if self.refused is None:
            return self.decision.event or self.decision.message
        if self.refused.code is Code.ERROR:
            return self.refused.message
        return fit_error(1, dict.fromkeys(self.refused.reasons, 1))


class PlacementResult(Struct, frozen=True, eq=False):
    """One placement that was tried.

    Attributes:
        placement: the nodes.
        feasible: the group could have it.
        message: the status of the group there.
        scores: plugin -> weighted score; None where only one placement was feasible.
        total: their sum.
    """

    placement: Placement
    feasible: bool
    message: str
    scores: Mapping[str, int] | None = None
    total: int | None = None


class GroupResult(Struct, eq=False):
    """What the algorithm found for one group.

    Attributes:
        group: the group.
        status: how it ends.
        attempts: the members that were evaluated, in order: all of them or the first ones.
        waits: it could be placed once victims of its members are gone.
        any_placed: some member found a node in this cycle.
        chosen: the placement that is taken, where placements were tried and one was feasible.
        placements: those that were tried.
    """

    group: Group
    status: GroupStatus
    attempts: list[MemberAttempt] = field(default_factory=list)
    waits: bool = False
    any_placed: bool = False
    chosen: Placement | None = None
    placements: list[PlacementResult] = field(default_factory=list)

    @property
    def feasible(self) -> bool:
        """Whether the group can be placed here, at once or after its members' preemptions."""
        return self.status.succeeded or self.waits

    @property
    def assigned(self) -> list[MemberAttempt]:
        """The members that have a place, in order."""
        return [attempt for attempt in self.attempts if attempt.placed is not None]
