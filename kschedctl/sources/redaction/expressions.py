"""Texts in device selectors: which literals are compared with attributes, and whether they may have other names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

_TOKEN: Final = re.compile(
    r"""(?P<string>[rRbB]{0,2}(?:\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))"""
    r"""|(?P<comment>//[^\n]*)|(?P<name>[A-Za-z_][A-Za-z_0-9]*)|(?P<space>\s+)|(?P<other>==|!=|&&|\|\||.)""",
    re.DOTALL,
)
_PLAIN: Final = re.compile(r"""(?P<quote>["'])(?P<text>[^"'\\]*)(?P=quote)""")
_CALLS: Final = frozenset(
    (
        *(
            "has",
            "quantity",
            "isQuantity",
            "semver",
            "isSemver",
            "compareTo",
            "isGreaterThan",
            "isLessThan",
            "add",
            "sub",
        ),
        *(
            "sign",
            "isInteger",
            "asInteger",
            "asApproximateFloat",
            "major",
            "minor",
            "patch",
            "orValue",
            "hasValue",
        ),
        *(
            "value",
            "exists",
            "all",
            "exists_one",
            "existsOne",
            "filter",
            "map",
            "bind",
            "includes",
            "distinct",
        ),
        *("int", "double", "bool"),
    )
)
"""Functions for which it is no matter what a text is, as long as equal ones are equal and ordered ones ordered."""
_OF_TEXTS_OF_THEIR_OWN: Final = ("quantity", "isQuantity", "semver", "isSemver")
_ENDS: Final = frozenset(("&&", "||", ")", ",", "?", ":", ""))


def compares_alone(expression: str) -> bool:
    """Whether an expression only compares texts, so that its answer stays where all of them have other names."""
    solid = _solid(expression)
    for i, (kind, text) in enumerate(solid):
        following = solid[i + 1][1] if i + 1 < len(solid) else ""
        if kind == "string" and _PLAIN.fullmatch(text) is None:
            return False
        if (kind == "name" and following == "(" and text not in _CALLS and text != "in") or text == "+":
            return False
    return True


def compared_texts(expression: str) -> Iterator[str]:
    """The texts that attributes are compared with."""
    for _, text in _compared(expression):
        yield text


def with_texts(expression: str, replaced: Callable[[str], str]) -> str:
    """The expression with other texts to compare with, and without its comments."""
    parts = [m for m in _TOKEN.finditer(expression) if m.lastgroup != "comment"]
    places = {place for place, _ in _compared(expression)}
    return "".join(
        part.group()
        if part.start() not in places
        else f"{part.group()[0]}{replaced(part.group()[1:-1])}{part.group()[0]}"
        for part in parts
    )


def _solid(expression: str) -> list[tuple[str, str]]:
    return [
        (m.lastgroup or "", m.group())
        for m in _TOKEN.finditer(expression)
        if m.lastgroup not in ("space", "comment")
    ]


def _compared(expression: str) -> Iterator[tuple[int, str]]:
    """Where such a text stands, and the text; names of domains and attributes, quantities and versions are none."""
    found = [m for m in _TOKEN.finditer(expression) if m.lastgroup not in ("space", "comment")]
    texts = [m.group() for m in found]

    def at(i: int) -> str:
        return texts[i] if 0 <= i < len(texts) else ""

    for i, match in enumerate(found):
        if match.lastgroup != "string":
            continue
        is_index = at(i - 1) == "[" and (
            at(i - 2) in ("]", ")") or (at(i - 2).isidentifier() and at(i - 2) != "in")
        )
        is_optional = at(i - 1) == "?" and at(i - 2) == "["
        is_argument = at(i - 1) == "(" and at(i - 2) in _OF_TEXTS_OF_THEIR_OWN
        is_driver = (
            at(i - 1) in ("==", "!=") and texts[max(i - 4, 0) : i - 1] == ["device", ".", "driver"]
        ) or (at(i + 1) in ("==", "!=") and texts[i + 2 : i + 5] == ["device", ".", "driver"])
        is_key = at(i + 1) == "in" and _is_map(texts, i + 2)
        if not (is_index or is_optional or is_argument or is_driver or is_key):
            yield match.start(), match.group()[1:-1]


def _is_map(texts: list[str], start: int) -> bool:
    """Whether what is searched is a map of domains, or of what a domain has, rather than a list."""
    end, depth = start, 0
    while end < len(texts) and not (depth == 0 and texts[end] in _ENDS):
        depth += (texts[end] in ("[", "(")) - (texts[end] in ("]", ")"))
        end += 1
    operand = texts[start:end]
    return operand[:1] == ["device"] and operand[-1] in ("]", "attributes", "capacity")
