"""What an eviction does to a cluster while others are scheduled."""

from __future__ import annotations

from enum import StrEnum


class EffectsModel(StrEnum):
    """When victims are gone."""

    IN_FLIGHT = "in-flight"
    """As in a real cluster: victims terminate and go on counting, while the scheduler goes on."""
    IMMEDIATE = "immediate"
    """At once: the preemptor is placed in the same cycle."""
