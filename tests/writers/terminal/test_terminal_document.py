"""Documents on a terminal: the order of things, what is said once, how it looks."""

import pytest

from kschedctl.reports.document import Fact, FactList, Headline, Only, ReportDocument, Section, TextLines
from kschedctl.reports.medium import Medium
from kschedctl.reports.table import Column, Row, Table
from kschedctl.reports.tone import Tone
from kschedctl.writers.formats import Look
from kschedctl.writers.terminal.document import table_pieces, wide_pieces

YES = Headline(Tone.YES, "it fits")


def written(*documents, write=table_pieces, **look):
    return "".join(write(documents, Look(**look))).splitlines()


def test_a_document_from_top_to_bottom():
    document = ReportDocument(
        YES,
        lead=["41 points"],
        head="kube-scheduler 1.37; a.yaml",
        changes=["drain a", "cordon b"],
        blocks=[TextLines(["no [x]"], head="a.yaml:"), Section("spread", [TextLines(["the minimum is 0"])])],
    )

    assert written(document) == [
        "✓ it fits",
        "  41 points",
        "  kube-scheduler 1.37; a.yaml",
        "  after drain a; cordon b",
        "",
        "  a.yaml:",
        "  no [x]",
        "",
        "  spread",
        "    the minimum is 0",
    ]


@pytest.mark.parametrize(
    ("look", "line"),
    [
        ({}, "✓ it fits"),
        ({"unicode": False}, "+ it fits"),
        ({"color": True}, "\x1b[1;32m✓\x1b[0m \x1b[1mit fits\x1b[0m"),
    ],
    ids=["plain", "ascii", "colours"],
)
def test_the_verdict(look, line):
    assert written(ReportDocument(YES), **look) == [line]


def test_quiet_is_the_verdict_alone():
    documents = [
        ReportDocument(Headline(Tone.PLAIN, "all"), about_all=True),
        ReportDocument(YES, lead=["41 points"]),
        ReportDocument(Headline(Tone.PLAIN, "prod.json", short="prod.json: 6 nodes")),
    ]

    assert written(*documents, quiet=True) == ["✓ it fits", "prod.json: 6 nodes"]


def test_what_stands_above_already_is_not_said_again():
    def document(*caveats):
        facts = FactList([Fact("caveat", [text]) for text in caveats])
        return ReportDocument(YES, head="kube-scheduler 1.37", blocks=[facts])

    assert written(document("one"), document("one", "two"), document("two")) == [
        "✓ it fits",
        "  kube-scheduler 1.37",
        "",
        "  caveat  one",
        "",
        "✓ it fits",
        "",
        "  caveat  two",
        "",
        "✓ it fits",
    ]


def test_long_text_goes_on_below_itself():
    facts = FactList.of([("label", "one two three four"), ("", "five")])
    assert written(ReportDocument(YES, blocks=[facts]), width=20)[2:] == [
        "  label  one two",
        "         three four",
        "         five",
    ]


def test_what_follows_from_a_fact_is_set_in():
    fact = Fact("then", ["two"], [(0, "a moves"), (1, "b goes"), (0, "c"), (0, "d")], {Medium.TABLE: 2})
    document = ReportDocument(YES, blocks=[FactList([fact])])

    assert written(document)[2:] == [
        "  then  two",
        "        a moves",
        "          b goes",
        "        2 more lines, see -o wide",
    ]
    assert written(document, write=wide_pieces)[-1] == "        d"


def test_blocks_for_other_media_are_not_even_made():
    def unwanted():
        raise AssertionError("made")

    document = ReportDocument(
        YES,
        blocks=[
            Only(frozenset({Medium.WIDE}), unwanted),
            Only(frozenset({Medium.TABLE}), lambda: TextLines(["a"])),
        ],
    )
    assert written(document)[-1] == "  a"


def test_facts_of_several_blocks_stand_below_one_another():
    document = ReportDocument(
        YES, blocks=[FactList.of([("a", "1")]), FactList([]), FactList.of([("longer", "2")])]
    )
    assert written(document)[2:] == ["  a       1", "  longer  2"]


@pytest.mark.parametrize("left", [1, 2])
def test_a_single_line_is_never_left_out(left):
    lines = TextLines([f"line {i}" for i in range(2 + left)], limits={Medium.TABLE: 2})
    last = written(ReportDocument(YES, blocks=[lines]))[-1]
    assert last == ("  line 2" if left == 1 else "  2 more notes, see -o wide")


def test_a_path_that_is_longer_than_the_screen_stays_whole():
    path = "/a/" + "b" * 90
    assert written(ReportDocument(Headline(Tone.NO, f"{path} cannot be read"))) == [
        f"✗ {path} cannot be read"
    ]


def test_text_in_brackets_is_no_markup_and_nothing_moves_the_cursor():
    evil = "[bold]x\x1b[2J\u202e"
    shown = r"[bold]x\u{1b}[2J\u{202e}"
    table = Table([Column(evil)], [Row([evil])])
    document = ReportDocument(
        Headline(Tone.NO, evil),
        lead=[evil],
        head=evil,
        changes=[evil],
        blocks=[FactList.of([(evil, evil)]), TextLines([evil], head=evil), Section(evil, [table])],
    )

    text = "\n".join(written(document))
    assert text.count(shown) == 11
    assert "\x1b" not in text


def test_a_document_may_ask_for_a_wide_screen():
    document = ReportDocument(Headline(Tone.NO, "word " * 30), width=160)
    assert len(written(document)) == 2
    assert len(written(document, write=wide_pieces)) == 1
