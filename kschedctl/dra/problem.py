"""Why a CEL expression has no answer."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class CelProblem(Struct, frozen=True):
    """Why a selector has no answer."""

    kind: Literal["compile", "runtime"]
    text: str
