"""Semantic versions 2.0.0, as selectors compare them (spec 05 §4.10)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from msgspec import Struct

_PART = r"(?:0|[1-9][0-9]*)"
_IDENTIFIER = rf"(?:{_PART}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_STRICT = re.compile(
    rf"({_PART})\.({_PART})\.({_PART})"
    rf"(?:-({_IDENTIFIER}(?:\.{_IDENTIFIER})*))?"
    r"(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?",
    re.ASCII,
)


_MOST: Final = 2**64 - 1
_MOST_DIGITS: Final = len(str(_MOST))


class SemverError(ValueError):
    """A text is no semantic version."""


class Semver(Struct, frozen=True, eq=False):
    """A version; order and equality leave the build metadata out."""

    major: int
    minor: int
    patch: int
    pre: tuple[str, ...] = ()

    def _key(self) -> tuple[object, ...]:
        pre = tuple((0, int(p), "") if p.isdigit() else (1, 0, p) for p in self.pre)
        return (self.major, self.minor, self.patch, not self.pre, pre)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Semver) else NotImplemented

    def __lt__(self, other: Semver) -> bool:
        return self._key() < other._key()

    def __le__(self, other: Semver) -> bool:
        return self._key() <= other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        core = f"{self.major}.{self.minor}.{self.patch}"
        return f"{core}-{'.'.join(self.pre)}" if self.pre else core


@lru_cache(maxsize=4096)
def parse(text: str, normalize: bool = False) -> Semver:
    """The version that a text stands for.

    Args:
        text: a version, by the strict grammar.
        normalize: accept a leading `v`, missing minor and patch, and leading zeros.

    Raises:
        SemverError: the text is no version.
    """
    found = _STRICT.fullmatch(_normalized(text) if normalize else text)
    if found is None:
        raise SemverError(_problem(text))
    major, minor, patch, pre, _ = found.groups()
    before = tuple(pre.split(".")) if pre else ()
    for part in (major, minor, patch, *filter(str.isdigit, before)):
        if len(part) > _MOST_DIGITS or int(part) > _MOST:
            raise SemverError(f'strconv.ParseUint: parsing "{part}": value out of range')
    return Semver(int(major), int(minor), int(patch), before)


def _normalized(text: str) -> str:
    parts = text.removeprefix("v").split(".", 2)
    if len(parts) < 3:
        if re.search(r"[+-]", parts[-1]):
            return text
        parts += ["0"] * (3 - len(parts))
    return ".".join(re.sub(r"^0+(?=[0-9])", "", part) for part in parts)


def _problem(text: str) -> str:
    """The text of the version library of the API machinery, for the plain cases."""
    parts = text.split(".", 2)
    if not text:
        return "Version string empty"
    if len(parts) != 3:
        return "No Major.Minor.Patch elements found"
    core = (*parts[:2], re.split(r"[+-]", parts[2], maxsplit=1)[0])
    for name, part in zip(("major", "minor", "patch"), core, strict=True):
        label = name.capitalize()
        if not part or not re.fullmatch(r"[0-9]+", part, re.ASCII):
            return f'Invalid character(s) found in {name} number "{part}"'
        if len(part) > 1 and part[0] == "0":
            return f'{label} number must not contain leading zeroes "{part}"'
    return f'Invalid character(s) found in version "{text}"'
