import pytest

from kschedctl.reports.simulation import ClosedNode
from kschedctl.reports.simulation_sentences import not_counted

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
