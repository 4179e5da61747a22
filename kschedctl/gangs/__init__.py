"""Groups of pods that are scheduled in one cycle: queue, placements, the cycle, and what it does (spec 07)."""
