"""Where something waits in the queue."""

from __future__ import annotations

from enum import Enum, auto


class MemberState(Enum):
    """The parts of the queue."""

    ACTIVE = auto()
    """To be tried."""
    GATED = auto()
    """PreEnqueue does not let it in."""
    BACKING_OFF = auto()
    """It failed, and is not tried again for a while."""
    OUT = auto()
    """It was taken."""
