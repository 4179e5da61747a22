"""The functions that Kubernetes adds to CEL, for the library that evaluates selectors (spec 05 §4.10).

Quantities travel as `{0: "<nano units>"}` and versions as `b"<version>"`: kinds that the library can
tell apart when it picks an overload, and that compare by value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from cel_expr_python import cel

from kschedctl.dra import regex, semver
from kschedctl.dra.cel_budget import BUDGET
from kschedctl.dra.cel_operators import EQUAL, ORDERED, SIZE, UNEQUAL
from kschedctl.errors import UnsupportedError
from kschedctl.objects.quantity import Quantity, QuantityError, parse

Overloads = Sequence[tuple[Any, Sequence[Any], Callable[..., Any]]]
"""`(return type, parameters, implementation)`."""

_T = cel.Type
_QUANTITY = _T.Map(_T.INT, _T.STRING)
_SEMVER = _T.BYTES
_SCALARS = (_T.INT, _T.DOUBLE, _T.STRING, _T.BOOL)
NO_OVERLOAD = "no such overload"
_MAX_INCLUDES = 48


def quantity_value(quantity: Quantity) -> dict[int, str]:
    """A quantity as selectors see it."""
    return {0: str(quantity.nano)}


def semver_value(version: semver.Semver) -> bytes:
    """A version as selectors see it."""
    return str(version).encode()


def declarations() -> list[Any]:
    """Declarations and implementations of all functions."""
    return [
        *_quantity_functions(),
        *_semver_functions(),
        *_list_functions(),
        *_other_functions(),
    ]


def _declare(name: str, overloads: Overloads, *, member: bool = True) -> Any:
    return cel.FunctionDecl(
        name,
        [
            cel.Overload(
                f"k8s_{name.replace('.', '_')}_{i}",
                result,
                list(parameters),
                member,
                BUDGET.charged(name, call),
            )
            for i, (result, parameters, call) in enumerate(overloads)
        ],
    )


def _nano(value: dict[int, str]) -> int:
    return int(value[0])


def _whole_nano(value: int) -> int:
    return value * 10**9


def _version(value: bytes) -> semver.Semver:
    return semver.parse(bytes(value).decode())


def _compare(a: Any, b: Any) -> int:
    return int(a > b) - int(a < b)


def _quantity(text: str) -> dict[int, str]:
    return quantity_value(parse(text))


def _is_quantity(text: str) -> bool:
    try:
        parse(text)
    except QuantityError:
        return False
    return True


def _as_integer(value: dict[int, str]) -> int:
    whole, rest = divmod(_nano(value), 10**9)
    if rest or not -(2**63) <= whole < 2**63:
        raise ValueError("cannot convert value to integer")
    return whole


def _quantity_functions() -> list[Any]:
    def both(
        call: Callable[[int, int], Any], result: Any = _T.BOOL
    ) -> tuple[Any, Sequence[Any], Callable[..., Any]]:
        return (result, [_QUANTITY, _QUANTITY], lambda a, b: call(_nano(a), _nano(b)))

    def versions(
        call: Callable[..., Any], result: Any = _T.BOOL
    ) -> tuple[Any, Sequence[Any], Callable[..., Any]]:
        return (result, [_SEMVER, _SEMVER], lambda a, b: call(_version(a), _version(b)))

    def total(sign: int) -> Overloads:
        return [
            (_QUANTITY, [_QUANTITY, _QUANTITY], lambda a, b: {0: str(_nano(a) + sign * _nano(b))}),
            (_QUANTITY, [_QUANTITY, _T.INT], lambda a, b: {0: str(_nano(a) + sign * _whole_nano(b))}),
        ]

    return [
        _declare("quantity", [(_QUANTITY, [_T.STRING], _quantity)], member=False),
        _declare("isQuantity", [(_T.BOOL, [_T.STRING], _is_quantity)], member=False),
        _declare("isInteger", [(_T.BOOL, [_QUANTITY], lambda q: _nano(q) % 10**9 == 0)]),
        _declare("asInteger", [(_T.INT, [_QUANTITY], _as_integer)]),
        _declare("asApproximateFloat", [(_T.DOUBLE, [_QUANTITY], lambda q: _nano(q) / 10**9)]),
        _sign(),
        _declare("add", total(1)),
        _declare("sub", total(-1)),
        _declare("isLessThan", [both(lambda a, b: a < b), versions(lambda a, b: a < b)]),
        _declare("isGreaterThan", [both(lambda a, b: a > b), versions(lambda a, b: a > b)]),
        _declare("compareTo", [both(_compare, _T.INT), versions(_compare, _T.INT)]),
    ]


def _sign() -> Any:
    """Documented as `q.sign()`, declared as `sign(q)`: what the API server accepts is among them."""
    overloads = [
        cel.Overload(f"k8s_sign_{member}", _T.INT, [_QUANTITY], member, lambda q: _compare(_nano(q), 0))
        for member in (False, True)
    ]
    return cel.FunctionDecl("sign", overloads)


def _semver(text: str, normalize: bool = False) -> bytes:
    return semver_value(semver.parse(text, normalize))


def _is_semver(text: str, normalize: bool = False) -> bool:
    try:
        semver.parse(text, normalize)
    except semver.SemverError:
        return False
    return True


def _semver_functions() -> list[Any]:
    texts: tuple[Sequence[Any], ...] = ([_T.STRING], [_T.STRING, _T.BOOL])
    return [
        _declare("semver", [(_SEMVER, p, _semver) for p in texts], member=False),
        _declare("isSemver", [(_T.BOOL, p, _is_semver) for p in texts], member=False),
        _declare("major", [(_T.INT, [_SEMVER], lambda v: _version(v).major)]),
        _declare("minor", [(_T.INT, [_SEMVER], lambda v: _version(v).minor)]),
        _declare("patch", [(_T.INT, [_SEMVER], lambda v: _version(v).patch)]),
    ]


def _extreme(pick: Callable[[Sequence[Any]], Any], name: str) -> Callable[[Sequence[Any]], Any]:
    def call(items: Sequence[Any]) -> Any:
        if not items:
            raise ValueError(f"{name} called on empty list")
        return pick(items)

    return call


def _sum(items: Sequence[Any]) -> Any:
    return sum(items)


def _slice(items: Sequence[Any], start: int, end: int) -> list[Any]:
    problem = ""
    if start < 0 or end < 0:
        problem = "negative indexes not supported"
    elif start > end:
        problem = "start index must be less than or equal to end index"
    elif end > len(items):
        problem = f"list is length {len(items)}"
    if problem:
        raise ValueError(f"cannot slice({start}, {end}), {problem}")
    return list(items)[start:end]


def _flatten(items: Sequence[Any], depth: int = 1) -> list[Any]:
    if depth < 0:
        raise ValueError("level must be non-negative")
    flat: list[Any] = []
    for item in items:
        flat += _flatten(item, depth - 1) if depth and isinstance(item, list) else [item]
    BUDGET.work(len(flat))
    return flat


def _range(length: int) -> list[int]:
    return list(range(length))


def _distinct(items: Sequence[Any]) -> list[Any]:
    return [value for i, value in enumerate(items) if value not in items[:i]]


def _list_functions() -> list[Any]:
    """Lists arrive with dynamic elements: one overload serves all their types."""
    items = _T.List(_T.DYN)
    return [
        _declare("isSorted", [(_T.BOOL, [items], lambda x: list(x) == sorted(x))]),
        _declare("sum", [(_T.DYN, [items], _sum)]),
        _declare("min", [(_T.DYN, [items], _extreme(min, "min"))]),
        _declare("max", [(_T.DYN, [items], _extreme(max, "max"))]),
        _declare("slice", [(items, [items, _T.INT, _T.INT], _slice)]),
        _declare("flatten", [(items, [items], _flatten), (items, [items, _T.INT], _flatten)]),
        _declare("distinct", [(items, [items], _distinct)]),
        _declare("reverse", [(items, [items], lambda x: list(x)[::-1])]),
        _declare("sort", [(items, [items], sorted)]),
        _declare("lists.range", [(_T.List(_T.INT), [_T.INT], _range)], member=False),
    ]


def _includes(items: Sequence[Any], item: Any) -> bool:
    if len(items) > _MAX_INCLUDES:
        raise ValueError(f"'includes' function cannot be applied to lists longer than {_MAX_INCLUDES} values")
    return any(_is_same(value, item) for value in items)


def _is_same(value: Any, item: Any) -> bool:
    """Equality of CEL: numbers of all kinds compare, truth values are none of them."""
    return isinstance(value, bool) == isinstance(item, bool) and bool(value == item)


def _is_version(value: Any) -> bool:
    return isinstance(value, bytes | bytearray)


def _size(value: Any) -> int:
    """How long a text, a list or a map is; a version is not."""
    if _is_version(value):
        raise ValueError(NO_OVERLOAD)
    return len(value)


def _equal(pair: Sequence[Any]) -> bool:
    """Equality, which a version has with versions alone."""
    answer = _equality(*pair)
    if answer is None:
        raise ValueError(NO_OVERLOAD)
    return answer


def _unequal(pair: Sequence[Any]) -> bool:
    """Whether two values are not known to be equal: this never ends in an error."""
    return _equality(*pair) is not True


def _equality(one: Any, other: Any) -> bool | None:
    """Whether two values are equal; None for a version and what is none, in lists that counts as equal."""
    if _is_version(one):
        return bool(one == other) if _is_version(other) else None
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(
            _equality(*pair) is not False for pair in zip(one, other, strict=True)
        )
    return _is_same(one, other)


def _ordered(one: Sequence[Any]) -> Any:
    """A value that is to be ordered, which versions are not."""
    if _is_version(one[0]):
        raise ValueError(NO_OVERLOAD)
    return one[0]


def _contains(items: Sequence[Any], wanted: Sequence[Any]) -> bool:
    return all(one in items for one in wanted)


def _intersects(items: Sequence[Any], wanted: Sequence[Any]) -> bool:
    return any(one in items for one in wanted)


def _find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
    return list(islice(_found(text, pattern), None if limit < 0 else limit))


def _find(text: str, pattern: str) -> str:
    return next(_found(text, pattern), "")


def _found(text: str, pattern: str) -> Iterator[str]:
    """The matches of a regular expression that RE2 accepts."""
    refused = regex.problem(pattern)
    if refused:
        raise ValueError(refused)
    try:
        for found in regex.find_all(pattern, text):
            BUDGET.work(len(text))
            yield found
    except regex.RegexError as error:
        BUDGET.interruption = UnsupportedError(str(error), hint="write the selector without it")
        raise


def _other_functions() -> list[Any]:
    items = _T.List(_T.DYN)
    pair = [items, items]
    return [
        _declare(
            "includes",
            [(_T.BOOL, [items, item], _includes) for item in (*_SCALARS, _SEMVER)]
            + [
                (_T.BOOL, [one, other], _is_same)
                for one in (*_SCALARS, _SEMVER)
                for other in (*_SCALARS, _SEMVER)
            ],
        ),
        _declare(EQUAL, [(_T.BOOL, [items], _equal)], member=False),
        _declare(UNEQUAL, [(_T.BOOL, [items], _unequal)], member=False),
        _declare(ORDERED, [(_T.DYN, [items], _ordered)], member=False),
        cel.FunctionDecl(
            SIZE,
            [
                cel.Overload(f"{SIZE}_{i}_{member}", _T.INT, [kind], member, _size)
                for i, kind in enumerate((_T.STRING, _SEMVER, items, _T.Map(_T.DYN, _T.DYN)))
                for member in (False, True)
            ],
        ),
        _declare("find", [(_T.STRING, [_T.STRING, _T.STRING], _find)]),
        _declare(
            "findAll",
            [
                (_T.List(_T.STRING), [_T.STRING, _T.STRING], _find_all),
                (_T.List(_T.STRING), [_T.STRING, _T.STRING, _T.INT], _find_all),
            ],
        ),
        _declare("sets.contains", [(_T.BOOL, pair, _contains)], member=False),
        _declare("sets.intersects", [(_T.BOOL, pair, _intersects)], member=False),
        _declare(
            "sets.equivalent",
            [(_T.BOOL, pair, lambda a, b: _contains(a, b) and _contains(b, a))],
            member=False,
        ),
    ]
