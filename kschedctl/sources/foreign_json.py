"""JSON within other data, that somebody else wrote: what is wrong with it is one kind of error."""

from __future__ import annotations

import json
from typing import Any


def json_value(text: str | bytes) -> Any:
    """The value of a text.

    Raises:
        ValueError: it is no JSON, or nested more deeply than can be read.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
