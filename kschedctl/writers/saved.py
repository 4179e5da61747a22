"""Reports that were saved as JSON or YAML, to be written in another format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct

from kschedctl.errors import InputError, Place
from kschedctl.reports.model import API_VERSION, ReportObject
from kschedctl.sources.document import load_document
from kschedctl.writers.catalogue import CATALOGUE, KindOfReport


class SavedReports(Struct, frozen=True):
    """Reports of one kind.

    Attributes:
        kind: their kind.
        reports: the reports, at least one.
    """

    kind: KindOfReport
    reports: list[ReportObject]


def read_saved(path: str, stdin: BinaryIO | None = None) -> SavedReports:
    """The reports of a file: one, or a List of several, as `-o json` and `-o yaml` write them.

    Raises:
        InputError: it is no report, or one that this version does not know.
    """
    document = load_document(path, stdin)
    data, place = document.data, Place(file=document.place().file)
    if not isinstance(data, Mapping) or data.get("apiVersion") != API_VERSION:
        hint = "Save one with -o json: kschedctl explain pod.yaml -o json > report.json"
        raise InputError(f"it is no report of {API_VERSION}", place=place, hint=hint)
    items = data.get("items") if data.get("kind") == "List" else [data]
    names = (
        {item.get("kind") for item in items if isinstance(item, Mapping)}
        if isinstance(items, list)
        else set()
    )
    kind = CATALOGUE.get(str(names.pop())) if len(names) == 1 else None
    if kind is None:
        raise InputError(f"its kind is none of {', '.join(CATALOGUE)}", place=place)
    return SavedReports(kind, _reports(items, kind, place))


def _reports(items: Any, kind: KindOfReport, place: Place) -> list[ReportObject]:
    try:
        return [msgspec.convert(item, kind.type()) for item in items]
    except msgspec.ValidationError as error:
        hint = "Another version of kschedctl may have made it; make it anew."
        raise InputError(
            f"it is not as reports of this version are: {error}", place=place, hint=hint
        ) from error
