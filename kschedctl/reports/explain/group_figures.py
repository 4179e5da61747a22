"""A group in pictures: its placements side by side, and where its members are in them."""

from __future__ import annotations

from collections.abc import Iterable

from kschedctl.objects.phrases import plural
from kschedctl.reports.explain.group_sentences import group_headline, short_name, why_not_placed
from kschedctl.reports.explain.groups import GroupMember, GroupPlacement, GroupReport
from kschedctl.reports.figures import Panel, Panels
from kschedctl.reports.tone import Tone


def group_panels(group: GroupReport) -> list[Panels]:
    """The placements, the members by node in the one that is taken; without placements, the members."""
    if not group.members:
        return []
    on_nodes = _by_node(member for member in group.members if member.node is not None)
    left = [member for member in group.members if member.node is None]
    whole = group.outcome in ("Scheduled", "WaitingForPreemption")
    if group.topology_key is not None and group.placements:
        panels = [_placement(one, group, on_nodes) for one in group.placements]
    else:
        told = f"{plural(len(group.members) - len(left), 'member')} of {len(group.members)} find a node"
        panels = [Panel("on nodes", told, Tone.YES if whole else Tone.MIXED, on_nodes, whole)]
    if left:
        why: dict[str, list[str]] = {}
        for member in left:
            why.setdefault(why_not_placed(member, group), []).append(short_name(member.pod))
        panels.append(Panel("without a node", "", Tone.NO, list(why.items())))
    return [Panels(group_headline(group), panels)]


def _placement(one: GroupPlacement, group: GroupReport, on_nodes: list[tuple[str, list[str]]]) -> Panel:
    chosen = one.name == (group.placement or "")
    points = f"{one.total} points" if one.total is not None else ""
    title = f"{group.topology_key}={one.name}" if one.name else "all nodes"
    told = "; ".join(text for text in (points, one.message) if text)
    return Panel(title, told, Tone.YES if one.feasible else Tone.NO, on_nodes if chosen else [], chosen)


def _by_node(members: Iterable[GroupMember]) -> list[tuple[str, list[str]]]:
    found: dict[str, list[str]] = {}
    for member in members:
        found.setdefault(member.node or "", []).append(short_name(member.pod))
    return sorted(found.items())
