"""The check that every quantity of a typed object can be read: nothing behind the reader meets a bad one.

Which fields hold quantities follows from the types. Clusters repeat few distinct values, so an object costs a
few attribute reads and set look-ups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from operator import attrgetter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.objects.meta import RawQuantity, TopLevel
from kschedctl.objects.quantity import MAX_DIGITS, QuantityError, parse
from kschedctl.sources.field_types import field_types
from kschedctl.sources.lines import FieldPath

_BYTES = ("memory", "ephemeral-storage", "storage", "hugepages-", "capacity", "maximumVolumeSize")


class QuantityCheck:
    """Finds bad quantities; remembers the good ones for the length of a load."""

    def __init__(self) -> None:
        self._good: set[RawQuantity] = set()

    def bad(self, value: TopLevel) -> Iterable[tuple[FieldPath, RawQuantity]]:
        """Return the bad quantities of an object, each with its field."""
        plan = _plan(type(value))
        if plan is None or self._all_good(value, plan):
            return ()
        return self._find(value, plan, ())

    def _all_good(self, value: Any, plan: _Plan) -> bool:
        """The fast pass, which keeps no paths."""
        good = self._good
        for child, (many, inside) in zip(plan.values(value), plan.kinds, strict=True):
            if not child and child != "":
                continue
            members = child.values() if child.__class__ is dict else child if many else (child,)
            if inside is None:
                if not good.issuperset(members) and not all(map(self._is_good, members)):
                    return False
                continue
            for member in members:
                if not self._all_good(member, inside):
                    return False
        return True

    def _find(self, value: Any, plan: _Plan, path: FieldPath) -> Iterator[tuple[FieldPath, RawQuantity]]:
        for child, step in zip(plan.values(value), plan.steps, strict=True):
            if child is None:
                continue
            here = path + step.field
            for key, member in _keyed(child) if step.many else [(None, child)]:
                place = here if key is None else (*here, key)
                if step.inside is not None:
                    yield from self._find(member, step.inside, place)
                elif not self._is_good(member):
                    yield place, member

    def _is_good(self, raw: RawQuantity) -> bool:
        if raw in self._good:
            return True
        try:
            parse(raw)
        except QuantityError:
            return False
        self._good.add(raw)
        return True


def quantity_message(path: FieldPath, raw: RawQuantity) -> str:
    """Say that a value is no quantity, and what one for this resource looks like."""
    resource = str(path[-1])
    if resource == "cpu":
        examples = "4, 4000m or 0.5"
    elif resource.startswith(_BYTES):
        examples = "512Mi, 2Gi or 1G"
    else:
        examples = "a whole number"
    shown = raw if len(str(raw)) <= MAX_DIGITS else f"{str(raw)[:20]}… ({len(str(raw)):,} digits)"
    return f'"{shown}" is no quantity; write {examples}'


def _keyed(container: Any) -> Iterable[tuple[str | int, Any]]:
    return container.items() if isinstance(container, dict) else enumerate(container)


class _Plan(Struct, frozen=True):
    """The fields of a type that lead to quantities, read all at once."""

    values: Callable[[Any], tuple[Any, ...]]
    steps: tuple[_Step, ...]
    kinds: tuple[tuple[bool, _Plan | None], ...]
    """`many` and `inside` of each step, as plain pairs for the fast pass."""


class _Step(Struct, frozen=True):
    """A field that is a quantity or has some inside."""

    attribute: str
    """Dotted: structs that are always there are looked through."""
    field: FieldPath
    many: bool
    """Whether the field is a map or a list."""
    inside: _Plan | None
    """The plan of the structs that the field holds, None where it holds quantities."""


@cache
def _plan(type_: type[Struct]) -> _Plan | None:
    """The plan of a struct type, None where there is no quantity in it."""
    steps = tuple(_steps(type_))
    if not steps:
        return None
    kinds = tuple((step.many, step.inside) for step in steps)
    names = [step.attribute for step in steps]
    if len(names) > 1:
        return _Plan(attrgetter(*names), steps, kinds)
    only = attrgetter(names[0])
    return _Plan(lambda value: (only(value),), steps, kinds)


def _steps(type_: type[Struct]) -> Iterator[_Step]:
    for field in field_types(type_):
        struct, many = field.struct, field.container is not None
        if struct is not None and not many and not field.optional:
            for step in _steps(struct):
                attribute = f"{field.name}.{step.attribute}"
                yield replace(step, attribute=attribute, field=(field.encode_name, *step.field))
            continue
        inside = None if struct is None else _plan(struct)
        if inside is not None or field.member == RawQuantity:
            yield _Step(field.name, (field.encode_name,), many, inside)
