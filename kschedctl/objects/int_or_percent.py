"""Numbers of pods that may be written as a share: `2` or `25%`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta

IntOrPercent: TypeAlias = (
    Annotated[int, Meta(ge=0, le=2**31 - 1)] | Annotated[str, Meta(pattern="^[0-9]{1,9}%$")]
)
"""As the API server accepts it: neither negative nor any other text."""


def scaled(value: int | str, total: int, *, up: bool) -> int:
    """A number as it is, or a percentage of a total, rounded up or down."""
    if isinstance(value, int):
        return value
    share = int(value.rstrip("%")) * total
    return -(-share // 100) if up else share // 100
