"""Markdown shows text as it is, whatever marks are in it."""

import pytest

from kschedctl.reports.document import (
    Concerned,
    Fact,
    FactList,
    Headline,
    Reasons,
    ReportDocument,
    Section,
    TextLines,
)
from kschedctl.reports.explain.model import ReasonGroup
from kschedctl.reports.medium import Medium
from kschedctl.reports.table import CellKind, Column, NodeNames, Row, Share, Table
from kschedctl.reports.tone import Tone
from kschedctl.writers.formats import Look
from kschedctl.writers.markdown import escaped, markdown_pieces

YES = Headline(Tone.YES, "it fits")


def written(*blocks, **fields):
    document = ReportDocument(fields.pop("verdict", YES), blocks=blocks, **fields)
    (text,) = markdown_pieces([document], Look())
    return text.split("\n\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, 1.5 of 2", "plain text, 1.5 of 2"),
        ("a|b", r"a\|b"),
        ("`code`", r"\`code\`"),
        ("[link](x)", r"\[link\](x)"),
        ("<script>", r"\<script\>"),
        ("__init__ *", r"\_\_init\_\_ \*"),
        ("back\\slash", "back\\\\slash"),
        ("two\nlines", "two lines"),
        ("two \r\n\n lines", "two lines"),
        ("~~gone~~ $x$", r"\~\~gone\~\~ \$x\$"),
        pytest.param("ask @kubernetes/sig", "ask @<!-- -->kubernetes/sig", id="nobody is called"),
        pytest.param("see #12, a@b", "see #<!-- -->12, a@b", id="no issue is linked"),
        pytest.param("a\u202eb", "a\\\\u{202e}b", id="no line is turned round"),
    ],
)
def test_text_is_shown_as_it_is(text, shown):
    assert escaped(text) == shown


def test_a_document_from_top_to_bottom():
    assert written(lead=["41 points"], changes=["drain a", "cordon b"], head="kube-scheduler in my_file") == [
        "### ✅ it fits",
        "41 points",
        "After drain a; cordon b.",
        "_kube-scheduler in my\\_file_\n",
    ]


@pytest.mark.parametrize(
    ("tone", "mark"), [(Tone.YES, "✅ "), (Tone.NO, "❌ "), (Tone.MIXED, "⚠️ "), (Tone.PLAIN, "")]
)
def test_the_mark_of_a_verdict(tone, mark):
    assert written(verdict=Headline(tone, "so")) == [f"### {mark}so\n"]


def test_what_is_about_several_answers_stands_above_them_and_is_left_out_when_quiet():
    above = ReportDocument(Headline(Tone.NO, "1 of 2"), about_all=True)
    below = ReportDocument(Headline(Tone.PLAIN, "1 of 2 placed"), about_all=True)
    documents = [above, ReportDocument(YES), below]

    assert "".join(markdown_pieces(documents, Look())) == "## ❌ 1 of 2\n\n### ✅ it fits\n\n1 of 2 placed\n"
    assert "".join(markdown_pieces(documents, Look(quiet=True))) == "### ✅ it fits\n"


def test_tables():
    columns = [
        Column("a_b"),
        Column("n", CellKind.NUMBER),
        Column("nodes", CellKind.NAMES),
        Column("used", CellKind.SHARE),
    ]
    rows = [
        Row(["x|y", 1, NodeNames([("n1", ":2"), ("n2", "")]), Share(0.5, "50 %")], chosen=True),
        Row(["z", 0, NodeNames.of([f"n{i}" for i in range(25)]), Share(None, "-")]),
        Row(["left out", 0, NodeNames([]), Share(None, "-")]),
    ]
    table = Table(columns, rows, limits={Medium.MARKDOWN: 2}, notes=["one_note"])

    assert written(table)[1:] == [
        "| a\\_b | n | nodes | used |\n"
        "| --- | ---: | --- | --- |\n"
        "| **x\\|y** | 1 | n1:2 n2 | 50 % |\n"
        f"| z | 0 | {' '.join(f'n{i}' for i in range(20))} +5 | - |\n"
        "| +1 |  |  |  |",
        "one\\_note\n",
    ]


def test_columns_of_zeros_that_may_go_are_left_out():
    columns = [
        Column("node"),
        Column("Fit", CellKind.NUMBER, long="NodeResourcesFit", suffix=" x2", optional=True),
        Column("Image", CellKind.NUMBER, optional=True),
    ]

    assert written(Table(columns, [Row(["n1", 3, 0])]))[1].splitlines()[0] == "| node | NodeResourcesFit x2 |"


def test_reasons_of_several():
    group = ReasonGroup(plugin="", text="cordoned", nodes=["n1", "n2"])
    reasons = Reasons(
        "stay pending", [Concerned("Job/a_b", "", [group]), Concerned("Pod/b", "", [], "gated")]
    )

    assert written(reasons)[1].splitlines()[2:] == [
        "| **Job/a\\_b** |  |  |",
        "| cordoned | 2 | n1 n2 |",
        "| **Pod/b** |  |  |",
        "| gated |  |  |",
    ]


def test_facts_go_on_below_themselves():
    facts = FactList(
        [
            Fact("note", ["a_b", "c"]),
            Fact("then", ["two"], [(0, "a moves"), (1, "b goes"), (0, "left out")], {Medium.MARKDOWN: 2}),
        ]
    )

    assert written(facts)[1].splitlines() == [
        "- **note**: a\\_b",
        "  c",
        "- **then**: two",
        "  - a moves",
        "    - b goes",
        "  - 1 more line",
    ]


def test_sections_and_lines():
    assert written(
        TextLines(["no [x]"], head="a.yaml:"), Section("spread", [TextLines(["the minimum is 0"], dim=True)])
    )[1:] == ["a.yaml:", r"- no \[x\]", "spread:", "the minimum is 0\n"]
