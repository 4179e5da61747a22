"""Tables of reasons and their nodes: how the width is shared, and what is left out."""

from dataclasses import dataclass, field

import pytest

from kschedctl.reports.formats import Look
from kschedctl.reports.render.text import indented, print_text
from kschedctl.reports.render.why_table import WhySection, sectioned_why_table, why_table

POOL = "gke-prod-cluster-europe-west1-pool-highmem-1-3f2a9c1d"


@dataclass(frozen=True)
class Reason:
    text: str
    nodes: list[str] = field(default_factory=list)


def drawn(table, look):
    return print_text([indented(table)], look).splitlines()


def nodes(count, prefix="n"):
    return [f"{prefix}{i}" for i in range(count)]


def test_reasons_get_the_room_that_short_lists_of_nodes_leave():
    long = "claim data is bound to pv-1, which is only reachable in zone a"
    lines = drawn(
        why_table("why not", [Reason(long, ["n1"]), Reason("cordoned", ["n2", "n3"])], Look()), Look()
    )

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
    lines = drawn(why_table("why not", [Reason("no", nodes(100))], Look(), total=total), Look())

    assert lines[1].endswith(shown)


@pytest.mark.parametrize("wide", [False, True])
def test_reasons_beyond_twelve_are_for_wide_tables(wide):
    reasons = [Reason(f"reason {i}", ["n1"]) for i in range(14)]
    lines = drawn(why_table("why not", reasons, Look(), wide=wide), Look())

    assert len(lines) == (15 if wide else 14)
    assert ("2 more reasons, see -o wide" in lines[-1]) is not wide


@pytest.mark.parametrize("width", [60, 80, 160])
@pytest.mark.parametrize("wide", [False, True])
def test_long_names_are_never_broken(width, wide):
    reasons = [Reason("cpu: needs 4, free 0.2 to 1.2 " * 3, [f"{POOL}-x7k{i}" for i in range(5)])]
    lines = drawn(why_table("why not", reasons, Look(width=width), wide=wide), Look(width=width))

    assert max(map(len, lines)) <= width
    shown = [word for line in lines for word in line.split() if "x7k" in word]
    assert len(shown) >= (5 if wide else 1)
    assert all(word.startswith("gke") for word in shown)


def test_a_long_word_of_a_reason_is_not_broken_for_the_sake_of_nodes():
    taint = "taint node-role.kubernetes.io/control-plane:NoSchedule is not tolerated"
    sections = [WhySection(lambda width: "Pod/a", [Reason(taint, nodes(40)), Reason("cordoned", ["n1"])], "")]
    words = " ".join(drawn(sectioned_why_table("stay pending", sections, Look(), wide=False), Look())).split()

    assert "node-role.kubernetes.io/control-plane:NoSchedule" in words


def test_each_section_has_its_title_and_what_is_said_of_it():
    sections = [
        WhySection(
            lambda width: "Deployment/web", [Reason(f"reason {i}", ["n1", "n2"]) for i in range(6)], ""
        ),
        WhySection(lambda width: "Pod/gated", [], "waits for a gate"),
    ]

    assert drawn(sectioned_why_table("stay pending", sections, Look(), wide=False), Look()) == [
        "  stay pending                      nodes",
        "  Deployment/web",
        "    reason 0                     2  n1 n2",
        "    reason 1                     2  n1 n2",
        "    reason 2                     2  n1 n2",
        "    reason 3                     2  n1 n2",
        "    2 more reasons, see -o wide",
        "  Pod/gated",
        "    waits for a gate",
    ]
