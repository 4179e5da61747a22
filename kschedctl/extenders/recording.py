"""Exchanges with extenders on file, so that a snapshot with a recording is decided anywhere, offline."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Final

from kschedctl.errors import InputError, Place
from kschedctl.extenders.call import Call, CallError, Reply, Transport
from kschedctl.sources.foreign_json import json_value

_HEADER: Final = {"apiVersion": "kschedctl.dev/v1alpha1", "kind": "ExtenderRecording"}

Answer = Reply | CallError


class Recorder:
    """Carries calls by another transport, and writes every exchange; the same request is sent once.

    The file is a line of JSON an exchange, after a line that says what it is. What was in it before is lost as soon
    as the first call is made.

    Args:
        inner: carries the calls.
        path: the file.
    """

    def __init__(self, inner: Transport, path: Path) -> None:
        self._inner, self._path = inner, path
        self._known: dict[str, Answer] = {}

    def send(self, call: Call) -> Reply:
        """The reply to a call.

        Raises:
            CallError: there is none.
            InputError: the recording cannot be written.
        """
        key = _key(call)
        if key not in self._known:
            answer: Answer
            try:
                answer = self._inner.send(call)
            except CallError as error:
                answer = error
            self._write(call, key, answer)
            self._known[key] = answer
        return _given(self._known[key])

    def _write(self, call: Call, key: str, answer: Answer) -> None:
        pod = call.request["Pod"]["metadata"]
        line: dict[str, Any] = {
            "url": call.url,
            "verb": str(call.verb),
            "pod": f"{pod['namespace']}/{pod['name']}",
            "request": key,
        }
        if isinstance(answer, CallError):
            line["error"] = str(answer)
        else:
            line |= {"code": answer.code, "body": answer.body.decode("utf-8", "surrogateescape")}
        lines = [line] if self._known else [_HEADER, line]
        try:
            with self._path.open("a" if self._known else "w", encoding="utf-8") as file:
                file.writelines(json.dumps(one) + "\n" for one in lines)
        except OSError as error:
            text = f"the recording of extenders cannot be written: {error.strerror}"
            raise InputError(text, place=Place(file=str(self._path))) from error


class Recorded:
    """Answers from a recording; nothing leaves the machine.

    Args:
        path: the file.

    Raises:
        InputError: it cannot be read, or is no recording.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._answers = _read(path)

    def send(self, call: Call) -> Reply:
        """The reply to a call, as it was recorded.

        Raises:
            CallError: there was none.
            InputError: the call is not in the recording; what the extender would say is not known.
        """
        answer = self._answers.get(_key(call))
        if answer is None:
            pod = call.request["Pod"]["metadata"]
            text = f"holds no reply of {call.url} for pod {pod['namespace']}/{pod['name']} on these nodes"
            hint = "--allow-extenders asks the extenders, and writes the recording anew"
            raise InputError(text, place=Place(file=str(self._path)), hint=hint)
        return _given(answer)


def _given(answer: Answer) -> Reply:
    if isinstance(answer, CallError):
        raise CallError(str(answer))
    return answer


def _key(call: Call) -> str:
    """What tells requests apart."""
    text = json.dumps([call.url, call.request], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _read(path: Path) -> dict[str, Answer]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"cannot be read: {why}", place=Place(file=str(path))) from error
    answers: dict[str, Answer] = {}
    for number, text in enumerate(lines, 1):
        try:
            line = json_value(text)
            if number == 1:
                _check_header(line)
            elif "error" in line:
                answers[line["request"]] = CallError(line["error"])
            else:
                body = line["body"].encode("utf-8", "surrogateescape")
                answers[line["request"]] = Reply(int(line["code"]), body)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            place = Place(file=str(path), line=number)
            raise InputError("is no recording of extenders", place=place, hint=_HINT) from error
    return answers


_HINT: Final = "--allow-extenders with --extender-recording FILE writes one"


def _check_header(line: Any) -> None:
    if line != _HEADER:
        raise ValueError("another kind of file")
