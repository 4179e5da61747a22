"""What is said of the group with which a pod is scheduled, without layout."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from kschedctl.objects.phrases import names_text, plural
from kschedctl.reports.explain.groups import GroupKindName, GroupMember, GroupPlacement, GroupReport

_NAMED = 6
_KINDS: Final[Mapping[GroupKindName, str]] = MappingProxyType(
    {"PodGroup": "pod group", "CompositePodGroup": "composite pod group", "Workload": "gang"}
)


def group_headline(group: GroupReport) -> str:
    """What becomes of the group, in one sentence; what keeps it back where it is not tried."""
    match group.outcome:
        case "Gated":
            return _waiting(group)
        case "Error":
            return f"{_who(group)} cannot be scheduled: {group.message}"
        case "WaitingForPreemption":
            return f"{_who(group)} gets room by evicting {_victims(group)}"
        case "Scheduled":
            placed = sum(member.placed for member in group.members)
            where = f", all with {group.topology_key}={group.placement}" if group.placement else ""
            needs = f" ({_needs(group)})" if group.minimum is not None else ""
            return f"{_who(group)}: {placed} of {plural(len(group.members), 'pod')} placed{where}{needs}"
        case "Unschedulable":
            return f"{_who(group)} is not placed: {_obstacle(group)}"


def verdict_of_member(pod: str, group: GroupReport, feasible: int) -> str | None:
    """What becomes of a pod that finds no node for the sake of its group; None where the fault is its own."""
    member = next((one for one in group.members if one.pod == pod), None)
    if member is None or member.placed:
        return None
    if group.outcome == "WaitingForPreemption":
        return "waits until its group has room"
    if not member.tried:
        return "is not tried: its group is given up before"
    return "would have a node, but its group is not placed" if feasible else None


def why_not_placed(member: GroupMember, group: GroupReport) -> str:
    """Why a member is not placed, in short; empty for one that is."""
    if member.placed:
        return ""
    if group.outcome == "WaitingForPreemption" and member.node is not None:
        return "waits for the evictions"
    if not member.tried:
        return "not tried"
    return "waits for the others" if member.node is not None else member.message


def placement_points(placement: GroupPlacement) -> str:
    """The points of a placement, empty where nothing was compared."""
    return "" if placement.total is None else str(placement.total)


def short_name(pod: str) -> str:
    """The name without its namespace, which all pods of a group share."""
    return pod.partition("/")[2]


def _who(group: GroupReport) -> str:
    return f"{_KINDS[group.kind]} {group.name}"


def _needs(group: GroupReport) -> str:
    runs = f", {group.running} {'runs' if group.running == 1 else 'run'} already" if group.running else ""
    count = "minGroupCount" if group.kind == "CompositePodGroup" else "minCount"
    return f"{count} {group.minimum}{runs}"


def _obstacle(group: GroupReport) -> str:
    """How many find room, and who does not."""
    if group.minimum is None:
        return "none of its pods finds a node"
    tried = [member for member in group.members if member.tried]
    room = sum(member.node is not None for member in tried)
    found = f"{_needs(group)}, but {room or 'none'} of {plural(len(group.members), 'pod')} finds room"
    if len(tried) < len(group.members) and tried:
        return f"{found}, given up at {short_name(tried[-1].pod)}"
    return found


def _victims(group: GroupReport) -> str:
    if not group.victims:
        return "pods that are on their way out"
    return f"{plural(len(group.victims), 'pod')}: {names_text(group.victims, _NAMED)}"


def _waiting(group: GroupReport) -> str:
    if not group.exists:
        return f"{_who(group)} is not there: its pods wait until somebody creates it"
    if group.kind == "PodGroup" and group.minimum is not None and group.known < group.minimum:
        there = f"{group.known} {'is' if group.known == 1 else 'are'} there"
        return f"{_who(group)} waits for more pods: {_needs(group)}, {there}"
    return f"{_who(group)} is not tried yet: {group.message}"
