"""Reasons grouped over nodes, and the node that lacks least."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kschedctl.reports.explain.closest import closest_node
from kschedctl.reports.explain.model import Failure, FailureDetail, NodeReport
from kschedctl.reports.explain.reasons import amounts_text, group_reasons, natural_key, span_text

CPU = 1000
MI, GI = 2**20, 2**30


def detail(subject, text="", needs=None, free=None, total=None):
    return FailureDetail(
        reason=subject, subject=subject, text=text or subject, needs=needs, free=free, total=total
    )


def cpu(needs, free, total=8 * CPU):
    return detail("cpu", f"cpu: needs {needs}, free {free} of {total}", needs, free, total)


def failure(plugin, *details, reasons=("no",)):
    return Failure(plugin=plugin, code="Unschedulable", reasons=list(reasons), details=list(details))


def rejected(name, *failures):
    return NodeReport(
        name=name,
        feasible=False,
        examined=True,
        status=None,
        all_failures=list(failures),
        scores={},
        total=None,
    )


def memory(needs, free, total=64 * GI):
    return detail("memory", "", needs, free, total)


def fit(*details):
    return failure("NodeResourcesFit", *details)


def said(*nodes):
    return [(group.text, group.nodes) for group in group_reasons(nodes)]


@pytest.mark.parametrize(
    ("amounts", "text"),
    [
        ([(4000, 1200), (4000, 3100)], "cpu: needs 4, free 1.2 to 3.1"),
        ([(4000, 1200)], "cpu: needs 4, free 1.2"),
        ([(4000, 0), (4000, 0)], "cpu: needs 4, none of 8 free"),
        ([(4000, -500), (4000, 0, 12000)], "cpu: needs 4, none of 8 to 12 free"),
        ([(4000, 0), (4000, 0, 0)], "cpu: needs 4, none free"),
        ([(4000, -2000), (4000, 1000)], "cpu: needs 4, free 0 to 1"),
        ([(16000, 1200)], "cpu: needs 16, the node has 8 in all"),
        ([(16000, 1200), (16000, 8000, 12000)], "cpu: needs 16, these nodes have 8 to 12 in all"),
        ([(16000, 0, 0)], "cpu: needs 16, the node has none"),
        ([(16000, 1, 16000), (16000, 2, 8000)], "cpu: needs 16, free 0.001 to 0.002"),
    ],
)
def test_amounts_become_a_range(amounts, text):
    nodes = [rejected(f"n{i}", fit(cpu(*amount))) for i, amount in enumerate(amounts)]
    assert said(*nodes) == [(text, [node.name for node in nodes])]


@pytest.mark.parametrize(
    ("amounts", "text"),
    [
        pytest.param([(8 * GI, 7 * GI), (8 * GI, 7 * GI - 1)], "needs 8Gi, free 7Gi", id="as good as one"),
        pytest.param([(7 * GI, 7 * GI - MI)], "needs 7168Mi, free 7167Mi", id="nearly enough"),
        pytest.param(
            [(7 * GI, 7 * GI - MI), (7 * GI, 3 * GI)],
            "needs 7168Mi, free 3Gi to 7167Mi",
            id="nearly enough on one",
        ),
        pytest.param(
            [(7 * GI, 7 * GI - MI), (7 * GI, 7 * GI - 2 * MI)],
            "needs 7168Mi, free 7166Mi to 7167Mi",
            id="nearly enough on both",
        ),
        pytest.param(
            [(GI, 0, GI - 1)], "needs 1073741824 bytes, the node has 1073741823 bytes in all", id="in all"
        ),
    ],
)
def test_a_shortage_can_be_seen_however_small_it_is(amounts, text):
    assert amounts_text("memory", [memory(*amount) for amount in amounts], len(amounts)) == f"memory: {text}"


@given(
    needs=st.sampled_from([GI, 7 * GI, 500_000_000]) | st.integers(1, 2**40),
    short=st.lists(st.integers(1, 3) | st.integers(1, 2**31), min_size=1, max_size=4),
)
def test_what_is_free_never_reads_like_what_is_needed(needs, short):
    free = [needs - by for by in short]
    assume(max(free) > 0)
    said = amounts_text("memory", [memory(needs, amount, 2**41) for amount in free], len(free))
    wanted, left = re.fullmatch("memory: needs (.+), free (.+)", said).groups()
    assert wanted not in left.split(" to ")


def test_a_range_whose_ends_read_alike_is_one_amount():
    assert span_text("memory", [GI, GI - 1, GI - 2]) == "1Gi"
    assert span_text("memory", [GI, 2 * GI]) == "1Gi to 2Gi"


def test_reasons_with_most_nodes_come_first_and_names_are_sorted_as_people_count():
    taint = failure("TaintToleration", detail("taint a"))
    nodes = [rejected("n10", taint), rejected("n2", fit(cpu(2000, 1)), taint), rejected("n1", taint)]
    assert said(*nodes) == [("taint a", ["n1", "n2", "n10"]), ("cpu: needs 2, free 0.001", ["n2"])]


def test_the_words_of_the_nodes_are_taken_where_all_say_the_same():
    here = failure("NodePorts", detail("port 80/TCP is taken", "port 80/TCP held by default/a"))
    there = failure("NodePorts", detail("port 80/TCP is taken", "port 80/TCP held by default/b"))
    assert said(rejected("n1", here)) == [("port 80/TCP held by default/a", ["n1"])]
    assert said(rejected("n1", here), rejected("n2", there)) == [("port 80/TCP is taken", ["n1", "n2"])]


def test_a_plugin_without_details_is_told_by_its_reasons():
    node = rejected("n1", failure("Other", reasons=("this", "that")))
    assert said(node) == [("this", ["n1"]), ("that", ["n1"])]


def test_a_cordon_is_told_without_its_taint():
    taint = detail("taint node.kubernetes.io/unschedulable:NoSchedule is not tolerated")
    cordoned = failure("NodeUnschedulable", detail("cordoned"))
    tainted = failure("TaintToleration", taint)
    assert said(rejected("n1", cordoned, tainted)) == [("cordoned", ["n1"])]
    assert said(rejected("n1", tainted)) == [(taint.text, ["n1"])]


def test_one_reason_given_twice_by_a_node_names_the_node_once():
    assert said(rejected("n1", failure("A", detail("x")), failure("A", detail("x")))) == [("x", ["n1"])]


def test_names_are_sorted_as_people_count():
    names = ["n10", "n9", "a-2-b", "a-10-b", "n"]
    assert sorted(names, key=natural_key) == ["a-2-b", "a-10-b", "n", "n9", "n10"]


TAINTED = failure("TaintToleration", detail("taint a", "taint a is not tolerated"))


CORDONED = (
    failure("NodeUnschedulable", detail("cordoned", "cordoned")),
    failure(
        "TaintToleration",
        detail("taint node.kubernetes.io/unschedulable:NoSchedule is not tolerated", "the taint of a cordon"),
    ),
)


@pytest.mark.parametrize(
    ("nodes", "answer"),
    [
        pytest.param(
            [rejected("n1", fit(cpu(4000, 1000))), rejected("n2", fit(cpu(4000, 3100)))],
            ("n2", "short of 0.9 cpu (3.1 free of 8)"),
            id="the smallest shortage",
        ),
        pytest.param(
            [rejected("n1", TAINTED), rejected("n2", fit(cpu(4000, 0)))],
            ("n2", "short of 4 cpu (0 free of 8)"),
            id="amounts before anything else",
        ),
        pytest.param(
            [rejected("n1", TAINTED), rejected("n2", fit(cpu(4000, -2000)))],
            ("n2", "short of 6 cpu (its pods ask for 10 of 8)"),
            id="a node that pods ask for more of than there is",
        ),
        pytest.param(
            [rejected("n1", TAINTED, fit(cpu(4000, 0))), rejected("n2", TAINTED)],
            ("n2", "only this is in the way: taint a is not tolerated"),
            id="fewer obstacles",
        ),
        pytest.param(
            [rejected("n1", TAINTED), rejected("n2", TAINTED)],
            ("n1", "only this is in the way: taint a is not tolerated"),
            id="the first of those that are alike",
        ),
        pytest.param(
            [rejected("n1", TAINTED, fit(cpu(4000, 0))), rejected("n2", *CORDONED)],
            ("n2", "only this is in the way: cordoned"),
            id="a cordon and its taint are one",
        ),
        pytest.param(
            [rejected("n1", fit(cpu(9000, 7000))), rejected("n2", fit(cpu(9000, 0, 16000)))],
            ("n2", "short of 9 cpu (0 free of 16)"),
            id="a node that is large enough before one that is not",
        ),
        pytest.param(
            [rejected("n1", fit(cpu(9000, 7000))), rejected("n2", fit(cpu(9000, 6000)))],
            ("n1", "which has 8 cpu in all, 1 too few"),
            id="too small",
        ),
        pytest.param(
            [rejected("n1", fit(memory(GI, GI - 1))), rejected("n2", fit(memory(GI, 0)))],
            ("n1", "short of 1 byte of memory (1Gi free of 64Gi)"),
            id="hardly anything",
        ),
        pytest.param(
            [rejected("n1", fit(memory(GI, GI - 1, GI - 1))), rejected("n2", fit(memory(GI, 0, MI)))],
            ("n1", "which has 1Gi memory in all, 1 byte too few"),
            id="too small by hardly anything",
        ),
        pytest.param(
            [
                rejected("n1", fit(detail("pods", "", 1, 0, 14))),
                rejected("n2", fit(cpu(2000, 0), detail("pods", "", 1, 0, 14))),
            ],
            ("n1", "all of its 14 places for pods are taken"),
            id="full",
        ),
        pytest.param(
            [
                rejected("n1", fit(detail("storage of class lvm", "", 5 * GI, GI, None))),
                rejected("n2", fit(detail("storage of class lvm", "", 5 * GI, 4 * GI, None))),
            ],
            ("n2", "short of 1Gi storage of class lvm (4Gi free)"),
            id="of what nobody knows the whole",
        ),
    ],
)
def test_the_closest_node_is_the_one_that_lacks_least(nodes, answer):
    found = closest_node(nodes)
    assert found is not None
    assert (found.node, found.text) == answer


@pytest.mark.parametrize(
    "nodes",
    [
        pytest.param([], id="no node"),
        pytest.param([rejected("n1", TAINTED)], id="one node"),
    ],
)
def test_there_is_no_closest_node_where_there_is_no_choice(nodes):
    assert closest_node(nodes) is None
