"""A command that remembers in which order its options were given, across options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

import typer

from .verb import Verb

if TYPE_CHECKING:  # typer carries its own copy of click, and has no public name for these
    from typer._click import Context

_ORDER: Final = "kschedctl.order"

V = TypeVar("V")


class OrderedVerb(Verb):
    """Keeps the names of the options as they came."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Parse, and note the order."""
        args = self.spelt(args)
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        ctx.meta[_ORDER] = [parameter.name for parameter in order]
        return super().parse_args(ctx, args)


def option_order(context: typer.Context) -> list[str]:
    """The names of the options as they were given, one for each time."""
    return list(context.meta.get(_ORDER, []))


def in_order(values: Mapping[str, Sequence[V]], order: Sequence[str]) -> list[tuple[str, V]]:
    """The values of several repeatable options in the order in which they were given.

    Args:
        values: name of the option -> its values, in their order.
        order: from `option_order`.
    """
    used: Counter[str] = Counter()
    found: list[tuple[str, V]] = []
    for name in order:
        if name in values and used[name] < len(values[name]):
            found.append((name, values[name][used[name]]))
            used[name] += 1
    return found
