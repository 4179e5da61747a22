"""What the real scheduler leaves to chance is drawn here by seed and pod, so that no answer hangs on earlier ones."""

from __future__ import annotations

import random
from enum import StrEnum

from kschedctl.cluster.pods import PodRecord


class Draw(StrEnum):
    """What is drawn."""

    NODE = "node"
    """One of several nodes with the highest total."""
    OFFSET = "offset"
    """Where the search for preemption candidates begins."""


def chance(seed: int, draw: Draw, pod: PodRecord) -> random.Random:
    """The source for one pod: the same whenever it is asked."""
    return random.Random(f"{seed} {draw} {pod.full_name}")
