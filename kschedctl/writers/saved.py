"""Reports that were saved as JSON, YAML or a page, to be written in another format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO, Final

import msgspec
from msgspec import Struct

from kschedctl.errors import InputError, Place
from kschedctl.reports.model import API_VERSION, ReportObject
from kschedctl.sources.content import Input
from kschedctl.sources.document import documents_of
from kschedctl.writers.catalogue import CATALOGUE, KindOfReport
from kschedctl.writers.html.data import reports_in

_HINT: Final = "Save one with -o json: kschedctl explain pod.yaml -o json > report.json"
_MAKE_ANEW: Final = "Another version of kschedctl may have made it; make it anew."


class SavedReports(Struct, frozen=True):
    """Reports of one kind.

    Attributes:
        kind: their kind.
        reports: the reports, at least one.
        place: where they were read.
    """

    kind: KindOfReport
    reports: list[ReportObject]
    place: Place

    def written(self, pieces: Iterable[str]) -> list[str]:
        """What a writer makes of them, whole.

        A report of ours holds together: what it counts is there, a time is a time. One that was changed since need
        not, though all of its fields have their types.

        Raises:
            InputError: it does not.
        """
        try:
            return list(pieces)
        except (LookupError, TypeError, ValueError, ArithmeticError) as error:
            raise InputError(
                f"it does not hold together as reports do: {error}", place=self.place, hint=_MAKE_ANEW
            ) from error


def read_saved(path: str, stdin: BinaryIO | None = None) -> SavedReports:
    """The reports of a file: one, or a List of several, as `-o json` and `-o yaml` write them, or a page of them.

    Raises:
        InputError: it is no report, or one that this version does not know.
    """
    source = Input.of(path, stdin)
    place = Place(file=source.name)
    items = reports_in(source.read())
    if items is None:
        items = _items(source, place)
    elif not all(isinstance(item, Mapping) and item.get("apiVersion") == API_VERSION for item in items):
        raise InputError(f"the page holds no report of {API_VERSION}", place=place, hint=_HINT)
    names = (
        {str(item.get("kind")) for item in items if isinstance(item, Mapping)}
        if isinstance(items, list)
        else set()
    )
    kind = CATALOGUE.get(names.pop()) if len(names) == 1 else None
    if kind is None:
        raise InputError(f"its kind is none of {', '.join(CATALOGUE)}", place=place)
    return SavedReports(kind, _reports(items, kind, place), place)


def _items(source: Input, place: Place) -> Any:
    """What a file of data holds: the report, or what is said to be the reports of a List."""
    found = documents_of(source)
    data = found[0].data if len(found) == 1 else None
    if not isinstance(data, Mapping) or data.get("apiVersion") != API_VERSION:
        raise InputError(f"it is no report of {API_VERSION}", place=place, hint=_HINT)
    return data.get("items") if data.get("kind") == "List" else [data]


def _reports(items: Any, kind: KindOfReport, place: Place) -> list[ReportObject]:
    try:
        return [msgspec.convert(item, kind.type()) for item in items]
    except msgspec.ValidationError as error:
        raise InputError(
            f"it is not as reports of this version are: {error}", place=place, hint=_MAKE_ANEW
        ) from error
