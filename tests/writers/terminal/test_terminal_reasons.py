"""Reasons and their nodes: how the width is shared, and what is left out."""

import pytest
from msgspec import Struct

from kschedctl.reports.document import Concerned, Headline, Reasons, ReportDocument
from kschedctl.reports.tone import Tone
from kschedctl.writers.formats import Look
from kschedctl.writers.terminal.document import table_pieces, wide_pieces

POOL = "gke-prod-cluster-europe-west1-pool-highmem-1-3f2a9c1d"


class Reason(Struct, frozen=True):
    text: str
    nodes: list[str] = []


def drawn(reasons, *, wide=False, **look):
    document = ReportDocument(Headline(Tone.NO, ""), blocks=[reasons])
    text = "".join((wide_pieces if wide else table_pieces)([document], Look(**look)))
    return text.splitlines()[2:]


def nodes(count, prefix="n"):
    return [f"{prefix}{i}" for i in range(count)]


def test_reasons_get_the_room_that_short_lists_of_nodes_leave():
    long = "claim data is bound to pv-1, which is only reachable in zone a"
    lines = drawn(Reasons.plain("why not", [Reason(long, ["n1"]), Reason("cordoned", ["n2", "n3"])]))

    assert lines == [
        f"  {'why not':{len(long)}}     nodes",
        f"  {long}  1  n1",
        f"  {'cordoned':{len(long)}}  2  n2 n3",
    ]


@pytest.mark.parametrize(
    ("total", "shown"),
    [(100, "all"), (101, "n0 n1 n2 n3 n4 n5 n6 n7 n8 n9 n10 n11 n12 n13 n14 n15 n16 +83"), (None, "+83")],
    ids=["all of them", "all but one", "not to be told"],
)
def test_what_is_true_of_every_node(total, shown):
    assert drawn(Reasons.plain("why not", [Reason("no", nodes(100))], total))[1].endswith(shown)


@pytest.mark.parametrize("wide", [False, True])
def test_reasons_beyond_twelve_are_for_wide_tables(wide):
    lines = drawn(Reasons.plain("why not", [Reason(f"reason {i}", ["n1"]) for i in range(14)]), wide=wide)

    assert len(lines) == (15 if wide else 14)
    assert ("2 more reasons, see -o wide" in lines[-1]) is not wide


@pytest.mark.parametrize("total", [None, 5])
@pytest.mark.parametrize("width", [60, 80, 160])
@pytest.mark.parametrize("wide", [False, True])
def test_long_names_are_never_broken(width, wide, total):
    reasons = [Reason("cpu: needs 4, free 0.2 to 1.2 " * 3, [f"{POOL}-x7k{i}" for i in range(5)])]
    lines = drawn(Reasons.plain("why not", reasons, total), wide=wide, width=width)

    assert max(map(len, lines)) <= width
    shown = [word for line in lines for word in line.split() if "x7k" in word]
    assert all(word.startswith("gke") for word in shown)
    assert len(shown) >= (5 if wide and total is None else 1) or lines[-1].strip() == "all"


def test_where_names_are_long_they_stand_below_their_reason():
    reasons = [Reason("cordoned", [f"{POOL}-a", f"{POOL}-b"]), Reason("gone", [f"{POOL}-a"])]
    assert drawn(Reasons.plain("why not", reasons, 9)) == [
        "  why not",
        "  cordoned: 2 nodes",
        f"      {POOL}-a +1",
        "  gone: 1 node",
        f"      {POOL}-a",
    ]


def test_a_long_word_of_a_reason_is_not_broken_for_the_sake_of_nodes():
    taint = "taint node-role.kubernetes.io/control-plane:NoSchedule is not tolerated"
    group = Concerned("Pod/a", "Pod/a", [Reason(taint, nodes(40)), Reason("cordoned", ["n1"])])

    assert (
        "node-role.kubernetes.io/control-plane:NoSchedule"
        in " ".join(drawn(Reasons("pending", [group]))).split()
    )


def test_each_group_has_its_title_and_what_is_said_of_it():
    reasons = [Reason(f"reason {i}", ["n1", "n2"]) for i in range(6)]
    names = ", ".join(nodes(30, "web-"))
    groups = [
        Concerned(f"Deployment/web: {names}", "Deployment/web: 30 pods", reasons),
        Concerned("Pod/gated", "Pod/gated", [], "waits for a gate"),
    ]

    assert drawn(Reasons("stay pending", groups)) == [
        "  stay pending                      nodes",
        "  Deployment/web: 30 pods",
        "    reason 0                     2  n1 n2",
        "    reason 1                     2  n1 n2",
        "    reason 2                     2  n1 n2",
        "    reason 3                     2  n1 n2",
        "    2 more reasons, see -o wide",
        "  Pod/gated",
        "    waits for a gate",
    ]
    assert any("web-29" in line for line in drawn(Reasons("stay pending", groups), wide=True))


def test_groups_beyond_twenty_are_for_wide_tables():
    groups = [Concerned(f"Pod/p{i}", f"Pod/p{i}", [Reason("cordoned", ["n1"])]) for i in range(25)]
    assert drawn(Reasons("stay pending", groups))[-1] == "  5 more groups, see -o wide"
