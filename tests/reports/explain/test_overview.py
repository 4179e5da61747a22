"""What many answers come to."""

import pytest
from builders import decide, node, pod, session

from kschedctl.reports.explain.overview import (
    Brief,
    Overview,
    brief_of,
    explained,
    overview_document,
    preempted,
)
from kschedctl.reports.model import ClusterSummary
from kschedctl.writers.formats import Format, Look
from kschedctl.writers.kinds import writers


def overview(*briefs):
    return Overview(tuple(Brief(f"default/p{i}", *brief) for i, brief in enumerate(briefs)))


PLACED = (40, "Scheduled", "")
HELPED = (2, "Preempts", "Insufficient cpu")
NOWHERE = (7, "Unschedulable", "Insufficient cpu")
GATED = (1, "Gated", "gated")


@pytest.mark.parametrize(
    ("briefs", "explain", "preempt"),
    [
        (
            [PLACED, PLACED],
            "all 80 pending pods would be placed now",
            "all 80 pending pods would be placed now",
        ),
        (
            [PLACED, NOWHERE],
            "40 of 47 pending pods would be placed now, 7 nowhere",
            "40 of 47 pending pods would be placed now, 7 nowhere",
        ),
        (
            [PLACED, HELPED, NOWHERE],
            "40 of 49 pending pods would be placed now, 9 nowhere",
            "40 of 49 pending pods would be placed now, preempting others makes room for 2, 7 nowhere",
        ),
        (
            [HELPED, GATED],
            "none of 3 pending pods would be placed now, 2 nowhere, 1 is not tried",
            "none of 3 pending pods would be placed now, preempting others makes room for 2, 1 is not tried",
        ),
        (
            [NOWHERE, HELPED],
            "none of 9 pending pods would be placed now",
            "none of 9 pending pods would be placed now, preempting others makes room for 2, 7 nowhere",
        ),
        (
            [GATED, GATED],
            "none of 2 pending pods would be placed now, 2 are not tried",
            "none of 2 pending pods would be placed now, 2 are not tried",
        ),
    ],
)
def test_headlines(briefs, explain, preempt):
    assert explained(overview(*briefs)) == explain
    assert preempted(overview(*briefs)) == preempt


def test_reasons_by_how_many_pods_they_hit():
    found = overview(GATED, PLACED, NOWHERE, HELPED).reasons
    assert [(reason.text, reason.pods, reason.who) for reason in found] == [
        ("Insufficient cpu", 9, "default/p2 +8"),
        ("gated", 1, "default/p0"),
    ]


@pytest.mark.parametrize(
    ("objects", "candidate", "outcome", "why"),
    [
        pytest.param([node("n1")], pod("a"), "Scheduled", "", id="placed"),
        pytest.param([], pod("a"), "Unschedulable", "no nodes available to schedule pods", id="no nodes"),
        pytest.param(
            [node("n1", cpu="1"), node("n2", cpu="1"), node("n3", taints=["a=b:NoSchedule"])],
            pod("a", cpu="2"),
            "Unschedulable",
            "Insufficient cpu",
            id="the reason of most nodes",
        ),
        pytest.param(
            [node("n1"), node("n2")],
            pod("a", nodeSelector={"gone": "yes"}),
            "Unschedulable",
            "node(s) didn't match Pod's node affinity/selector",
            id="one reason",
        ),
        pytest.param(
            [node("n1", cpu="2"), pod("low", "n1", cpu="2")],
            pod("a", cpu="2", priority=5),
            "Preempts",
            "Insufficient cpu",
            id="room is made",
        ),
        pytest.param([node("n1")], pod("a", schedulingGates=[{"name": "g"}]), "Gated", "gated", id="gated"),
        pytest.param(
            [node("n1")], pod("a", terminating=True), "Terminating", "being deleted", id="being deleted"
        ),
        pytest.param(
            [node("n1")],
            pod("a", schedulerName="other"),
            "NoProfile",
            "handled by no profile",
            id="no profile",
        ),
    ],
)
def test_answers_in_short(objects, candidate, outcome, why):
    found = brief_of(decide(session(*objects), candidate), "default/a", 3)
    assert (found.pods, found.outcome, found.why, found.who) == (3, outcome, why, "default/a +2")


CLUSTER = ClusterSummary(source=["a.yaml"], taken_at=None, nodes=1, pods=0, pending=1, caveats=[])


def above_nothing(overview, form, **look):
    """What stands above all answers, of which there is none."""
    write = writers("kschedctl.reports.explain.document")[form]()
    return "".join(write([], Look(**look), [overview_document(overview, "so many", CLUSTER)]))


@pytest.mark.parametrize("form", [Format.TABLE, Format.WIDE, Format.MARKDOWN])
def test_it_stands_above_answers_for_people(form):
    assert "so many" in above_nothing(overview(PLACED, NOWHERE), form)
    assert above_nothing(overview(PLACED), form, quiet=True) == ""


def test_it_is_not_for_scripts():
    assert above_nothing(overview(PLACED, NOWHERE), Format.NAME) == ""


def test_many_reasons_are_cut_in_the_table_alone():
    found = overview(*[(1, "Unschedulable", f"reason {i}") for i in range(20)])
    table, wide, markdown = (
        above_nothing(found, form) for form in (Format.TABLE, Format.WIDE, Format.MARKDOWN)
    )
    assert "8 more reasons, see -o wide" in table
    assert "reason 19" not in table
    assert "reason 19" in wide
    assert "| reason 19 | 1 | default/p19 |" in markdown
