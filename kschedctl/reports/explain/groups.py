"""The part of an explanation that is about the group with which a pod is scheduled."""

from __future__ import annotations

from typing import Annotated, Literal, cast

from kschedctl.reports.model import ReportObject, doc
from kschedctl.scheduling.group_answer import GroupAnswer

GroupKindName = Literal["PodGroup", "CompositePodGroup", "Workload"]
GroupOutcomeName = Literal["Scheduled", "Unschedulable", "WaitingForPreemption", "Error", "Gated"]


class GroupMember(ReportObject, frozen=True, kw_only=True):
    """A member that waits."""

    pod: Annotated[str, doc("The pod, with its namespace.")]
    group: Annotated[str, doc("The PodGroup that it is in, with its namespace.")]
    node: Annotated[
        str | None,
        doc("The node that it gets, would have got, or waits for; null: none, or it was not tried."),
    ]
    placed: Annotated[bool, doc("Whether it is placed.")]
    tried: Annotated[bool, doc("Whether it was tried: a group is given up once it cannot reach its minimum.")]
    message: Annotated[str, doc("Why it is not placed, in the words of kube-scheduler.")]


class GroupPlacement(ReportObject, frozen=True, kw_only=True):
    """The nodes with one value of the label of which all members' nodes must have the same."""

    name: Annotated[str, doc("The value; empty: all nodes.")]
    feasible: Annotated[bool, doc("Whether the group could have it.")]
    message: Annotated[str, doc("Why not, in the words of kube-scheduler.")]
    total: Annotated[int | None, doc("Its points; null: nothing was compared.")]


class GroupReport(ReportObject, frozen=True, kw_only=True):
    """The group with which a pod is scheduled: the topmost one above it."""

    kind: Annotated[GroupKindName, doc("Its kind; Workload: a gang of 1.35, which is a part of a workload.")]
    name: Annotated[str, doc("Namespace and name; of a gang also group and replica key.")]
    exists: Annotated[bool, doc("Whether the object is there.")]
    minimum: Annotated[
        int | None,
        doc(
            "minCount of a gang, minGroupCount of a composite one: so many must be placed at once; null: none."
        ),
    ]
    topology_key: Annotated[str | None, doc("The label of which all members' nodes must have one value.")]
    known: Annotated[int, doc("Members that are there, running ones among them.")]
    running: Annotated[int, doc("Members that are on a node already.")]
    outcome: Annotated[
        GroupOutcomeName, doc("How its cycle ends; Gated: it is not tried before something changes.")
    ]
    message: Annotated[str, doc("The text of its status, or what keeps it back.")]
    placement: Annotated[str | None, doc("The value of the label that it gets.")]
    placements: Annotated[list[GroupPlacement], doc("Those that were tried.")]
    members: Annotated[list[GroupMember], doc("Those that wait, in the order in which they are tried.")]
    victims: Annotated[list[str], doc("Pods that are evicted for it.")]


def group_report(found: GroupAnswer | None) -> GroupReport | None:
    """The report on a group; None for a pod of none."""
    if found is None:
        return None
    return GroupReport(
        kind=cast(GroupKindName, found.kind),
        name=found.name,
        exists=found.exists,
        minimum=found.minimum,
        topology_key=found.topology_key,
        known=found.known,
        running=found.running,
        outcome=cast(GroupOutcomeName, found.outcome),
        message=found.message,
        placement=found.placement or None,
        placements=[
            GroupPlacement(name=one.name, feasible=one.feasible, message=one.message, total=one.total)
            for one in found.placements
        ],
        members=[
            GroupMember(
                pod=one.pod,
                group=one.group,
                node=one.node,
                placed=one.bound,
                tried=one.tried,
                message=one.text,
            )
            for one in found.members
        ],
        victims=list(found.victims),
    )
