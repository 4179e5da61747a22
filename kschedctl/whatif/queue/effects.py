"""How time passes while many pods are scheduled."""

from __future__ import annotations

from enum import StrEnum


class EffectsModel(StrEnum):
    """When victims are gone."""

    IN_FLIGHT = "in-flight"
    """As in a real cluster: victims terminate and go on counting, while the scheduler goes on."""
    IMMEDIATE = "immediate"
    """At once: the preemptor is placed in the same cycle."""


class QueueMode(StrEnum):
    """When pods come to the queue."""

    AT_ONCE = "at-once"
    """All are there when the scheduler begins, in the order of their ages."""
    REPLAY = "replay"
    """At their times."""
