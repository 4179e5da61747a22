"""What the cycle of a group means for the group and its members, as values (spec 07 §8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from kschedctl.cluster.group_members import GroupMembers
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.runtime import Framework
from kschedctl.gangs.group import Group
from kschedctl.gangs.result import MemberAttempt, PlacementResult
from kschedctl.plugins.gang_scheduling import GangScheduling


class GroupOutcome(StrEnum):
    """How the cycle ends for a group."""

    SCHEDULED = "Scheduled"
    UNSCHEDULABLE = "Unschedulable"
    WAITING = "WaitingForPreemption"
    """It could be placed once victims are gone."""
    ERROR = "Error"
    GATED = "Gated"
    """It has no cycle: PreEnqueue keeps it, or a member of it, out of the queue."""


class MemberDecision(Struct, frozen=True, eq=False):
    """What becomes of one member.

    Attributes:
        pod: the member.
        attempt: its evaluation; None where it was not evaluated.
        selected: the row that it is bound to, None for none.
        text: the failure text, empty for a member that is bound.
        own: the text is that of its own evaluation, not of the group.
        error: the failure is an error.
        nomination: the node that it is nominated to from now on, empty for none; None: as before.
    """

    pod: PodRecord
    attempt: MemberAttempt | None
    selected: int | None = None
    text: str = ""
    own: bool = False
    error: bool = False
    nomination: str | None = None


class GroupCondition(Struct, frozen=True):
    """The condition that tells whether a group was scheduled."""

    status: str
    reason: str
    message: str


class GroupVerdict(Struct, frozen=True, eq=False):
    """What the cycle says of one group.

    Attributes:
        group: the group.
        outcome: how it ends.
        message: the text of its status.
        condition: what its status is to say; None for composite groups, and where nothing is written.
        placement: name of the placement that is taken; empty for none, or one without a name.
        placements: those that were tried, in order.
        members: in the order of evaluation.
    """

    group: Group
    outcome: GroupOutcome
    message: str
    condition: GroupCondition | None = None
    placement: str = ""
    placements: Sequence[PlacementResult] = ()
    members: tuple[MemberDecision, ...] = ()


class GroupDecision(Struct, frozen=True, eq=False):
    """What kube-scheduler would do with the entity that was taken from the queue.

    Attributes:
        root: the group that was tried.
        cluster: the cluster it was decided in.
        framework: the profile that decided; None where validation ended the cycle.
        verdicts: of the root, then of composite groups, then of leaves, each by name.
        preemption: what preemption for the group said; None where it did not run.
        victims: ids of all pods that have to go, in no order that matters.
        carry_out: does what was decided beside placing and evicting, such as freeing claims, in the journal.
    """

    root: Group
    cluster: ClusterState
    framework: Framework | None
    verdicts: tuple[GroupVerdict, ...]
    preemption: str | None = None
    victims: tuple[int, ...] = ()
    carry_out: Callable[[], None] | None = None

    @property
    def verdict(self) -> GroupVerdict:
        """That of the root."""
        return self.verdicts[0]

    def waits_on_permit(self, group: Group) -> bool:
        """Whether Permit keeps a member waiting that has just been placed, since too few are."""
        gangs = self.framework is not None and self.framework.has(GangScheduling.spec.name)
        minimum = group.minimum if gangs else None
        return minimum is not None and len(GroupMembers.of(self.cluster).scheduled(group.key)) < minimum

    def members(self) -> Iterator[MemberDecision]:
        """All members, group by group."""
        for verdict in self.verdicts:
            yield from verdict.members
