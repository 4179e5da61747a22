"""json and yaml: the whole report; one object for one question, a List for several, as kubectl does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice

import msgspec

from kschedctl.reports.model import API_VERSION, ReportObject
from kschedctl.safe_text import safe_json
from kschedctl.writers.formats import Look
from kschedctl.writers.yaml_text import yaml_text


def json_pieces(reports: Iterable[ReportObject], look: Look) -> Iterator[str]:
    """The reports as indented JSON, one after the other; with -q without what is told node by node."""
    first, more = _first_and_more(_wanted(reports, look))
    if first is None:
        yield f'{{\n  "apiVersion": "{API_VERSION}",\n  "kind": "List",\n  "items": []\n}}\n'
        return
    if more is None:
        yield f"{_json(first)}\n"
        return
    before = f'{{\n  "apiVersion": "{API_VERSION}",\n  "kind": "List",\n  "items": [\n    '
    for report in more:
        # Text in JSON has no line breaks of its own.
        yield before + _json(report).replace("\n", "\n    ")
        before = ",\n    "
    yield "\n  ]\n}\n"


def yaml_pieces(reports: Iterable[ReportObject], look: Look) -> Iterator[str]:
    """The same as YAML."""
    first, more = _first_and_more(_wanted(reports, look))
    if first is None:
        yield f"apiVersion: {API_VERSION}\nkind: List\nitems: []\n"
        return
    if more is None:
        yield yaml_text(msgspec.to_builtins(first))
        return
    yield f"apiVersion: {API_VERSION}\nkind: List\nitems:\n"
    for report in more:
        yield yaml_text([msgspec.to_builtins(report)])


def _wanted(reports: Iterable[ReportObject], look: Look) -> Iterable[ReportObject]:
    return (report.brief() for report in reports) if look.quiet else reports


def _first_and_more(
    reports: Iterable[ReportObject],
) -> tuple[ReportObject | None, Iterator[ReportObject] | None]:
    """The first report, if there is one, and all of them again where it is not the only one."""
    left = iter(reports)
    begun = list(islice(left, 2))
    return (begun[0] if begun else None), chain(begun, left) if len(begun) > 1 else None


def _json(report: ReportObject) -> str:
    return safe_json(msgspec.json.format(msgspec.json.encode(report), indent=2).decode())
