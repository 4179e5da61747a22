"""Whether there is room at all, and who holds it."""

from __future__ import annotations

import pytest
from builders import decide, node, pod, session

from kschedctl.reports.explain.closest import nearest_nodes
from kschedctl.reports.explain.holders import holders_of
from kschedctl.reports.explain.nodes import node_reports
from kschedctl.reports.explain.room import room_of, room_texts


def _room(objects, candidate):
    decision = decide(session(objects, every_failure=True), candidate)
    rejected = [one for one in node_reports(decision) if not one.feasible]
    return decision, rejected, room_of(decision, rejected)


@pytest.mark.parametrize(
    ("objects", "candidate", "verdict", "text"),
    [
        pytest.param(
            [node("n1", cpu="2"), node("n2", cpu="4")],
            pod("new", cpu="8"),
            "LargerThanAnyNode",
            "cpu: 8 wanted, none of the 2 nodes has more than 4: no eviction helps",
            id="larger than any node",
        ),
        pytest.param(
            [node("n1", cpu="2", memory="8Gi"), node("n2", cpu="4", memory="1Gi")],
            pod("new", cpu="4", memory="4Gi"),
            "NotTogether",
            "no node has 4 cpu and 4Gi memory together with all else that the pod asks for, even if it were empty",
            id="on no node together",
        ),
        pytest.param(
            [node("n1", cpu="2"), node("n2", cpu="2"), pod("a", "n1", cpu="1"), pod("b", "n2", cpu="500m")],
            pod("new", cpu="2"),
            "Fragmented",
            "cpu: 2.5 free in all on the 2 nodes, but in no piece of 2: the largest is 1.5 (n2)",
            id="in pieces",
        ),
        pytest.param(
            [node("n1", cpu="2"), node("n2", cpu="2"), pod("a", "n1", cpu="2"), pod("b", "n2", cpu="1500m")],
            pod("new", cpu="2"),
            "Full",
            "cpu: only 0.5 free in all on the 2 nodes",
            id="full",
        ),
        pytest.param(
            [node("n1", cpu="2"), node("n2", taints=["a:NoSchedule"]), pod("a", "n1", cpu="2")],
            pod("new", cpu="2"),
            "Full",
            None,
            id="nodes that something else closes do not count",
        ),
    ],
)
def test_room(objects, candidate, verdict, text):
    _, _, rooms = _room(objects, candidate)
    assert rooms[0].verdict == verdict
    assert list(room_texts(rooms)) == ([] if text is None else [text])


def test_who_holds_it():
    init = [{"name": "init", "image": "x", "resources": {"requests": {"cpu": "1500m"}}}]
    objects = [
        node("n1", cpu="4"),
        pod("small", "n1", cpu="500m"),
        pod("large", "n1", cpu="1", initContainers=init),
        pod("going", "n1", cpu="1", terminating=True),
    ]
    decision, rejected, _ = _room(objects, pod("new", cpu="4"))
    held = holders_of(decision, nearest_nodes(rejected, 1))
    assert [(h.pod, h.amount, h.terminating) for h in held] == [
        ("default/large", 1500, False),
        ("default/going", 1000, True),
        ("default/small", 500, False),
    ]
    assert held[0].why == "init container init 1.5"
