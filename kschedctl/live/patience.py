"""Asking again: back-off after answers that say "later", within one limit for everything."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from math import inf
from typing import Final

from kschedctl.errors import ClusterError
from kschedctl.live.connection import Connection, Response
from kschedctl.live.trouble import (
    LostAnswer,
    NoConnection,
    Unavailable,
    impersonation,
    said_in,
    status_of,
    unauthorized,
    unreachable,
)
from kschedctl.observer import SILENT, Observer

_BUSY: Final = 429
_FAILED: Final = frozenset({500, 502, 503, 504})
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 8.0
_FAILURES_SECONDS: Final = 30.0
"""So long failures are put up with where nothing can be said without the answer: a server may be starting."""
_OPTIONAL_SECONDS: Final = 8.0
"""So long everything is put up with that concerns an answer without which most can be said."""


class Stopped(Exception):
    """The work was given up elsewhere; nobody waits for this answer any more."""


class PatientReader:
    """Reads from an API server, and asks again where that may help.

    Args:
        connection: the server.
        seconds: limit for all requests together.
        request_seconds: limit for one request.
        clock: monotonic seconds.
        observer: is warned at once of what is wrong while it is asked again.
    """

    def __init__(
        self,
        connection: Connection,
        seconds: float,
        request_seconds: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
        observer: Observer = SILENT,
    ) -> None:
        self.connection = connection
        self._seconds = seconds
        self._request_seconds = request_seconds
        self._clock = clock
        self._observer = observer
        self._end = clock() + seconds
        self._stop = threading.Event()
        self._reached = False
        self._told: set[str] = set()
        self._failing: set[str] = set()

    def stop(self) -> None:
        """Let every reader end at its next step."""
        self._stop.set()

    def get(self, path: str, query: Mapping[str, str] | None = None, *, optional: bool = False) -> Response:
        """Return the answer to a GET request, whatever its status, as long as it is final.

        Args:
            path: what is asked for.
            query: its parameters.
            optional: whether one can do without the answer, so that it is not long waited for.

        Raises:
            Unavailable: the server fails on this question, and perhaps on no other.
            ClusterError: nobody is there, the credentials are refused, or there was no answer within the limit.
            Stopped: `stop` was called.
        """
        pause, begin = _FIRST_PAUSE, self._clock()
        while True:
            advised = 0.0
            try:
                answer = self._ask(path, query or {})
            except NoConnection as error:
                trouble, patience = str(error), inf
            except LostAnswer as error:
                trouble, patience = str(error), _OPTIONAL_SECONDS if optional else inf
            else:
                if answer.status != _BUSY and answer.status not in _FAILED:
                    return answer
                trouble = f"{answer.status} {said_in(answer.body)}".rstrip()
                advised = _retry_after(answer.headers)
                patience = _OPTIONAL_SECONDS if optional else _FAILURES_SECONDS
                patience = inf if answer.status == _BUSY else patience
            wait = max(pause, advised)
            if self._clock() + wait >= begin + (0 if optional and self._is_failing(path) else patience):
                self._failing.add(_group(path))
                raise Unavailable(f"{self.connection} fails on GET {path}: {trouble}")
            self._wait(wait, path, trouble)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _ask(self, path: str, query: Mapping[str, str]) -> Response:
        try:
            answer = self.connection.get(path, query, self._time_for_one(path))
        except NoConnection as error:
            if self._reached:
                raise
            raise unreachable(str(self.connection), str(error)) from None
        self._reached = True
        if answer.status == 401:
            raise unauthorized(str(self.connection))
        if answer.status == 403 and self.connection.acts_as:
            message = status_of(answer.body).message
            if "impersonate" in message:
                raise impersonation(str(self.connection), self.connection.acts_as, message)
        return answer

    def _is_failing(self, path: str) -> bool:
        """Whether patience with the same API group, which one server stands behind, has been in vain."""
        return _group(path) in self._failing

    def _time_for_one(self, path: str) -> float:
        if self._stop.is_set():
            raise Stopped
        left = self._end - self._clock()
        if left <= 0:
            raise self._out_of_time(path, "not asked yet")
        return min(left, self._request_seconds)

    def _wait(self, pause: float, path: str, trouble: str) -> None:
        left = self._end - self._clock()
        if pause >= left:
            raise self._out_of_time(path, trouble)
        if trouble not in self._told:
            self._told.add(trouble)
            self._observer.warning(
                f"{self.connection}: GET {path}: {trouble}; asking again, for {left:.0f} s at most"
            )
        if self._stop.wait(pause):
            raise Stopped

    def _out_of_time(self, path: str, trouble: str) -> ClusterError:
        return ClusterError(
            f"{self.connection}: no answer to GET {path} within {self._seconds:g} s; last: {trouble}",
            hint="check that the cluster can be reached; --timeout gives it longer",
        )


def _group(path: str) -> str:
    """`/apis/policy` of `/apis/policy/v1/poddisruptionbudgets`."""
    return "/".join(path.split("/")[:3])


def _retry_after(headers: Mapping[str, str]) -> float:
    """Seconds that the server asks us to wait; it may also send a date, which is not looked at."""
    text = headers.get("Retry-After", "")
    return min(float(text), 4 * _LONGEST_PAUSE) if text.isdecimal() else 0.0
