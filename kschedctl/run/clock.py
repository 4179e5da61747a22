"""The clock of a run: it moves when the run says so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

SECOND: Final = 1_000_000
"""Microseconds, the unit in which moments are counted."""

EPOCH: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""The date at which a run begins where nobody says otherwise."""


class Clock:
    """Time since the run began.

    Within an instant every event and every cycle gets a moment of its own, a microsecond after the one before, so
    that equal times do not exist: among pods of equal priority the queue is first in, first out.

    Attributes:
        seconds: the present instant, as the timeline writes it.
        moment: microseconds, never standing still between two events.
    """

    def __init__(self, epoch: datetime = EPOCH) -> None:
        self.seconds = 0.0
        self.moment = 0
        self._epoch = epoch
        self._written: tuple[int, str] | None = None

    def move_to(self, seconds: float) -> None:
        """Let an instant begin, which is not before the present one."""
        self.seconds = seconds
        self.moment = max(self.moment, round(seconds * SECOND))

    def tick(self) -> None:
        """Let a moment pass."""
        self.moment += 1

    def date(self, after: float = 0.0) -> str:
        """The present instant, or one so many seconds after it, as the API writes dates: whole seconds."""
        seconds = int(self.seconds + after)
        if self._written is None or self._written[0] != seconds:
            try:
                moment = self._epoch + timedelta(seconds=seconds)
            except OverflowError:
                moment = datetime.max.replace(tzinfo=UTC)  # no date is later
            self._written = (seconds, moment.strftime("%Y-%m-%dT%H:%M:%SZ"))
        return self._written[1]

    def seconds_until(self, date: str) -> float | None:
        """Seconds from the beginning to a date of the API, None for a text that is no date."""
        try:
            moment = datetime.fromisoformat(date.replace("Z", "+00:00"))
        except ValueError:
            return None
        return (moment.astimezone(UTC) - self._epoch).total_seconds()
