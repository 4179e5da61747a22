"""The check that every quantity of a typed object can be read: nothing behind the reader meets a bad one.

Which fields hold quantities follows from the types. Clusters repeat few distinct values, so an object costs a
few attribute reads and set look-ups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cache
from operator import attrgetter
from typing import Any

from msgspec import inspect

from kschedctl.objects.meta import RawQuantity, TopLevel
from kschedctl.objects.quantity import QuantityError, parse
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
        for child, (holds, inside) in zip(plan.values(value), plan.kinds, strict=True):
            if not child:
                continue
            if holds is _MAP:
                if not good.issuperset(child.values()) and not all(map(self._is_good, child.values())):
                    return False
            elif holds is _STRUCTS:
                for item in child:
                    if not self._all_good(item, inside):
                        return False
            elif holds is _STRUCT:
                if not self._all_good(child, inside):
                    return False
            elif not self._is_good(child):
                return False
        return True

    def _find(self, value: Any, plan: _Plan, path: FieldPath) -> Iterator[tuple[FieldPath, RawQuantity]]:
        for child, step in zip(plan.values(value), plan.steps, strict=True):
            here = path + step.field
            if child is None:
                continue
            match step.holds:
                case _Holds.MAP:
                    yield from (((*here, key), raw) for key, raw in child.items() if not self._is_good(raw))
                case _Holds.QUANTITY if not self._is_good(child):
                    yield here, child
                case _Holds.STRUCT:
                    yield from self._find(child, step.inside, here)
                case _Holds.STRUCTS:
                    for i, item in enumerate(child):
                        yield from self._find(item, step.inside, (*here, i))

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
    return f'"{raw}" is no quantity; write {examples}'


class _Holds(Enum):
    """What a field holds."""

    QUANTITY = auto()
    MAP = auto()
    STRUCT = auto()
    STRUCTS = auto()


_MAP, _STRUCT, _STRUCTS = _Holds.MAP, _Holds.STRUCT, _Holds.STRUCTS  # look-ups that the fast pass saves


@dataclass(frozen=True, slots=True)
class _Plan:
    """The fields of a type that lead to quantities, read all at once."""

    values: Callable[[Any], tuple[Any, ...]]
    steps: tuple[_Step, ...]
    kinds: tuple[tuple[_Holds, _Plan], ...]
    """Of each step: what it holds and the plan of that. Plain pairs and not the steps, for speed."""


@dataclass(frozen=True, slots=True)
class _Step:
    """A field that is a quantity or has some inside."""

    attribute: str
    """Dotted: structs that are always there are looked through."""
    field: FieldPath
    holds: _Holds
    inside: _Plan = _Plan(lambda _: (), (), ())


@cache
def _plan(type_: type) -> _Plan | None:
    """The plan of a struct type, None where there is no quantity in it."""
    steps = tuple(_steps(inspect.type_info(type_)))
    if not steps:
        return None
    kinds = tuple((step.holds, step.inside) for step in steps)
    names = [step.attribute for step in steps]
    if len(names) > 1:
        return _Plan(attrgetter(*names), steps, kinds)
    only = attrgetter(names[0])
    return _Plan(lambda value: (only(value),), steps, kinds)


def _steps(type_: inspect.Type) -> Iterator[_Step]:
    if not isinstance(type_, inspect.StructType):
        return
    for field in type_.fields:
        here = (field.encode_name,)
        match _without_null(field.type):
            case inspect.UnionType() as union if _is_quantity(union):
                yield _Step(field.name, here, _Holds.QUANTITY)
            case inspect.DictType(value_type=inspect.UnionType() as union) if _is_quantity(union):
                yield _Step(field.name, here, _Holds.MAP)
            case inspect.StructType() as struct if struct is field.type:
                for step in _steps(struct):
                    yield replace(step, attribute=f"{field.name}.{step.attribute}", field=here + step.field)
            case inspect.StructType(cls=cls) if plan := _plan(cls):
                yield _Step(field.name, here, _Holds.STRUCT, plan)
            case inspect.VarTupleType(item_type=inspect.StructType(cls=cls)) if plan := _plan(cls):
                yield _Step(field.name, here, _Holds.STRUCTS, plan)


def _is_quantity(type_: inspect.UnionType) -> bool:
    return {inspect.StrType, inspect.FloatType} <= {type(option) for option in type_.types}


def _without_null(type_: inspect.Type) -> inspect.Type:
    if not isinstance(type_, inspect.UnionType):
        return type_
    options = tuple(option for option in type_.types if not isinstance(option, inspect.NoneType))
    return options[0] if len(options) == 1 else inspect.UnionType(options)
