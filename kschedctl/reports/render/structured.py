"""json and yaml: the whole report; one object for one question, a List for several, as kubectl does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from kschedctl.reports.formats import Look
from kschedctl.reports.model import API_VERSION, ReportObject


def json_text(reports: Sequence[ReportObject], look: Look) -> str:
    """The reports as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(_document(reports)), indent=2).decode()


def yaml_text(reports: Sequence[ReportObject], look: Look) -> str:
    """The reports as YAML."""
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    data = msgspec.to_builtins(_document(reports))
    text = yaml.dump(data, Dumper=dumper, sort_keys=False, allow_unicode=True, width=2**20)
    return str(text).rstrip("\n")


def _document(reports: Sequence[ReportObject]) -> Any:
    if len(reports) == 1:
        return reports[0]
    return {"apiVersion": API_VERSION, "kind": "List", "items": list(reports)}
