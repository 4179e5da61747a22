"""Results of scenarios on file, a line of JSON each as soon as it is there: a sweep goes on where it ended."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final

import msgspec

from kschedctl.errors import InputError, Place, UsageError
from kschedctl.questions.trials import Found
from kschedctl.reports.model import API_VERSION
from kschedctl.reports.sweep.model import SweepTrial

_HEADER: Final = {"apiVersion": API_VERSION, "kind": "SweepResults"}
_HINT: Final = "`kschedctl sweep --results FILE` writes one."


class _Line(msgspec.Struct):
    key: str
    trial: SweepTrial


class TrialResults:
    """A file of results, open for more.

    Args:
        path: the file; None: nothing is kept.
        resume: take the results that it holds.

    Attributes:
        known: key of a scenario -> what came of it.

    Raises:
        UsageError: there is such a file, and nobody wants to resume.
        InputError: it cannot be read or written, or is something else.
    """

    def __init__(self, path: str | None, *, resume: bool = False) -> None:
        self.known: Mapping[str, SweepTrial] = {}
        self._path = path
        self._file: BinaryIO | None = None
        if path is None:
            return
        file = Path(path)
        content = b""
        try:
            if file.exists() and file.stat().st_size:
                if not resume:
                    raise UsageError(f"there are results in {path}", hint="--resume goes on with them.")
                content = file.read_bytes()
            self.known, whole = _read(content, path)
            self._file = file.open("ab")
            self._file.truncate(whole)
            if not whole:
                self._write(msgspec.json.encode(_HEADER))
        except OSError as error:
            raise _unusable(path, error) from error

    def __enter__(self) -> TrialResults:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def keep(self, found: Found) -> None:
        """Write a result, unless it has no key or the scenario could not be run: the next time it may be.

        Raises:
            InputError: the file cannot be written.
        """
        if self._file is None or not found.key or found.trial.error is not None:
            return
        try:
            self._write(msgspec.json.encode(_Line(found.key, found.trial)))
        except OSError as error:
            assert self._path is not None
            raise _unusable(self._path, error) from error

    def _write(self, line: bytes) -> None:
        assert self._file is not None
        self._file.write(line + b"\n")
        self._file.flush()


def _read(content: bytes, path: str) -> tuple[dict[str, SweepTrial], int]:
    """The results, and how many bytes of whole lines there are: the last one may have been cut off."""
    whole = content.rfind(b"\n") + 1
    known: dict[str, SweepTrial] = {}
    for number, line in enumerate(content[:whole].splitlines(), 1):
        try:
            if number == 1:
                if msgspec.json.decode(line) != _HEADER:
                    raise InputError("holds no results of a sweep", place=Place(path), hint=_HINT)
                continue
            found = msgspec.json.decode(line, type=_Line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            place = Place(path, line=number)
            raise InputError(f"is no result of a sweep: {error}", place=place, hint=_HINT) from error
        known[found.key] = found.trial
    if content and not whole:
        raise InputError("holds no results of a sweep", place=Place(path), hint=_HINT)
    return known, whole


def _unusable(path: str, error: OSError) -> InputError:
    return InputError(f"cannot be used for results: {error.strerror or error}", place=Place(path))
