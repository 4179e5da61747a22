"""The field that a refusal is about, found in its text: kube-scheduler's words are fixed, and carry the path."""

from __future__ import annotations

import re
from typing import Final

_PATH: Final = r"[A-Za-z]\w*(?:\.\w+|\[\d+\])*"
_ENTRY: Final = re.compile(rf"decoding \.({_PATH}): ")
_UNKNOWN: Final = re.compile(rf'unknown field "({_PATH})"')
_LEADING: Final = re.compile(rf"\[?({_PATH}): ")
_STEP: Final = re.compile(r"\w+|(?<=\[)\d+(?=\])")


def field_of(message: str) -> tuple[str | int, ...]:
    """The path of the first field that a text names, from the top of the configuration; () where it names none.

    `unknown field "foo"` in the arguments of a plugin is told by kube-scheduler from the arguments on, after the
    entry of `pluginConfig` that they belong to; here it is the whole way.
    """
    unknown = _UNKNOWN.search(message)
    entry = _ENTRY.search(message)
    if entry and not (unknown and unknown.start() < entry.start()):
        return (*_steps(entry[1]), "args", *(_steps(unknown[1]) if unknown else ()))
    found = unknown or _LEADING.match(message)
    return _steps(found[1]) if found else ()


def _steps(path: str) -> tuple[str | int, ...]:
    return tuple(int(step) if step.isdigit() else step for step in _STEP.findall(path))
