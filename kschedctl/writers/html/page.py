"""Documents as one page, which holds its style and its script and forbids itself everything else."""

from __future__ import annotations

import base64
import hashlib
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from kschedctl.reports.document import ReportDocument, wanted
from kschedctl.reports.medium import Medium
from kschedctl.reports.model import ReportObject
from kschedctl.reports.tone import Tone
from kschedctl.writers.formats import Look
from kschedctl.writers.html.blocks import block, facts
from kschedctl.writers.html.data import report_data
from kschedctl.writers.html.elements import Markup, element, void
from kschedctl.writers.html.figures.figure import figure

_MARKS: Final = MappingProxyType({Tone.YES: "✓", Tone.NO: "✗", Tone.MIXED: "!"})
_STYLES: Final = ("page.css", "figures.css")
_SCRIPTS: Final = ("page.js", "figures.js")


def html_pieces(
    documents: Iterable[ReportDocument], look: Look, reports: deque[ReportObject] | None = None
) -> Iterator[str]:
    """The documents below one another on one page, and the reports that they are made of as data.

    Args:
        documents: the documents.
        look: how they are to look.
        reports: gets the reports that documents are made of as these are taken; None: there are none.
    """
    made_of = deque[ReportObject]() if reports is None else reports
    first, linked = True, False
    for document in documents:
        if first:
            yield _top(document.verdict.text)
            first, linked = False, True
        yield f"{_article(document, quiet=look.quiet, linked=linked)}\n"
        while made_of:
            report = made_of.popleft()
            yield f"{report_data(report.brief() if look.quiet else report)}\n"
        linked = linked and not document.figures()
    if not first:
        yield f"</main>\n<script>{_file(*_SCRIPTS)}</script>\n</body>\n</html>\n"


def _top(title: str) -> str:
    """Everything before the first document."""
    policy = "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_digest(*_STYLES)}'",
            f"script-src '{_digest(*_SCRIPTS)}'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    head = [
        void("meta", charset="utf-8"),
        void("meta", http_equiv="Content-Security-Policy", content=policy),
        void("meta", name="viewport", content="width=device-width, initial-scale=1"),
        void("meta", name="referrer", content="no-referrer"),
        element("title", title),
        Markup(f"<style>{_file(*_STYLES)}</style>"),
    ]
    filter_ = void(
        "input",
        id="filter",
        type="search",
        placeholder="filter: node, reason, workload",
        aria_label="Show only rows and nodes with these words",
    )
    save = element(
        "button", "JSON", type="button", id="save", title="Save the report behind this page as JSON"
    )
    tools = element("div", filter_, save, class_="tools", role="search", hidden="")
    return "\n".join(
        ("<!doctype html>", '<html lang="en">', element("head", *head), "<body>", tools, "<main>", "")
    )


def _article(document: ReportDocument, *, quiet: bool, linked: bool) -> Markup:
    verdict = document.verdict
    mark = _MARKS.get(verdict.tone)
    marks = [element("span", mark, " ", class_=f"mark {verdict.tone.value}")] if mark else []
    shown = verdict.short if quiet and verdict.short else verdict.text
    parts = [element("h1", *marks, shown)]
    if quiet:
        return element("article", *parts)
    parts += [element("p", line) for line in document.lead]
    parts += [facts(one) for one in document.about]
    if document.head:
        parts.append(element("p", document.head, class_="head"))
    if document.changes:
        parts.append(element("p", f"after {'; '.join(document.changes)}", class_="changes"))
    parts += [figure(one, linked=linked) for one in document.figures()]
    parts += [block(one) for one in wanted(document.blocks, Medium.HTML)]
    return element("article", *parts)


@cache
def _file(*names: str) -> str:
    """Files beside this one, one after the other."""
    return "".join((files("kschedctl.writers.html") / name).read_text("utf-8") for name in names)


@cache
def _digest(*names: str) -> str:
    """What tells a browser that a style or script is the one that is meant."""
    return "sha256-" + base64.b64encode(hashlib.sha256(_file(*names).encode()).digest()).decode()
