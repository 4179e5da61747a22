r"""Text of inputs for people and their terminals: what could mislead a reader is shown as `\u{202e}`.

Names, labels, taints and messages come from files that somebody else wrote. Control characters move the cursor or
retitle a terminal, bidirectional marks reorder what is read, and characters of no width hide in it.
"""

from __future__ import annotations

import re
from typing import Any, Final, TypeVar

import msgspec

T = TypeVar("T")

_UNSAFE: Final = (
    "\x00-\x1f\x7f-\x9f"  # controls, of which line breaks are some
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufeff\uffa0\ufff0-\uffff\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""What moves, reorders, breaks or hides text: controls, format characters, fillers, halves of pairs."""
_LOGGING_COMMAND: Final = r"#(?=#(?:vso)?\[)"
"""What CI systems obey wherever it stands in a line: `##[group]`, `##vso[task.setvariable]`."""
_ANY_UNSAFE: Final = re.compile(f"[{_UNSAFE}]|{_LOGGING_COMMAND}")
_UNSAFE_IN_LINES: Final = re.compile(f"(?!\n)[{_UNSAFE}]|{_LOGGING_COMMAND}")
_UNSAFE_IN_JSON: Final = re.compile(rf"\\u[0-9a-f]{{4}}|\\[bfnrt]|(?!\n)[{_UNSAFE}]|{_LOGGING_COMMAND}")
_WORKFLOW_COMMAND: Final = re.compile(r"^([ \t]*):(?=:[A-Za-z].*::)", re.MULTILINE)
"""What GitHub obeys where a line begins with it, set in or not: `::error title=x::`."""


def safe_text(text: str, *, lines: bool = False) -> str:
    r"""The text with `\u{1b}` for each character that could mislead.

    Args:
        text: what an input says, or a text that quotes it.
        lines: whether it may have several lines; else a line break is shown, too.
    """
    return (_UNSAFE_IN_LINES if lines else _ANY_UNSAFE).sub(_shown, text)


def without_commands(text: str) -> str:
    r"""A text that was broken into lines, with `\u{3a}` where one would begin as a command of CI."""
    return _WORKFLOW_COMMAND.sub(r"\1\\u{3a}", text)


def gives_commands(text: str) -> bool:
    """Whether a CI system would obey anything in a text."""
    return _WORKFLOW_COMMAND.search(text) is not None or re.search(_LOGGING_COMMAND, text) is not None


def safe_command(text: str, mark: str) -> str:
    r"""A text with an escape in the place of the mark with which commands begin that count anywhere in a line."""
    return re.sub(_LOGGING_COMMAND, lambda _: mark, text)


def safe_json(text: str) -> str:
    r"""The JSON text with `\u202e` for each character in its strings that could mislead; it says the same."""
    return _UNSAFE_IN_LINES.sub(_escaped, text)


def is_safe_json(text: str) -> bool:
    """Whether no string of a JSON text has a character that could mislead, escaped or not."""
    return _UNSAFE_IN_JSON.search(text) is None


def with_safe_text(value: T) -> T:
    """The value, made of structs, lists and dicts, with all of its text made safe; itself where it is safe."""
    text = msgspec.json.encode(value, enc_hook=str).decode("utf-8", "surrogatepass")
    return value if is_safe_json(text) else _with_safe_text(value)


def _with_safe_text(value: Any) -> Any:
    if type(value) is str:
        return safe_text(value)
    if isinstance(value, msgspec.Struct):
        return type(value)(
            **{name: _with_safe_text(getattr(value, name)) for name in value.__struct_fields__}
        )
    if isinstance(value, dict):
        return {_with_safe_text(key): _with_safe_text(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_with_safe_text, value))
    return value


def _shown(match: re.Match[str]) -> str:
    return f"\\u{{{ord(match[0]):x}}}"


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 | code >> 10:04x}\\u{0xDC00 | code & 0x3FF:04x}"
