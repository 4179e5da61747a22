"""Pods and changes that come at their times: a file of `Arrivals`, or a trace as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Any, BinaryIO, Final

from msgspec import Struct

from kschedctl.cluster.start_times import NO_START, start_of
from kschedctl.errors import InputError, KschedError, Place, UnsupportedError
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.run.written_entries import ACTIONS, decoded, meant
from kschedctl.sources.content import Input
from kschedctl.sources.document import Document, load_documents, raise_all
from kschedctl.sources.unknown_fields import unknown_field_text

KIND: Final = "Arrivals"
_TIMES: Final = ("at", "end", "duration")
_PLAIN: Final = (*_TIMES, "name", "namespace", "priority")
_FIELDS: Final = (*_TIMES, *ACTIONS, "grace")
_NANOSECONDS: Final = 1_000_000_000
_LATEST: Final = 1_000_000_000
"""Seconds from the beginning: thirty years."""


class Moment(Struct, frozen=True):
    """A time as it is written.

    Attributes:
        seconds: since the beginning, or since 1970 for a date.
        dated: whether it is a date.
    """

    seconds: float
    dated: bool = False

    def since(self, epoch: float) -> float:
        """Seconds since a beginning, which is given in seconds since 1970."""
        return self.seconds - epoch if self.dated else self.seconds


class Arrival(Struct, frozen=True):
    """Something that happens at a time.

    Attributes:
        at: when.
        action: one of `ACTIONS` and what belongs to it, as written.
        pod: the pod that a `create` is about; None where it is about something else.
        end: when the pod ends whether it runs or not; None: never.
        duration: seconds after which it ends once it is bound; None: it goes on.
    """

    at: Moment
    action: Mapping[str, Any]
    pod: Pod | None = None
    end: Moment | None = None
    duration: float | None = None


def load_arrivals(path: str, stdin: BinaryIO | None = None) -> list[Arrival]:
    """Read a file: CSV by its name, else YAML or JSON documents of kind Arrivals.

    A CSV file has a pod a line, and a first line with the names of columns: `at` and `name`, and where wanted `end`,
    `duration`, `namespace`, `priority`; any other column is a resource that the pod requests.

    Raises:
        InputError: the only problem.
        InputErrors: all problems of the file.
    """
    problems: list[KschedError] = []
    found: list[Arrival] = []
    written = (
        _rows(path)
        if path.removesuffix(".gz").endswith(".csv")
        else _entries(load_documents(path, stdin), problems)
    )
    for data, place in written:
        try:
            found.append(_arrival(data, place))
        except KschedError as error:
            problems.append(error)
    raise_all(problems)
    if not found:
        raise InputError("nothing arrives in it", place=Place(file=path))
    return found


def _entries(
    documents: list[Document], problems: list[KschedError]
) -> Iterator[tuple[Mapping[str, Any], Place]]:
    for document in documents:
        kind = document.data.get("kind") if isinstance(document.data, dict) else None
        listed = document.data.get("arrivals") if kind == KIND else None
        if not isinstance(listed, list):
            hint = "Write kind: Arrivals, and under arrivals: a list of entries with at: and create:."
            problems.append(InputError("is no list of arrivals", place=document.place(), hint=hint))
            continue
        for i, entry in enumerate(listed):
            place = document.place("arrivals", i)
            if isinstance(entry, dict):
                yield entry, place
            else:
                problems.append(InputError(f"expected an entry with at:, got {entry!r}", place=place))


def _rows(path: str) -> Iterator[tuple[Mapping[str, Any], Place]]:
    try:
        text = bytes(Input.of(path, None).read()).decode()
    except UnicodeDecodeError:
        raise InputError("is no text in UTF-8", place=Place(file=path)) from None
    rows = csv.DictReader(StringIO(text))
    for row in rows:
        place = Place(file=path, line=rows.line_num)
        cells = {name: cell for name, cell in row.items() if name and cell}
        if not cells.get("name"):
            raise InputError(
                "has no name", place=place, hint="The first line names the columns: at,name,cpu."
            )
        requests = {name: cell for name, cell in cells.items() if name not in _PLAIN}
        container = {"name": "main", "image": "trace", "resources": {"requests": requests}}
        spec: dict[str, Any] = {"containers": [container]}
        if "priority" in cells:
            spec["priority"] = _number(cells["priority"], "priority", place)
        metadata = {"name": cells["name"], "namespace": cells.get("namespace", "default")}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
        yield {"create": pod, **{name: cells[name] for name in _TIMES if name in cells}}, place


def _number(text: str, field: str, place: Place) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{field}: expected a whole number, got {text!r}", place=place) from None


def _arrival(data: Mapping[str, Any], place: Place) -> Arrival:
    if unknown := [name for name in data if name not in _FIELDS]:
        raise InputError(
            f"unknown field {unknown[0]}", place=place, hint=f"An entry has {', '.join(_FIELDS)}."
        )
    actions = [name for name in ACTIONS if name in data]
    if len(actions) != 1:
        raise InputError(f"expected one of {', '.join(ACTIONS)}, got {len(actions)} of them", place=place)
    (action,) = actions
    pod = None
    try:
        if action in ("create", "update"):
            made = decoded(data[action])
            _check_fields(data[action], type(made))
            pod = made if action == "create" and isinstance(made, Pod) else None
        elif not all(isinstance(data[action].get(name), str) for name in ("kind", "name")) or (
            action == "patch" and "merge" not in data["patch"]
        ):
            raise InputError("expected kind and name of an object")
        else:
            kind, *_ = meant(data[action])
            _check_fields(data[action].get("merge"), kind)
    except InputError as error:
        raise InputError(f"{action}: {error.message}", place=place) from None
    except (UnsupportedError, AttributeError, TypeError) as error:
        raise InputError(f"{action}: {error}", place=place) from None
    grace = data.get("grace")
    if grace is not None and (type(grace) is not int or not 0 <= grace <= _LATEST):
        raise InputError("grace: expected a whole number of seconds", place=place)
    at = _moment(data, "at", place)
    if at is None:
        raise InputError("has no time", place=place, hint="Write at: SECONDS, or a date.")
    end, duration = _moment(data, "end", place), _moment(data, "duration", place)
    if pod is None and (end or duration):
        raise InputError("only a pod that is created can end", place=place)
    return Arrival(at, data, pod, end, None if duration is None else duration.seconds)


def _check_fields(data: Any, kind: type[TopLevel]) -> None:
    text = unknown_field_text(data, kind)
    if text is not None:
        raise InputError(text)


def _moment(data: Mapping[str, Any], field: str, place: Place) -> Moment | None:
    written = data.get(field)
    if written is None:
        return None
    try:
        moment = Moment(float(written))
    except OverflowError:
        moment = Moment(float("inf"))
    except (TypeError, ValueError):
        at = start_of(written) if isinstance(written, str) else NO_START
        if at == NO_START or field == "duration":
            hint = "Write seconds, or a date such as 2026-03-01T12:00:00Z."
            raise InputError(f"{field}: {written!r} is no time", place=place, hint=hint) from None
        return Moment(at / _NANOSECONDS, dated=True)
    if not 0 <= moment.seconds <= _LATEST:
        raise InputError(f"{field}: {written!s:.40} is no time that is to come", place=place)
    return moment
