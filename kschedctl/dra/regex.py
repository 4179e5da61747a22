"""Regular expressions searched in a time that grows with the text alone, as RE2 does, for `find` and `findAll`.

The library that evaluates CEL tells whether a text matches, by RE2, but not where. What it accepts is searched here by
a simulation of all alternatives at a time; the first alternative wins, as in Perl and RE2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Final, NamedTuple

Test = Callable[[str], bool]
_LARGEST: Final = 5_000
_OTHERWISE_IN_RE2: Final = re.compile(r"\[\[\^?:|\\[QpPC]|\\x\{|\(\?[a-z]*U")
"""Syntax of RE2 that means something else, or nothing, where it is parsed here."""


class RegexError(ValueError):
    """The expression cannot be searched for."""


class _Step(NamedTuple):
    """One instruction: go on at `targets`, in the order of preference, after a character or a place has passed."""

    targets: tuple[int, ...] = ()
    test: Test | None = None
    place: Any = None


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
    program = _program(pattern)
    start, end_before = 0, -1
    while start <= len(text):
        found = _match(program, text, start)
        if found is None:
            return
        begin, end = found
        if end > begin or begin != end_before:
            yield text[begin:end]
        end_before = end
        start = end if end > begin else end + 1


def size(pattern: str) -> int:
    """How many steps an expression takes a character at most.

    Raises:
        RegexError: the expression is none, or too large.
    """
    return len(_program(pattern))


@lru_cache(maxsize=256)
def _program(pattern: str) -> tuple[_Step, ...]:
    if _OTHERWISE_IN_RE2.search(pattern):
        raise RegexError(f"the regular expression {pattern} is not searched for: it uses syntax of RE2 alone")
    # RE2 writes the end of the text in small letters, and names groups as Python does.
    text = re.sub(r"(?<!\\)((?:\\\\)*)\\z", r"\1\\Z", pattern)
    try:
        tree = parser.parse(text, re.ASCII)
        return tuple(_Compiler(tree.state.flags).all(tree))
    except (re.error, OverflowError, RecursionError) as error:
        raise RegexError(f"the regular expression {pattern} is not searched for: {error}") from None


class _Compiler:
    """Makes instructions of a parsed expression."""

    def __init__(self, flags: int) -> None:
        self._steps: list[_Step] = []
        self._flags = flags

    def all(self, tree: Any) -> list[_Step]:
        """The instructions, the last of which has no targets: a match."""
        self._sequence(tree)
        self._add(_Step())
        return self._steps

    def _add(self, step: _Step) -> int:
        if len(self._steps) >= _LARGEST:
            raise RegexError("the regular expression is too large")
        self._steps.append(step)
        return len(self._steps) - 1

    def _sequence(self, tree: Any) -> None:
        for op, argument in tree:
            self._one(op, argument)

    def _one(self, op: Any, argument: Any) -> None:
        if op is ops.AT:
            at = self._add(_Step())
            place = ops.AT_MULTILINE.get(argument, argument) if self._flags & re.MULTILINE else argument
            self._steps[at] = _Step((at + 1,), place=place)
        elif op is ops.SUBPATTERN:
            _, added, removed, inside = argument
            before, self._flags = self._flags, (self._flags | added) & ~removed
            self._sequence(inside)
            self._flags = before
        elif op is ops.BRANCH:
            self._branches(argument[1])
        elif op in (ops.MAX_REPEAT, ops.MIN_REPEAT):
            self._repeat(*argument, greedy=op is ops.MAX_REPEAT)
        else:
            at = self._add(_Step())
            self._steps[at] = _Step((at + 1,), test=_test(op, argument, self._flags))

    def _branches(self, branches: list[Any]) -> None:
        fork = self._add(_Step())
        begins, ends = [], []
        for branch in branches:
            begins.append(len(self._steps))
            self._sequence(branch)
            ends.append(self._add(_Step()))
        self._steps[fork] = _Step(tuple(begins))
        for end in ends:
            self._steps[end] = _Step((len(self._steps),))

    def _repeat(self, least: int, most: Any, inside: Any, *, greedy: bool) -> None:
        for _ in range(least):
            self._sequence(inside)
        if most is ops.MAXREPEAT:
            fork = self._add(_Step())
            self._sequence(inside)
            self._add(_Step((fork,)))
            self._steps[fork] = _Step(_preferred(fork + 1, len(self._steps), greedy))
            return
        forks = []
        for _ in range(most - least):
            forks.append(self._add(_Step()))
            self._sequence(inside)
        for fork in forks:
            self._steps[fork] = _Step(_preferred(fork + 1, len(self._steps), greedy))


def _preferred(inside: int, after: int, greedy: bool) -> tuple[int, int]:
    return (inside, after) if greedy else (after, inside)


def _test(op: Any, argument: Any, flags: int) -> Test:
    if op is ops.ANY:
        return (lambda c: True) if flags & re.DOTALL else (lambda c: c != "\n")
    if op is ops.LITERAL:
        parts = [(ops.LITERAL, argument)]
    elif op is ops.NOT_LITERAL:
        parts = [(ops.NEGATE, None), (ops.LITERAL, argument)]
    elif op is ops.IN:
        parts = argument
    else:
        raise RegexError(f"{str(op).lower()} is not searched for")
    negated = parts[0][0] is ops.NEGATE
    accepts = [_accepts(*part) for part in parts[negated:]]
    if flags & re.IGNORECASE:
        return lambda c: negated != any(one(v) for one in accepts for v in (c, c.lower(), c.upper()))
    return lambda c: negated != any(one(c) for one in accepts)


_CATEGORIES: Final = {
    ops.CATEGORY_DIGIT: re.compile(r"\d", re.ASCII),
    ops.CATEGORY_NOT_DIGIT: re.compile(r"\D", re.ASCII),
    ops.CATEGORY_SPACE: re.compile(r"[\t\n\f\r ]"),
    ops.CATEGORY_NOT_SPACE: re.compile(r"[^\t\n\f\r ]"),
    ops.CATEGORY_WORD: re.compile(r"\w", re.ASCII),
    ops.CATEGORY_NOT_WORD: re.compile(r"\W", re.ASCII),
}
_WORD: Final = _CATEGORIES[ops.CATEGORY_WORD]


def _accepts(op: Any, argument: Any) -> Test:
    if op is ops.LITERAL:
        return lambda c: ord(c) == argument if len(c) == 1 else False
    if op is ops.RANGE:
        return lambda c: argument[0] <= ord(c) <= argument[1] if len(c) == 1 else False
    category = _CATEGORIES[argument]
    return lambda c: category.fullmatch(c) is not None


def _holds(place: Any, text: str, at: int) -> bool:
    if place in (ops.AT_BEGINNING, ops.AT_BEGINNING_STRING):
        return at == 0
    if place is ops.AT_BEGINNING_LINE:
        return at == 0 or text[at - 1] == "\n"
    if place in (ops.AT_END, ops.AT_END_STRING):  # as in Go, `$` is the end of the text alone
        return at == len(text)
    if place is ops.AT_END_LINE:
        return at == len(text) or text[at] == "\n"
    before = at > 0 and _WORD.match(text[at - 1]) is not None
    after = at < len(text) and _WORD.match(text[at]) is not None
    return (before != after) == (place is ops.AT_BOUNDARY)


def _match(program: tuple[_Step, ...], text: str, start: int) -> tuple[int, int] | None:
    """Begin and end of the leftmost match from `start` on, of those that begin there the preferred one."""
    found: tuple[int, int] | None = None
    threads: dict[int, int] = {}  # instruction -> where its match begins, in the order of preference
    for at in range(start, len(text) + 1):
        if found is None:
            threads.setdefault(0, at)
        waiting, ended = _closure(program, threads, text, at)
        if ended is not None:
            found = (ended, at)
        if not waiting and found is not None:
            break
        if at == len(text):
            break
        threads = {}
        for step, begin in waiting:
            test = program[step].test
            if test is not None and test(text[at]):
                threads.setdefault(program[step].targets[0], begin)
    return found


def _closure(
    program: tuple[_Step, ...], threads: dict[int, int], text: str, at: int
) -> tuple[list[tuple[int, int]], int | None]:
    """What waits for a character, in the order of preference, up to the first alternative that has ended."""
    waiting: list[tuple[int, int]] = []
    seen: set[int] = set()
    for first, begin in threads.items():
        stack = [first]
        while stack:
            index = stack.pop()
            if index in seen:
                continue
            seen.add(index)
            step = program[index]
            if not step.targets:
                return waiting, begin
            if step.test is not None:
                waiting.append((index, begin))
            elif step.place is None or _holds(step.place, text, at):
                stack += reversed(step.targets)
    return waiting, None
