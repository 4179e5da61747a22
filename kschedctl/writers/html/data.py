"""The reports behind a page: each is in it as JSON, of which the page is a view, and can be read back."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from kschedctl.reports.model import ReportObject
from kschedctl.safe_text import safe_json
from kschedctl.sources.content import Buffer
from kschedctl.writers.html.elements import Markup

_BEGIN: Final = b"<!doctype html>"
_REPORT: Final = re.compile(rb'<script type="application/json" class="report">(.*?)</script>', re.DOTALL)


def report_data(report: ReportObject) -> Markup:
    """A report as data that no browser runs; no name in it can end the element that it is in."""
    return data("report", msgspec.json.encode(report))


def data(name: str, content: bytes) -> Markup:
    """JSON in an element of a class."""
    text = safe_json(content.decode()).replace("<", "\\u003c")
    return Markup(f'<script type="application/json" class="{name}">{text}</script>')


def reports_in(page: Buffer) -> list[Any] | None:
    """The reports of a page as generic data; None for what is no page, empty for one without any."""
    if bytes(page[: len(_BEGIN)]).lower() != _BEGIN:
        return None
    try:
        return [msgspec.json.decode(found) for found in _REPORT.findall(page)]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []
