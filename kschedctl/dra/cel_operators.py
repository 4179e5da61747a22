"""What cannot be done with versions: compare them with other kinds, order them, measure them (spec 05 §4.10).

The library that evaluates CEL answers where the scheduler ends in an error. So comparisons and `size` become calls of
functions that know of versions, in expressions that read one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kschedctl.dra.cel_text import Token, tokens

EQUAL, UNEQUAL, ORDERED, SIZE = "k8s_equal", "k8s_unequal", "k8s_ordered", "k8s_size"
"""The first two compare the two values of a list, the third passes on the only value of one if it can be ordered."""

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_RELATIONS = ("==", "!=", "<=", ">=", "<", ">", "in")
_SEPARATORS = ("&&", "||", "?", ":", ",")


def with_checked_operators(expression: str) -> str:
    """The expression with checked forms of `==`, `!=`, `<`, `<=`, `>`, `>=` and `size`."""
    return _level(list(_words(tokens(expression))))


def _words(found: Sequence[Token]) -> Iterator[str]:
    """The texts of tokens without comments; operators of two characters are one word."""
    kept = [(kind, text) for kind, text in found if kind != "comment"]
    skip = False
    for i, (kind, text) in enumerate(kept):
        if skip:
            skip = False
            continue
        following = kept[i + 1][1] if i + 1 < len(kept) else ""
        skip = kind == "other" and text + following in ("==", "!=", "<=", ">=", "&&", "||")
        yield text + following if skip else text


def _level(words: Sequence[str]) -> str:
    """What is between two brackets, those of deeper levels included."""
    done: list[str] = []
    operands: list[list[str]] = [[]]
    relations: list[str] = []
    i = 0
    while i < len(words):
        word = words[i]
        if word == "(" and _last(operands[-1]) == "size":
            operands[-1][-1] = SIZE
        if word in _CLOSING:
            end = _end(words, i)
            operands[-1] += [word, _level(words[i + 1 : end]), _CLOSING[word]]
            i = end
        elif word in _SEPARATORS and not (word == "?" and _is_optional(operands[-1])):
            done += [_compared(operands, relations), word]
            operands, relations = [[]], []
        elif word in _RELATIONS and not (word == "in" and _last(operands[-1]) == "."):
            relations.append(word)
            operands.append([])
        else:
            operands[-1].append(word)
        i += 1
    return "".join([*done, _compared(operands, relations)])


def _end(words: Sequence[str], start: int) -> int:
    """Where the bracket that opens at `start` is closed."""
    depth = 0
    for i in range(start, len(words)):
        depth += (words[i] in _CLOSING) - (words[i] in _CLOSING.values())
        if not depth:
            return i
    return len(words)


def _last(words: Sequence[str]) -> str:
    return next((word for word in reversed(words) if word.strip()), "")


def _is_optional(operand: Sequence[str]) -> bool:
    """Whether a question mark after this is that of an optional field or entry, not that of a choice."""
    return _last(operand) in ("", ".")


def _compared(operands: Sequence[Sequence[str]], relations: Sequence[str]) -> str:
    """Operands with the relations between them, from left to right."""
    first, *others = ("".join(operand) for operand in operands)
    for relation, other in zip(relations, others, strict=True):
        if relation in ("==", "!="):
            first = f"{EQUAL if relation == '==' else UNEQUAL}([{first},{other}])"
        elif relation == "in":
            first = f"{first} in {other}"
        else:
            first = f"{ORDERED}([{first}]) {relation} {ORDERED}([{other}])"
    return first
