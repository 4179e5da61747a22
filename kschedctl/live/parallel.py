"""A few jobs at a time in threads that never keep the program from ending."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

_T = TypeVar("_T")
READER = "kschedctl-reader"
"""Name of the threads."""
_POLL_SECONDS = 0.2


def run_all(jobs: Sequence[Callable[[], _T]], workers: int, stop: Callable[[], None]) -> list[_T]:
    """Run the jobs and return their results in order.

    The first error ends it, as does an interrupt: `stop` tells the jobs still at work, which nobody waits for.
    """
    waiting: queue.SimpleQueue[tuple[int, Callable[[], _T]]] = queue.SimpleQueue()
    finished: queue.SimpleQueue[tuple[int, _T] | BaseException] = queue.SimpleQueue()
    for entry in enumerate(jobs):
        waiting.put(entry)

    def work() -> None:
        while True:
            try:
                index, job = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                finished.put((index, job()))
            except BaseException as error:  # handed to the thread that waits
                finished.put(error)
                return

    for _ in range(min(workers, len(jobs))):
        threading.Thread(target=work, name=READER, daemon=True).start()
    try:
        return _collect(finished, len(jobs))
    except BaseException:
        stop()
        raise


def _collect(finished: queue.SimpleQueue[tuple[int, _T] | BaseException], count: int) -> list[_T]:
    results: dict[int, _T] = {}
    while len(results) < count:
        try:
            outcome = finished.get(timeout=_POLL_SECONDS)  # short, so that an interrupt gets through
        except queue.Empty:
            continue
        if isinstance(outcome, BaseException):
            raise outcome
        results[outcome[0]] = outcome[1]
    return [results[i] for i in range(count)]
