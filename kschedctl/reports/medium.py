"""Where a document is read, and how much is shown there."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Medium(StrEnum):
    """Where a document is read: a screen, a wide screen without limits, a ticket, a browser."""

    TABLE = "table"
    WIDE = "wide"
    MARKDOWN = "markdown"
    HTML = "html"


BRIEF: Final = frozenset({Medium.TABLE, Medium.MARKDOWN})
"""Media that show what tells most."""


FULL: Final = frozenset({Medium.WIDE, Medium.HTML})
"""Media that show everything."""


Limits = Mapping[Medium, int]
"""How many entries a medium shows; all where it is not named."""


UNLIMITED: Final[Limits] = MappingProxyType({})


SHORT: Final[Limits] = MappingProxyType({Medium.TABLE: 12, Medium.MARKDOWN: 50})
