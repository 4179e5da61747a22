"""Why a CEL expression has no answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class CelProblem:
    """Why a selector has no answer."""

    kind: Literal["compile", "runtime"]
    text: str
