import pytest

from kschedctl.reports.simulate.model import ClosedNode, NotCreatedGroup
from kschedctl.reports.simulate.sentences import not_counted, not_created

CORDONED, NOT_READY = "cordoned", "not ready"


@pytest.mark.parametrize(
    ("closed", "told"),
    [
        ([], ""),
        ([(CORDONED, CORDONED)], "1 node cordoned, not counted"),
        ([(CORDONED, CORDONED)] * 2, "2 nodes cordoned, not counted"),
        ([(None, CORDONED)] * 2, "after: 2 nodes cordoned, not counted"),
        ([(NOT_READY, None)], "before: 1 node not ready, not counted"),
        (
            [(CORDONED, CORDONED), (None, NOT_READY)],
            "before: 1 node cordoned; after: 1 node cordoned, 1 node not ready, not counted",
        ),
    ],
)
def test_nodes_that_no_share_counts_are_told(closed, told):
    nodes = [ClosedNode(name=f"n{i}", before=was, after=then) for i, (was, then) in enumerate(closed)]

    assert not_counted(nodes) == told


@pytest.mark.parametrize(
    ("pods", "told"),
    [
        (["ns/db-2"], "ns/StatefulSet/db: db-2 waits for db-1"),
        (["ns/db-2", "ns/db-3"], "ns/StatefulSet/db: db-2 and db-3 wait for db-1"),
    ],
)
def test_members_that_are_not_created_are_told(pods, told):
    group = NotCreatedGroup(workload="ns/StatefulSet/db", pods=pods, counted=0, waits_for="db-1")

    assert not_created([group]) == [("not created", told)]
