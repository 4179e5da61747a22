"""A field of a pod with its path, and the problems that the API server can have with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from kschedctl.admission.invalid import FieldProblem
from kschedctl.objects import field_errors
from kschedctl.objects.quantity import ZERO, Quantity, QuantityError, parse

Problems = Iterator[FieldProblem]


class Field(Struct):
    """A value of a JSON-like document and where it stands.

    A field that is absent or `null` is None, and what is read of one that has not the shape expected is as if it
    were absent: the zero value, as in Go.
    """

    path: str
    value: Any = None

    def __getitem__(self, name: str) -> Field:
        """The field of a name in this one."""
        inner = self.value.get(name) if isinstance(self.value, dict) else None
        return Field(f"{self.path}.{name}" if self.path else name, inner)

    def at(self, index: int, value: Any = None) -> Field:
        """An entry of this list, by position."""
        return Field(f"{self.path}[{index}]", value)

    def key(self, key: str, value: Any = None) -> Field:
        """An entry of this map, by key."""
        return Field(f"{self.path}[{key}]", value)

    def replaced(self, other: Field) -> Field:
        """Another field's value, told at this path: where the API server's paths are not those of the API."""
        return Field(self.path, other.value)

    def replaced_by(self, value: Any) -> Field:
        """Another value at this path."""
        return Field(self.path, value)

    @property
    def is_set(self) -> bool:
        """Whether the field is there at all."""
        return self.value is not None

    @property
    def text(self) -> str:
        """A string, "" where there is none."""
        return self.value if isinstance(self.value, str) else ""

    @property
    def number(self) -> int:
        """A whole number, 0 where there is none."""
        return int(self.value) if isinstance(self.value, int | float) else 0

    @property
    def is_true(self) -> bool:
        """Whether the field is true."""
        return self.value is True

    @property
    def is_false(self) -> bool:
        """Whether the field is there and false."""
        return self.value is False

    @property
    def items(self) -> list[Field]:
        """The entries of a list."""
        values = self.value if isinstance(self.value, list | tuple) else ()
        return [self.at(i, value) for i, value in enumerate(values)]

    @property
    def texts(self) -> list[str]:
        """The strings of a list."""
        return [item.text for item in self.items]

    @property
    def entries(self) -> dict[str, Field]:
        """The entries of a map, in order of their keys."""
        values = self.value if isinstance(self.value, dict) else {}
        return {str(key): self.key(str(key), value) for key, value in sorted(values.items())}

    @property
    def quantity(self) -> Quantity:
        """A quantity, 0 where there is none that can be read."""
        try:
            return parse(self.value) if isinstance(self.value, str | int | float) else ZERO
        except QuantityError:
            return ZERO

    def required(self, detail: str = "") -> FieldProblem:
        """The field must be set."""
        return FieldProblem(self.path, field_errors.required_value(detail))

    def forbidden(self, detail: str) -> FieldProblem:
        """The field must not be set here."""
        return FieldProblem(self.path, field_errors.forbidden(detail))

    def invalid(self, detail: str) -> FieldProblem:
        """The value cannot be used."""
        return self.invalid_as(self.value, detail)

    def invalid_as(self, shown: object, detail: str) -> FieldProblem:
        """The value cannot be used; the API server shows another one, or the same in another form."""
        return FieldProblem(self.path, field_errors.invalid_value(shown, detail))

    def invalid_pointer(self, detail: str) -> FieldProblem:
        """The text cannot be used; the API server shows it in another form than texts elsewhere."""
        return FieldProblem(self.path, field_errors.invalid_pointer(self.text, detail))

    def invalid_each(self, details: Iterable[str]) -> Problems:
        """One `Invalid value` for each detail."""
        for detail in details:
            yield self.invalid_as(self.text, detail)

    def unsupported(self, supported: Sequence[str]) -> FieldProblem:
        """The value is none of a fixed set."""
        return FieldProblem(self.path, field_errors.unsupported_value(self.text, supported))

    def duplicate(self, shown: str | None = None) -> FieldProblem:
        """The value stands in the list already."""
        return FieldProblem(self.path, field_errors.duplicate_value(self.text if shown is None else shown))

    def not_found(self, detail: str = "") -> FieldProblem:
        """The value refers to something that is not there."""
        return FieldProblem(self.path, field_errors.not_found(self.text, detail))

    def too_long(self, limit: int) -> FieldProblem:
        """The value takes more bytes than that."""
        return FieldProblem(self.path, field_errors.too_long(limit))

    def too_many(self, limit: int) -> FieldProblem:
        """The list has more entries than that."""
        return FieldProblem(self.path, field_errors.too_many(len(self.items), limit))


def one_of(field: Field, supported: Sequence[str]) -> Problems:
    """The field, where it is set, must be one of the values; "" is none of them."""
    if field.is_set and field.text not in supported:
        yield field.unsupported(supported)


def one_of_or_default(field: Field, supported: Sequence[str]) -> Problems:
    """The same for a field whose empty value stands for a default."""
    if field.text and field.text not in supported:
        yield field.unsupported(supported)


def in_range(field: Field, low: int, high: int) -> Problems:
    """The field, where it is set, must be a number in a range, both ends included."""
    if field.is_set and not low <= field.number <= high:
        yield field.invalid(f"must be between {low} and {high}, inclusive")


def not_negative(field: Field) -> Problems:
    """The field must not be a negative number."""
    if field.number < 0:
        yield field.invalid("must be greater than or equal to 0")


def required_text(owner: Field, *names: str) -> Problems:
    """Fields that must not be empty."""
    for name in names:
        if not owner[name].text:
            yield owner[name].required()
