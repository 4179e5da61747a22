"""Regular expressions searched by RE2, as `find` and `findAll` of Kubernetes find them.

The library that evaluates CEL brings RE2, and an extension that tells what the one group of an expression matches. So
the expression becomes that group, or what stands before it does: the text before a match says where it begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from cel_expr_python import cel
from cel_expr_python.ext import ext_optional

_PARTS: Final = re.compile(
    r"\\Q.*?(?:\\E|$)"  # text that is meant as it is
    r"|\\."
    r"|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*+(?:\]|\\?\Z)"  # a set of characters, even without an end
    r"|\((?!\?)|\(\?P?<\w+>",
    re.DOTALL,
)
"""What may hold a bracket that opens no group, and the beginnings of groups."""


class RegexError(ValueError):
    """The expression cannot be searched for."""


def _environment() -> Any:
    config = cel.NewEnvConfigFromYaml("extensions:\n- name: cel.lib.ext.regex\n")
    variables = {"text": cel.Type.STRING, "pattern": cel.Type.STRING}
    return cel.NewEnv(config=config, variables=variables, extensions=[ext_optional.ExtOptional()])


_RE2: Final = _environment()
_MATCHES: Final = _RE2.compile("text.matches(pattern)")
_GROUP: Final = _RE2.compile("regex.extract(text, pattern).optMap(found, [found]).orValue([])")


@lru_cache(maxsize=256)
def problem(pattern: str) -> str:
    r"""Why RE2 refuses a regular expression, that of Go `\C` as well; empty where it does not."""
    if any(found == r"\C" for found in _PARTS.findall(pattern)):
        return r"invalid escape sequence: `\C`"
    answer = _MATCHES.eval(data={"text": "", "pattern": pattern})
    return str(answer.value()) if answer.type().name().lower() == "error" else ""


def find(pattern: str, text: str) -> str | None:
    """The first match, None without one.

    Raises:
        RegexError: the expression is none, or too large.
    """
    return next(find_all(pattern, text), None)


def find_all(pattern: str, text: str) -> Iterator[str]:
    """The matches from left to right, as Go finds them: an empty one does not follow another one at once.

    Raises:
        RegexError: the expression is none, or too large.
    """
    if refused := problem(pattern):
        raise RegexError(refused)
    whole = _without_groups(pattern)
    start, end_before = 0, -1
    while start <= len(text):
        before = _group(rf"(?s:(.*?))(?:{whole})", text, start)
        if before is None:
            return
        begin = start + len(before)
        found = _group(f"({whole})", text, begin)
        if found is None:
            raise RegexError(f"the regular expression {pattern} is not searched for")
        end = begin + len(found)
        if end > begin or begin != end_before:
            yield found
        end_before = end
        start = end if end > begin else end + 1


def _group(pattern: str, text: str, start: int) -> str | None:
    """What the one group of an expression matches first from a place on; None: it does not match there.

    One character before the place is all that an expression can look back at.
    """
    looked_back = min(start, 1)
    data = {"text": text[start - looked_back :], "pattern": rf"\A(?s:.{{{looked_back}}}){pattern}"}
    answer = _GROUP.eval(data=data)
    if answer.type().name().lower() == "error":
        raise RegexError(f"a regular expression is not searched for: {answer.value()}")
    found: list[str] = answer.plain_value()
    return found[0] if found else None


def _without_groups(pattern: str) -> str:
    """The expression with groups that are not told."""
    return _PARTS.sub(lambda found: "(?:" if found[0].startswith("(") else found[0], pattern)
