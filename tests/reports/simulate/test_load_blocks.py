"""How full a cluster becomes, as blocks: what is drawn, and what is left to wide screens."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from kschedctl.questions.cluster import Cluster
from kschedctl.questions.simulate import SimulationQuestion, simulate
from kschedctl.reports.document import wanted
from kschedctl.reports.medium import Medium
from kschedctl.reports.simulate.load import load_blocks
from kschedctl.reports.simulate.model import ClosedNode
from kschedctl.reports.table import Share

SHOP = Path(__file__).parents[3] / "fixtures/release-shop"


@pytest.fixture(scope="module")
def report():
    question = SimulationQuestion(manifests=[str(SHOP / "manifests")])
    return simulate(Cluster.load(str(SHOP / "cluster.yaml")), question)


def shown(report, medium):
    return list(wanted(load_blocks(report), medium))


def shares(row):
    return [cell for cell in row.cells if isinstance(cell, Share)]


def test_a_picture_stands_only_where_something_changed(report):
    first, *rest = report.load
    still = replace(report, load=[replace(first, after=first.before), *rest])
    totals = shown(still, Medium.TABLE)[0]

    assert [[share.drawn for share in shares(row)] for row in totals.rows] == [
        [False, False],
        [True, True],
        [True, True],
    ]


def test_wide_screens_have_all_resources_and_more_nodes(report):
    for medium, resources, fullest in (
        (Medium.TABLE, ["cpu", "memory"], 6),
        (Medium.HTML, None, 6),
        (Medium.WIDE, None, 18),
    ):
        _, zones, *_, nodes = shown(report, medium)
        titles = [column.title for column in zones.columns]
        assert titles == ["zone", *(resources or ["cpu", "memory", "pods"])]
        assert len(nodes.rows) == fullest


def test_the_fullest_are_drawn_where_they_have_changed(report):
    rooms = [replace(room, before=room.after) if room.name == "w1" else room for room in report.rooms]
    changed = {room.name for room in rooms if room.before != room.after}
    assert changed < {room.name for room in rooms}
    nodes = shown(replace(report, rooms=rooms), Medium.WIDE)[-1]
    drawn = {str(row.cells[2]) for row in nodes.rows if row.cells[1].drawn}
    assert "w1" not in drawn
    assert drawn <= changed
    without = shown(replace(report, rooms=[]), Medium.WIDE)[-1]
    assert all(row.cells[1].drawn for row in without.rows)


def test_wide_screens_count_nodes_by_what_is_free(report):
    wide, page = (
        {one.columns[0].title: one for one in shown(report, medium)} for medium in (Medium.WIDE, Medium.HTML)
    )
    assert "free" not in page
    assert sum(int(row.cells[2].text) for row in wide["free"].rows) == 2 * len(report.rooms)


def test_nodes_that_take_no_pods_are_said_to(report):
    found = replace(report, not_counted=[ClosedNode(name="w1", before=None, after="cordoned")])
    assert shown(found, Medium.TABLE)[0].notes == ["(after: 1 node cordoned, not counted)"]
    nodes = shown(found, Medium.WIDE)[-1]
    assert "w1 (cordoned)" in {str(row.cells[2]) for row in nodes.rows}


def test_a_cluster_without_room_has_nothing_to_show(report):
    assert shown(replace(report, load=[]), Medium.TABLE) == []
