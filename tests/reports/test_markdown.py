"""Markdown shows text as it is, whatever marks are in it."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from kschedctl.questions.cluster import Cluster
from kschedctl.questions.gate import gate
from kschedctl.reports.formats import Look
from kschedctl.reports.model import Caveat
from kschedctl.reports.render.gate_markdown import markdown_text
from kschedctl.reports.render.markdown import escaped, notes, small, table

ROOT = Path(__file__).parents[2]
ROOM = "fixtures/gate-release/room.yaml"


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
    ],
)
def test_text_is_shown_as_it_is(text, shown):
    assert escaped(text) == shown


def test_titles_and_cells_of_tables_are_text():
    assert table(["a_b", "n"], [["x|y", "1"]], ["left", "right"]).splitlines() == [
        r"| a\_b | n |",
        "| --- | ---: |",
        r"| x\|y | 1 |",
    ]
    assert table(["a", "b"], []).splitlines() == ["| a | b |", "| --- | --- |"]


def test_notes_without_a_label_go_on_with_the_one_before():
    assert notes([("note", "a_b"), ("", "c")]) == "- **note**: a\\_b\n  c"


def test_what_stands_below_is_one_emphasis():
    assert small("my_cluster.yaml") == "_my\\_cluster.yaml_"


def test_a_gate_says_each_caveat_once(monkeypatch):
    monkeypatch.chdir(ROOT)
    caveat = Caveat(code="kind-missing", message="no CSINode in the input", may_change_answer=True)
    report = gate([ROOM, ROOM], lambda paths: Cluster.load(*paths))
    scenarios = []
    for scenario in report.scenarios:
        found = scenario.simulation
        weakened = replace(found, cluster=replace(found.cluster, caveats=[caveat]))
        scenarios.append(replace(scenario, simulation=weakened))

    text = markdown_text([replace(report, scenarios=scenarios)], Look())

    assert text.endswith("\n\n- **caveat**: no CSINode in the input")
    assert text.count("**caveat**") == 1
