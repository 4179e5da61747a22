"""What becomes of a group of pods, as plain values that outlive the cluster that it was decided in."""

from __future__ import annotations

from msgspec import Struct


class MemberAnswer(Struct, frozen=True):
    """One waiting member.

    Attributes:
        pod: full name.
        group: full name of the group that it is in, which may stand below a composite one.
        node: where it is placed, or would have been; None: nowhere.
        bound: whether it is placed, and not given up with the group.
        tried: whether it was evaluated; a group is given up once it cannot reach its minimum.
        text: why not, in kube-scheduler's words; empty for one that is bound.
    """

    pod: str
    group: str
    node: str | None
    bound: bool
    tried: bool
    text: str


class GroupPlacementAnswer(Struct, frozen=True):
    """The nodes with one value of the label of which all members' nodes must have the same.

    Attributes:
        name: the value.
        feasible: whether the group could have it.
        message: why not.
        total: its points, None where nothing was compared.
    """

    name: str
    feasible: bool
    message: str
    total: int | None


class GroupAnswer(Struct, frozen=True):
    """The group with which a pod is scheduled.

    Attributes:
        kind: PodGroup or CompositePodGroup: the topmost one; Workload: a gang of 1.35.
        name: full name.
        exists: whether the object is there.
        minimum: how many members, or child groups, must be placed at once; None: not a gang.
        topology_key: the label of which all members' nodes must have one value.
        known: members that are there, running ones among them.
        running: members that are on a node already.
        outcome: how its cycle ends; Gated: it has none yet.
        message: the text of its status, or what keeps it out of the queue.
        placement: the value of the label that it gets; empty for none.
        placements: those that were tried.
        members: those that wait, in the order in which they are tried.
        victims: full names of the pods that have to go for it.
    """

    kind: str
    name: str
    exists: bool
    minimum: int | None
    topology_key: str | None
    known: int
    running: int
    outcome: str
    message: str
    placement: str = ""
    placements: tuple[GroupPlacementAnswer, ...] = ()
    members: tuple[MemberAnswer, ...] = ()
    victims: tuple[str, ...] = ()

    @property
    def evicts(self) -> bool:
        """Whether it gets room by evicting pods."""
        return self.outcome == "WaitingForPreemption"

    def node_of(self, pod: str) -> str | None:
        """Where a waiting member is placed, or would have been; None: nowhere."""
        return next((member.node for member in self.members if member.pod == pod), None)
