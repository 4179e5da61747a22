"""Field problems by kind, with the API server's wording."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kschedctl.admission.invalid import FieldProblem
from kschedctl.objects import field_errors

Problems = Iterator[FieldProblem]


def invalid(path: str, value: object, detail: str) -> FieldProblem:
    """The value cannot be used."""
    return FieldProblem(path, field_errors.invalid_value(value, detail))


def invalid_each(path: str, value: str, details: Iterable[str]) -> Problems:
    """One `Invalid value` for each detail."""
    for detail in details:
        yield invalid(path, value, detail)


def unsupported(path: str, value: str, supported: Sequence[str]) -> FieldProblem:
    """The value is none of a fixed set."""
    return FieldProblem(path, field_errors.unsupported_value(value, supported))


def required(path: str, detail: str = "") -> FieldProblem:
    """The field must be set."""
    return FieldProblem(path, field_errors.required_value(detail))


def forbidden(path: str, detail: str) -> FieldProblem:
    """The field must not be set here."""
    return FieldProblem(path, field_errors.forbidden(detail))


def duplicate(path: str, value: str) -> FieldProblem:
    """The value stands in the list already."""
    return FieldProblem(path, field_errors.duplicate_value(value))


def not_found(path: str, value: str, detail: str) -> FieldProblem:
    """The value refers to something that is not there."""
    return FieldProblem(path, field_errors.not_found(value, detail))
