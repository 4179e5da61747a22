"""Pages: well formed, closed to the outside, and whatever an input says is text."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from verbs import ROOT, VERBS, arguments

from kschedctl.reports.document import (
    CheckItem,
    Checklist,
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
from kschedctl.reports.figures import (
    Bar,
    Bars,
    Branch,
    BranchTree,
    Colouring,
    Curve,
    Curves,
    NodeGrid,
    NodeGroup,
    Panel,
    Panels,
    Partition,
    Shading,
    Span,
    StackedBars,
    Strip,
    Strips,
    TimeLane,
    TimeLanes,
)
from kschedctl.reports.table import CellKind, Column, NodeNames, Row, Share, Table
from kschedctl.reports.tone import Tone
from kschedctl.writers.formats import Look
from kschedctl.writers.html.page import html_pieces

VOID = {"meta", "input"}
EVIL = (
    """</title><script>alert(1)</script><img src=x onerror=alert(1)>"' onmouseover='alert(1)' &amp; \u202e"""
)


class Page(HTMLParser):
    """What is on a page; elements that are not closed in order are an error."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.texts = [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def page(*documents, **look):
    return "".join(html_pieces(documents, Look(**look)))


def everything(text):
    """A document in which every text is this one."""
    why = ReasonGroup(plugin=text, text=text, nodes=[text] * 20)
    columns = [
        Column(text),
        Column(text, CellKind.NAMES),
        Column(text, CellKind.SHARE),
        Column(text, optional=True),
    ]
    names = NodeNames([(text, text)])
    return ReportDocument(
        Headline(Tone.NO, text),
        lead=[text],
        about=[FactList.of([(text, text)])],
        head=text,
        changes=[text],
        figures=lambda: [
            NodeGrid(
                text,
                [NodeGroup(text, True, [(text, text)]), NodeGroup(text, False, [(text + "2", "")])],
                text,
                [Colouring(text, [(text, True)], {text: 0})],
                [Shading(text, {text: 0.5})],
                [Partition(text, {text: text})],
            ),
            Strips(text, [Strip(text, [1, 0.5], [0.2], text)]),
            Bars(text, [Bar(text, 3, text, Tone.YES), Bar(text, -2)], 1, text),
            BranchTree(text, [Branch(text, text, Tone.NO, [Branch(text)])]),
            Panels(text, [Panel(text, text, Tone.NO, [(text, [text])], chosen=True)]),
            TimeLanes(text, 1, [(text, Tone.NO)], [TimeLane(text, [Span(0, 1, 0)], [(0, text)])], text),
            Curves(text, text, 1, [Curve(text, [(0, 1), (0.5, 2)])]),
            StackedBars(text, [text, text], [(text, [1, 2])]),
        ],
        blocks=[
            Table(columns, [Row([text, names, Share(0.5, text), text], chosen=True)], notes=[text]),
            Reasons(text, [Concerned(text, text, [why]), Concerned(text, text, [], text)]),
            FactList([Fact(text, [text], [(0, text), (1, text), (0, text)])], title=text),
            TextLines([text], head=text),
            TextLines([text], whole=True),
            Checklist(Headline(Tone.NO, text), text, text, [CheckItem(False, text, [(text, text)])], [text]),
            Section(text, [TextLines([text], dim=True)]),
        ],
    )


def test_whatever_an_input_says_is_text():
    plain, evil = Page(page(everything("p" * len(EVIL)))), Page(page(everything(EVIL)))

    assert [tag for tag, _ in evil.tags] == [tag for tag, _ in plain.tags]
    assert [sorted(attributes) for _, attributes in evil.tags] == [
        sorted(attributes) for _, attributes in plain.tags
    ]
    assert any("<script>alert(1)</script>" in text for text in evil.texts)
    assert "\u202e" not in page(everything(EVIL))


def test_a_page_forbids_itself_everything_but_its_own_style_and_script():
    text = page(everything("plain"))
    found = Page(text)
    (policy,) = [m["content"] for m in found.all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    directives = dict(part.split(" ", 1) for part in policy.split("; "))

    def digest(tag):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"

    assert directives == {
        "default-src": "'none'",
        "style-src": digest("style"),
        "script-src": digest("script"),
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert not any(
        name in ("style", "src", "href", "srcset") or name.startswith("on")
        for _, a in found.tags
        for name in a
    )
    assert "://" not in text.replace("http://www.w3.org", "")


def test_nodes_can_be_linked_to_and_ids_are_unique():
    found = Page(page(everything("n1"), everything("n1")))
    ids = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    assert sorted(ids) == ["filter", "node=n1", "node=n12", "save"]


def test_one_square_of_each_group_is_reached_by_the_tab_key():
    group = NodeGroup("feasible", True, [(f"n{i}", "") for i in range(100)])
    found = Page(
        page(ReportDocument(Headline(Tone.YES, ""), figures=lambda: [NodeGrid("nodes", [group] * 2)]))
    )
    assert [square["tabindex"] for square in found.all("i")].count("0") == 2
    assert {square["aria-label"] for square in found.all("i")} == {f"n{i}: feasible" for i in range(100)}


def test_every_picture_has_words():
    found = Page(page(everything("plain")))
    assert all("aria-label" in a or a.get("aria-hidden") == "true" for a in found.all("svg"))


def test_quiet_is_the_verdict_alone():
    text = page(ReportDocument(Headline(Tone.YES, "it fits"), lead=["41 points"]), quiet=True)
    assert "it fits" in text
    assert "41 points" not in text


@pytest.mark.parametrize(
    ("part", "width"), [(0.0, "0.0"), (0.5, "50.0"), (1.3, "100.0"), (-0.5, "0.0")], ids=str
)
def test_shares_are_drawn_within_their_bounds(part, width):
    table = Table([Column("used", CellKind.SHARE)], [Row([Share(part, "so much")])])
    found = Page(page(ReportDocument(Headline(Tone.YES, ""), blocks=[table])))
    assert found.all("rect")[1]["width"] == width


@pytest.mark.parametrize(
    ("after", "path"),
    [
        pytest.param([], None, id="nothing"),
        pytest.param([0.5], "M0 100H0.0V50.0H1000V100Z", id="one"),
        pytest.param([1.5, 0.5, 0.5, 0.0], "M0 100H0.0V0.0H250.0V50.0H750.0V100.0H1000V100Z", id="steps"),
    ],
)
def test_strips_step_where_nodes_differ(after, path):
    strip = Strips("how full", [Strip("cpu", [], after, "")])
    found = Page(page(ReportDocument(Headline(Tone.YES, ""), figures=lambda: [strip])))
    assert [shape["d"] for shape in found.all("path")] == ([] if path is None else [path])


def test_large_tables_wait_until_they_come_into_sight():
    rows = [Row([f"n{at}"]) for at in range(201)]
    tables = [Table([Column("node")], rows), Table([Column("node")], rows[:200])]
    found = Page(page(ReportDocument(Headline(Tone.YES, ""), blocks=tables)))
    assert [one["class"] for one in found.all("div") if "scroll" in one["class"]] == ["scroll big", "scroll"]


def test_hundreds_of_names_stand_behind_their_number():
    names = [f"shop/web-{at}" for at in range(100)]
    groups = [Concerned(" ".join(names), "shop/web: 100 pods", []), Concerned("shop/db", "shop/db", [])]
    found = Page(page(ReportDocument(Headline(Tone.NO, ""), blocks=[Reasons("why", groups)])))
    assert len(found.all("details")) == 1
    assert "shop/web: 100 pods" in found.texts


def test_a_tree_folds_where_it_branches_much():
    below = [Branch(f"pod-{at}") for at in range(100)]
    tree = BranchTree("who goes where", [Branch("n1", below=below), Branch("n2", below=below[:2])])
    found = Page(page(ReportDocument(Headline(Tone.YES, ""), figures=lambda: [tree])))
    assert ["open" in details for details in found.all("details")] == [False, True]


def test_lanes_are_as_long_as_their_states_and_tell_their_story():
    lane = TimeLane("web", [Span(0, 30, 1), Span(30, 40, 0)], [(0.0, "finds no node"), (30.0, "bound to n1")])
    lanes = TimeLanes("in time", 30, [("on its node", Tone.YES), ("waits", Tone.NO)], [lane, lane])
    found = Page(page(ReportDocument(Headline(Tone.YES, ""), figures=lambda: [lanes])))
    spans = [(piece["x"], piece["width"]) for piece in found.all("rect") if piece["class"].startswith("k")]
    assert spans == [("0.0", "750.0"), ("750.0", "250.0")] * 2
    told = [one for one in found.all("div") if one.get("class") == "lane"]
    assert {one["aria-label"] for one in told} == {"web: 0 s finds no node; 30 s bound to n1"}
    assert [one["tabindex"] for one in told] == ["0", "-1"]


def test_curves_step():
    curves = Curves("queue", "s", 10, [Curve("waits", [(0, 0), (5, 4), (10, 2)])])
    found = Page(page(ReportDocument(Headline(Tone.YES, ""), figures=lambda: [curves])))
    assert [path["d"] for path in found.all("path")] == ["M0.0 200.0H500.0V0.0H1000.0V100.0H1000"]
    assert found.all("svg")[0]["aria-label"] == "queue: waits from 0, at most 4"


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        pytest.param({}, " 1 in the end", id="a number"),
        pytest.param({"percent": True}, " 100% in the end", id="a part"),
        pytest.param({"resource": "cpu"}, " 0.004 to 0.001", id="an amount"),
    ],
)
def test_curves_tell_their_numbers_as_what_they_are(facts, told):
    curves = Curves("free", "nodes", 10, [Curve("free", [(0, 4), (5, 1)])], **facts)
    assert told in Page(page(ReportDocument(Headline(Tone.YES, ""), figures=lambda: [curves]))).texts


def test_bars_go_both_ways_from_one_line():
    bars = Bars("points", [Bar("Fit", 30), Bar("Spread", -10)])
    found = Page(page(ReportDocument(Headline(Tone.YES, ""), figures=lambda: [bars])))
    assert [(piece["x"], piece["width"]) for piece in found.all("rect")] == [
        ("250.0", "750.0"),
        ("0.0", "250.0"),
    ]
    assert [picture["aria-label"] for picture in found.all("svg")] == ["Fit: +30", "Spread: -10"]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_makes_a_page(verb, capsys, monkeypatch):
    from commands import main

    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit):
        main.run(arguments(verb))
    found = Page(capsys.readouterr().out)
    assert len(found.all("article")) >= 1
    assert found.all("title")
