"""JSON within other data, that somebody else wrote: what is wrong with it is one kind of error."""

from __future__ import annotations

import json
import re
from typing import Any, Final

_HALF: Final = re.compile("[\ud800-\udfff]")
_MAYBE_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]")
"""Of a text in UTF-8: what may be half of a pair, which is no character."""


def json_value(text: str | bytes) -> Any:
    """The value of a text; halves of pairs become U+FFFD, as Go reads them.

    Raises:
        ValueError: it is no JSON, or nested more deeply than can be read.
    """
    content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    try:
        value = json.loads(content)
        return _whole(value) if _MAYBE_HALF.search(content) else value
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _whole(value: Any) -> Any:
    """The value with whole characters alone."""
    match value:
        case str():
            return _HALF.sub("\ufffd", value)
        case dict():
            return {_whole(key): _whole(item) for key, item in value.items()}
        case list():
            return [_whole(item) for item in value]
        case _:
            return value
