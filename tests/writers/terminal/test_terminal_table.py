"""Tables on a terminal: how the width is shared, and that no name is broken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kschedctl.reports.document import Headline, ReportDocument
from kschedctl.reports.medium import Medium
from kschedctl.reports.table import CellKind, Column, LazyRows, NodeNames, Row, Share, Table
from kschedctl.reports.tone import Tone
from kschedctl.writers.formats import Look
from kschedctl.writers.terminal.document import table_pieces, wide_pieces

POOL = "gke-prod-cluster-europe-west1-pool-highmem-1-3f2a9c1d"
POINTS = [
    Column("node", CellKind.NAME_CUT),
    Column("Taint", CellKind.NUMBER, long="TaintToleration", suffix=" x3", optional=True),
    Column("Fit", CellKind.NUMBER, long="NodeResourcesFit", optional=True),
    Column("Image", CellKind.NUMBER, long="ImageLocality", optional=True),
]


def drawn(table, write=table_pieces, **look):
    document = ReportDocument(Headline(Tone.YES, ""), blocks=[table])
    return "".join(write([document], Look(**look))).splitlines()[2:]


def test_numbers_stand_to_the_right_and_the_chosen_row_is_marked():
    rows = [Row(["n1", 300, 5, 1], chosen=True), Row(["n2", 0, 40, 1])]
    assert drawn(Table(POINTS, rows)) == [
        "  node  Taint x3  Fit  Image",
        "  n1 *       300    5      1",
        "  n2           0   40      1",
    ]


def test_zeros_are_for_wide_tables():
    table = Table(POINTS, [Row(["n1", 300, 5, 0]), Row(["n2", 0, 40, 0])])
    assert drawn(table)[0] == "  node  Taint x3  Fit"
    assert drawn(table, wide_pieces)[0] == "  node  Taint x3  Fit  Image"
    assert drawn(table, wide_pieces, width=24)[0] == "  node  Taint x3  Fit"


def test_what_is_the_same_for_all_goes_where_there_is_no_room():
    table = Table(POINTS, [Row(["n1", 300, 5, 7]), Row(["n2", 300, 40, 7])])
    assert drawn(table, width=24) == [
        "  node  Fit",
        "  n1      5",
        "  n2     40",
        "  the same for all:",
        "  TaintToleration 300,",
        "  ImageLocality 7",
    ]


def test_cells_that_repeat_the_ones_above_are_empty():
    columns = [Column("node", merged=True), Column("plugin", merged=True), Column("why")]
    rows = [Row(["n1", "A", "x"]), Row(["n1", "A", "y"]), Row(["n1", "B", "z"]), Row(["n2", "B", "z"])]
    assert drawn(Table(columns, rows))[1:] == [
        "  n1    A       x",
        "                y",
        "        B       z",
        "  n2    B       z",
    ]


@pytest.mark.parametrize(
    ("write", "lines", "told"),
    [(table_pieces, 2, "3 more nodes, see -o wide"), (wide_pieces, 4, "1 more node, see -o json")],
)
def test_rows_that_are_left_out_are_told_and_never_made(write, lines, told):
    made = []

    def row(number):
        made.append(number)
        return Row([number])

    table = Table(
        [Column("n", CellKind.NUMBER)],
        LazyRows(range(5), row),
        noun="node",
        limits={Medium.TABLE: 2, Medium.WIDE: 4},
        notes=["a note"],
    )
    assert drawn(table, write)[1 + lines :] == ["  a note", f"  {told}"]
    assert len(set(made)) == lines


@pytest.mark.parametrize(
    ("share", "line"),
    [
        (Share(0.0, "0 %"), "  ▁▁▁▁▁▁▁▁▁▁  0 %"),
        (Share(0.001, "0 %"), "  ▇▁▁▁▁▁▁▁▁▁  0 %"),
        (Share(0.5, "50 %"), "  ▇▇▇▇▇▁▁▁▁▁  50 %"),
        (Share(0.999, "100 %"), "  ▇▇▇▇▇▇▇▇▇▁  100 %"),
        (Share(1.2, "120 %"), "  ▇▇▇▇▇▇▇▇▇▇  120 %"),
        (Share(0.5, "50 %", drawn=False), "  50 %"),
    ],
    ids=["nothing", "hardly anything", "half", "nearly full", "more than full", "not drawn"],
)
def test_shares_are_drawn(share, line):
    assert drawn(Table([Column("used", CellKind.SHARE)], [Row([share])]))[1] == line


def test_names_get_what_others_leave():
    nodes = NodeNames([(f"n{i}", ":1") for i in range(40)])
    table = Table(
        [Column("workload", CellKind.NAME_CUT), Column("nodes", CellKind.NAMES)], [Row(["web", nodes])]
    )
    (line,) = drawn(table, width=40)[1:]
    assert line == "  web       n0:1 n1:1 n2:1 n3:1 n4:1 +35"[: len(line)]
    assert len(line) <= 40
    assert " ".join(drawn(table, wide_pieces)).count(":1") == 40


@pytest.mark.parametrize("write", [table_pieces, wide_pieces])
@pytest.mark.parametrize("told", [[], ["in words"]])
def test_where_names_would_be_broken_rows_are_lists(write, told):
    columns = [
        Column("pod", CellKind.NAME),
        Column("prio", CellKind.NUMBER),
        Column("node", CellKind.NAME),
        Column("then", plain=True),
    ]
    rows = [Row([f"shop/{POOL}", 5, POOL, "goes on"], chosen=True, told=told)]
    lines = drawn(Table(columns, rows), write)
    words = ["  pod", f"  shop/{POOL} *", f"      prio 5, node {POOL}, goes", "      on"]
    assert lines == (["  in words"] if told else words)


@pytest.mark.parametrize("width", [60, 80, 160])
@pytest.mark.parametrize("write", [table_pieces, wide_pieces])
def test_cut_names_tell_rows_apart(write, width):
    rows = [Row([f"{POOL}-x7k{i}", "cpu: needs 1, free 0.8 of 3, and so on and on"]) for i in range(5)]
    lines = drawn(Table([Column("node", CellKind.NAME_CUT), Column("why")], rows), write, width=width)
    assert max(map(len, lines)) <= width
    names = [line.split()[0] for line in lines[1:] if line.startswith("  gke")]
    assert len(set(names)) == 5


WORDS = st.text("abc-./", min_size=1, max_size=30)
KINDS = st.sampled_from([CellKind.TEXT, CellKind.NAME_CUT, CellKind.NAME])


@given(st.lists(KINDS, min_size=1, max_size=5), st.data(), st.integers(60, 120))
def test_nothing_is_wider_than_the_screen(kinds, data, width):
    columns = [Column(f"c{i}", kind) for i, kind in enumerate(kinds)]
    cells = st.lists(WORDS, min_size=len(kinds), max_size=len(kinds))
    rows = [Row(row) for row in data.draw(st.lists(cells, min_size=1, max_size=4))]
    assert max(map(len, drawn(Table(columns, rows), width=width))) <= width
