"""The group with which a pod is scheduled, for people: a sentence, its placements, its members."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from kschedctl.reports.document import Block, Section, TextLines
from kschedctl.reports.explain.group_sentences import (
    group_headline,
    placement_points,
    short_name,
    why_not_placed,
)
from kschedctl.reports.explain.groups import GroupReport
from kschedctl.reports.medium import Medium
from kschedctl.reports.table import CellKind, Column, Row, Table

_MOST_MEMBERS: Final = MappingProxyType({Medium.TABLE: 8, Medium.MARKDOWN: 20})


def group_block(group: GroupReport) -> Block:
    """All that is told of a group."""
    blocks: list[Block] = []
    if group.topology_key is not None and group.placements:
        blocks.append(_placements(group, group.topology_key))
    if group.members:
        blocks.append(_members(group))
    return Section(group_headline(group), blocks) if blocks else TextLines([group_headline(group)])


def _placements(group: GroupReport, key: str) -> Table:
    compared = any(one.total is not None for one in group.placements)
    points = [Column("points", CellKind.NUMBER)] if compared else []
    rows = [
        Row(
            [
                one.name,
                "yes" if one.feasible else "no",
                *([placement_points(one)] if compared else []),
                one.message,
            ],
            chosen=one.name == group.placement,
        )
        for one in group.placements
    ]
    columns = [Column(key, CellKind.NAME_CUT), Column("fits"), *points, Column("why not")]
    return Table(columns, rows, noun="placement")


def _members(group: GroupReport) -> Table:
    several = len({member.group for member in group.members}) > 1
    failed = any(why_not_placed(one, group) for one in group.members)
    columns = [Column("member", CellKind.NAME_CUT)]
    columns += [Column("group", CellKind.NAME_CUT)] if several else []
    columns += [Column("node", CellKind.NAME_CUT)]
    columns += [Column("why not")] if failed else []
    rows = []
    for one in group.members:
        cells = [short_name(one.pod), *([short_name(one.group)] if several else []), one.node or ""]
        rows.append(Row([*cells, why_not_placed(one, group)] if failed else cells))
    return Table(columns, rows, noun="member", limits=_MOST_MEMBERS)
