"""The text of a snapshot, back to a header and objects; mistakes are told by their field."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import msgspec
from msgspec import Struct

from kschedctl.objects.pod import Pod
from kschedctl.sources.lines import FieldPath
from kschedctl.sources.pod_templates import unfold_pods
from kschedctl.sources.shape import Mismatch, ShapeError, decode, decode_slowly, describe
from kschedctl.sources.snapshot import API_VERSION, Header, PodRow


class _Body(msgspec.Struct, frozen=True, rename="camel"):
    """The lists that follow the header, templates and other objects still as text."""

    pod_templates: list[msgspec.Raw] = []
    pods: list[PodRow] = []
    items: list[msgspec.Raw] = []


class _Envelope(msgspec.Struct, frozen=True, rename="camel"):
    api_version: str = ""


_header = msgspec.json.Decoder(Header)
_body = msgspec.json.Decoder(_Body)
_envelope = msgspec.json.Decoder(_Envelope)
_template = msgspec.json.Decoder(Pod)


class SnapshotText(Struct, frozen=True):
    """A snapshot that has been read, its other objects still as JSON.

    Attributes:
        header: what it says of itself.
        templates: of each template, a pod without a name.
        rows: the pods.
        items: every other object.
    """

    header: Header
    templates: list[Pod]
    rows: list[PodRow]
    items: list[msgspec.Raw]

    def pods(self) -> Iterator[Pod]:
        """Yield the pods."""
        return unfold_pods(self.templates, self.rows)


def read_snapshot(text: memoryview | bytes | msgspec.Raw) -> SnapshotText:
    """Read the text of a snapshot.

    Raises:
        ShapeError: it is of another version, or some of its fields have the wrong shape.
        msgspec.DecodeError, UnicodeDecodeError: it is no text.
    """
    _check_version(text)
    try:
        header, body = _header.decode(text), _body.decode(text)
    except msgspec.ValidationError:
        header, body = _decode_slowly(text)
    _check_time(header.taken_at)
    templates = _decode_templates(body.pod_templates)
    if body.pods:
        _check_templates(body.pods, len(templates))
    return SnapshotText(header, templates, body.pods, body.items)


def _check_time(taken_at: str) -> None:
    """Refuse what is no time, before something is reckoned with it."""
    if not taken_at:
        return
    try:
        known = datetime.fromisoformat(taken_at).tzinfo is not None
    except ValueError:
        known = False
    if not known:
        message = f"expected a time with its zone such as 2026-03-01T10:00:00Z, got {describe(taken_at)}"
        raise ShapeError([Mismatch(("takenAt",), message)])


def _check_version(text: memoryview | bytes | msgspec.Raw) -> None:
    version = _envelope.decode(text).api_version
    if version != API_VERSION:
        message = f"this is a snapshot of version {version}, and only {API_VERSION} can be read"
        raise ShapeError([Mismatch(("apiVersion",), message)])


def _decode_slowly(text: memoryview | bytes | msgspec.Raw) -> tuple[Header, _Body]:
    """Accept nulls, or name every mismatch of the header and the rows."""
    data = msgspec.json.decode(text)
    mismatches: list[Mismatch] = []
    try:
        header = decode_slowly(data, Header)
    except ShapeError as error:
        mismatches += error.mismatches
    for key in ("podTemplates", "items"):
        if isinstance(data.get(key), list):
            data[key] = [msgspec.Raw(msgspec.json.encode(item)) for item in data[key]]
    try:
        body = decode_slowly(data, _Body)
    except ShapeError as error:
        mismatches += error.mismatches
    if mismatches:
        raise ShapeError(mismatches)
    return header, body


def _decode_templates(texts: list[msgspec.Raw]) -> list[Pod]:
    templates: list[Pod] = []
    mismatches: list[Mismatch] = []
    for i, raw in enumerate(texts):
        try:
            templates.append(_template.decode(raw))
        except msgspec.ValidationError:
            try:
                templates.append(decode(msgspec.json.decode(raw), Pod))
            except ShapeError as error:
                at: FieldPath = ("podTemplates", i)
                mismatches += (Mismatch(at + m.path, m.message) for m in error.mismatches)
    if mismatches:
        raise ShapeError(mismatches)
    return templates


def _check_templates(rows: list[PodRow], count: int) -> None:
    wrong = [i for i, row in enumerate(rows) if not 0 <= row.template < count]
    if wrong:
        raise ShapeError(
            [
                Mismatch(
                    ("pods", i, "template"),
                    f"there is no pod template {rows[i].template}; the file has {count}",
                )
                for i in wrong
            ]
        )
