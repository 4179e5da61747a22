"""Asking again: back-off after answers that say "later", within one limit for everything."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

from kschedctl.errors import ClusterError
from kschedctl.live.connection import Answer, Connection
from kschedctl.live.trouble import LostAnswer, status_of, unauthorized

_TRY_AGAIN = frozenset({429, 500, 502, 503, 504})
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 8.0


class Stopped(Exception):
    """The work was given up elsewhere; nobody waits for this answer any more."""


class PatientReader:
    """Reads from an API server, and asks again where that may help.

    Args:
        connection: the server.
        seconds: limit for all requests together.
        request_seconds: limit for one request.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        connection: Connection,
        seconds: float,
        request_seconds: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.connection = connection
        self._seconds = seconds
        self._request_seconds = request_seconds
        self._clock = clock
        self._end = clock() + seconds
        self._stop = threading.Event()

    def stop(self) -> None:
        """Let every reader end at its next step."""
        self._stop.set()

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Answer:
        """Return the answer to a GET request, whatever its status, as long as it is final.

        Raises:
            ClusterError: the credentials are refused, or there was no answer within the limit.
            Stopped: `stop` was called.
        """
        pause = _FIRST_PAUSE
        while True:
            trouble, advised = "", 0.0
            try:
                answer = self.connection.get(path, query or {}, self._time_for_one(path))
            except LostAnswer as error:
                trouble = str(error)
            else:
                if answer.status == 401:
                    raise unauthorized(str(self.connection))
                if answer.status not in _TRY_AGAIN:
                    return answer
                trouble = f"{answer.status} {status_of(answer.body).message}".rstrip()
                advised = _retry_after(answer.headers)
            self._wait(max(pause, advised), path, trouble)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _time_for_one(self, path: str) -> float:
        if self._stop.is_set():
            raise Stopped
        left = self._end - self._clock()
        if left <= 0:
            raise self._out_of_time(path, "not asked yet")
        return min(left, self._request_seconds)

    def _wait(self, pause: float, path: str, trouble: str) -> None:
        if self._clock() + pause >= self._end:
            raise self._out_of_time(path, trouble)
        if self._stop.wait(pause):
            raise Stopped

    def _out_of_time(self, path: str, trouble: str) -> ClusterError:
        return ClusterError(
            f"{self.connection}: no answer to GET {path} within {self._seconds:g} s; last: {trouble}",
            hint="check that the cluster can be reached; --timeout gives it longer",
        )


def _retry_after(headers: Mapping[str, str]) -> float:
    """Seconds that the server asks us to wait; it may also send a date, which is not looked at."""
    text = headers.get("Retry-After", "")
    return min(float(text), 4 * _LONGEST_PAUSE) if text.isdecimal() else 0.0
