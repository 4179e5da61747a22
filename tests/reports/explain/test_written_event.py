"""Our answer beside what kube-scheduler wrote."""

import msgspec
import pytest

from kschedctl.objects.pod import Pod
from kschedctl.reports.explain.events import cut_note
from kschedctl.reports.explain.written_event import compare_with_written, written_by_scheduler

FILTERS = (
    "0/6 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu, "
    "3 node(s) had untolerated taint(s)."
)
PREEMPTION = " preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling."


def pod(**condition):
    status = {"conditions": [{"type": "PodScheduled", **condition}]} if condition else {}
    return msgspec.convert({"metadata": {"name": "a"}, "status": status}, Pod)


def test_the_message_is_read_from_the_condition():
    waiting = pod(status="False", reason="Unschedulable", message=FILTERS)
    assert written_by_scheduler(waiting) == FILTERS


@pytest.mark.parametrize(
    "condition",
    [
        {},
        {"status": "True"},
        {"status": "False", "reason": "SchedulingGated", "message": "Scheduling is blocked"},
        {"status": "False", "reason": "Unschedulable"},
    ],
    ids=["none", "scheduled", "gated", "without a message"],
)
def test_a_pod_about_which_nothing_is_written(condition):
    assert written_by_scheduler(pod(**condition)) is None


def test_the_same():
    found = compare_with_written(FILTERS + PREEMPTION, FILTERS + PREEMPTION)
    assert found.same
    assert (found.nodes, found.reasons, found.preemption_differs) == (None, [], False)


def test_reasons_that_are_counted_differently():
    ours = FILTERS.replace("2 Insufficient cpu", "1 Insufficient cpu, 1 Insufficient memory")
    found = compare_with_written(FILTERS, ours)
    assert not found.same
    assert [(r.reason, r.written, r.ours) for r in found.reasons] == [
        ("Insufficient cpu", 2, 1),
        ("Insufficient memory", 0, 1),
    ]


def test_another_number_of_nodes():
    found = compare_with_written(FILTERS, FILTERS.replace("0/6", "0/7"))
    assert found.nodes is not None
    assert (found.nodes.written, found.nodes.ours) == (6, 7)
    assert found.reasons == []


def test_reasons_with_commas_and_numbers_in_them():
    text = "0/2 nodes are available: 1 node(s) had taints {a: b, c: 2 d}, 1 Too many pods."
    found = compare_with_written(text, text.replace("1 Too many pods", "1 Insufficient cpu"))
    assert {r.reason for r in found.reasons} == {"Too many pods", "Insufficient cpu"}


def test_preemption():
    found = compare_with_written(FILTERS + PREEMPTION, FILTERS)
    assert (found.same, found.reasons, found.preemption_differs) == (False, [], True)


def test_what_was_written_may_be_cut():
    ours = "0/2 nodes are available: 2 " + "very " * 300 + "long." + PREEMPTION
    assert compare_with_written(cut_note(ours), ours).same
    assert not compare_with_written(cut_note(ours), "0/2 nodes are available: 2 short.").same


def test_a_pod_that_fits_by_now():
    found = compare_with_written(FILTERS, "")
    assert not found.same
    assert {r.ours for r in found.reasons} == {0}


def test_a_message_of_another_kind():
    found = compare_with_written("no nodes available to schedule pods", FILTERS)
    assert not found.same
    assert ("no nodes available to schedule pods", 1, 0) in {
        (r.reason, r.written, r.ours) for r in found.reasons
    }
