"""Many pods in time: the scheduler's loop with its real queue, under a clock that nobody waits for (spec 08)."""
