"""Feature gates as data: default, stage, lock, and the gates that one needs (spec 06 §1.2)."""

from __future__ import annotations

from enum import Enum
from typing import Final

from msgspec import Struct
from msgspec.structs import replace


class Stage(Enum):
    """How far a gate has come."""

    ALPHA = "alpha"
    BETA = "beta"
    GA = "ga"
    DEPRECATED = "deprecated"


class FeatureGate(Struct, frozen=True):
    """One feature gate in one version."""

    default: bool
    stage: Stage
    locked: bool = False
    """Whether the default cannot be changed."""
    needs: tuple[str, ...] = ()
    """Gates that must be on where this one is on."""

    def needing(self, *gates: str) -> FeatureGate:
        """The same gate, which cannot be on without others."""
        return replace(self, needs=gates)


OFF_ALPHA: Final = FeatureGate(False, Stage.ALPHA)
OFF_BETA: Final = FeatureGate(False, Stage.BETA)
ON_BETA: Final = FeatureGate(True, Stage.BETA)
ON_GA: Final = FeatureGate(True, Stage.GA)
LOCKED: Final = FeatureGate(True, Stage.GA, locked=True)
OFF_DEPRECATED: Final = FeatureGate(False, Stage.DEPRECATED)
LOCKED_OFF: Final = FeatureGate(False, Stage.DEPRECATED, locked=True)
