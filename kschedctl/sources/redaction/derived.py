"""Replacements for names that are partly made of each other, in the order of the names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct


class Derived(Struct, frozen=True):
    """A name made of another one: `web-0` of `web`, `data-web-0` of `web-0`."""

    prefix: str
    inner: str
    suffix: str


def ordered_tokens(
    names: Sequence[str], derivations: Mapping[str, Derived], first: int, width: int
) -> dict[str, str]:
    """Return a replacement for each name, sorted as the names are, derived ones derived alike.

    A name that sorts between derived ones continues the replacement of the one before it: `-` sorts before
    every letter and digit, so it comes before the next. Where order and derivation cannot both be had, order wins
    for names that begin with what they are made of. Names with a prefix do not take part in the order.

    Args:
        names: sorted, each once, with everything that they are made of.
        derivations: what some of them are made of; none is made of itself.
        first: number of the first replacement.
        width: digits of the numbers.
    """
    tokens = _tokens(names, derivations, first, width)
    if _sorted_alike(names, derivations, tokens):
        return tokens
    prefixed = {name: derived for name, derived in derivations.items() if derived.prefix}
    return _tokens(names, prefixed, first, width)


def _tokens(
    names: Sequence[str], derivations: Mapping[str, Derived], first: int, width: int
) -> dict[str, str]:
    tokens: dict[str, str] = {}
    prefixed = []
    owner, anchor = "", ""  # what the last derived name is made of in the end, and its replacement
    for number, name in enumerate(names, start=first):
        derived = derivations.get(name)
        if derived is None or not (derived.prefix or derived.inner in tokens):
            inside = anchor and name.startswith(f"{owner}-")
            tokens[name] = f"{anchor}-x{number:0{width}d}" if inside else f"p{number:0{width}d}"
        elif derived.prefix:
            prefixed.append((name, derived))
        else:
            owner = owner if derived.inner in derivations else derived.inner
            tokens[name] = anchor = f"{tokens[derived.inner]}{derived.suffix}"
    for name, derived in sorted(prefixed, key=lambda entry: len(entry[0])):  # the inner name is shorter
        tokens[name] = f"{derived.prefix}{tokens[derived.inner]}{derived.suffix}"
    return tokens


def _sorted_alike(
    names: Sequence[str], derivations: Mapping[str, Derived], tokens: Mapping[str, str]
) -> bool:
    placed = [tokens[n] for n in names if n not in derivations or not derivations[n].prefix]
    return placed == sorted(placed)
