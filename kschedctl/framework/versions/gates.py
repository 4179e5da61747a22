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


class Gate(Struct, frozen=True):
    """One feature gate in one version."""

    default: bool
    stage: Stage
    locked: bool = False
    """Whether the default cannot be changed."""
    needs: tuple[str, ...] = ()
    """Gates that must be on where this one is on."""

    def needing(self, *gates: str) -> Gate:
        """The same gate, which cannot be on without others."""
        return replace(self, needs=gates)


OFF_ALPHA: Final = Gate(False, Stage.ALPHA)
OFF_BETA: Final = Gate(False, Stage.BETA)
ON_BETA: Final = Gate(True, Stage.BETA)
ON_GA: Final = Gate(True, Stage.GA)
LOCKED: Final = Gate(True, Stage.GA, locked=True)
OFF_DEPRECATED: Final = Gate(False, Stage.DEPRECATED)
LOCKED_OFF: Final = Gate(False, Stage.DEPRECATED, locked=True)
